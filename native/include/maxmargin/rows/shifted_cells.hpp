// The cells of a CSR matrix with its columns moved and scaled: (x - shift) * factor.
//
// A column with a shift is not zero anywhere afterwards: its cells stand first in every row, followed by those of the other columns in
// their old order. Cells of one column in one row are added up where the column is shifted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace maxmargin {

template <class Stored>
struct ShiftedCells {
  std::vector<Stored> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> offsets;
};

// `shift` and `factor` have a number per column; indices and offsets are valid.
template <class Stored>
ShiftedCells<Stored> shifted_cells(std::span<const Stored> values, std::span<const std::int32_t> indices, std::span<const std::int64_t> offsets,
                                   std::span<const Stored> shift, std::span<const Stored> factor) {
  std::vector<std::int32_t> moved;
  std::vector<std::int32_t> place(shift.size(), -1);  // of a column among those that are moved
  for (std::size_t j = 0; j < shift.size(); ++j) {
    if (shift[j] == Stored{0}) continue;
    place[j] = static_cast<std::int32_t>(moved.size());
    moved.push_back(static_cast<std::int32_t>(j));
  }
  const std::size_t n = offsets.size() - 1;
  ShiftedCells<Stored> out;
  out.values.reserve(values.size() + n * moved.size());
  out.indices.reserve(values.size() + n * moved.size());
  out.offsets.assign(1, 0);
  out.offsets.reserve(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t first = out.values.size();
    out.values.resize(first + moved.size(), Stored{0});
    out.indices.insert(out.indices.end(), moved.begin(), moved.end());
    for (std::int64_t c = offsets[i]; c < offsets[i + 1]; ++c) {
      const auto j = static_cast<std::size_t>(indices[static_cast<std::size_t>(c)]);
      const Stored x = values[static_cast<std::size_t>(c)];
      if (place[j] >= 0) {
        out.values[first + static_cast<std::size_t>(place[j])] += x;
      } else {
        out.values.push_back(x * factor[j]);
        out.indices.push_back(static_cast<std::int32_t>(j));
      }
    }
    for (std::size_t k = 0; k < moved.size(); ++k) {
      const auto j = static_cast<std::size_t>(moved[k]);
      out.values[first + k] = (out.values[first + k] - shift[j]) * factor[j];
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.values.size()));
  }
  return out;
}

}  // namespace maxmargin
