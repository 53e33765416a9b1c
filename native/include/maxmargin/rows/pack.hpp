// One pass over the examples before training: |x|^2, the first row that is not finite, and the form in which the
// kernels will read the rows.
//   dense, most cells non-zero          as it is
//   dense, at most half non-zero        as it is, with a bit mask
//   dense, at most a fifth non-zero     copied to values and 16-bit columns, at most a quarter of the bytes, or to
//                                       8-bit numbers of values where there are at most 256 (pixels, counts)
//   CSR                                 as it is
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

// Sums of |x|^2 over all pairs of examples, times C, must stay finite.
inline constexpr double kLargestSquare = 1e200;

struct PackedRows {
  PackedRows() = default;
  PackedRows(const PackedRows&) = delete;  // `rows` points into the vectors below
  PackedRows& operator=(const PackedRows&) = delete;

  Rows rows;
  std::vector<double> squared_norms;
  std::int64_t first_bad = -1;  // first row with a NaN, or with |x|^2 above kLargestSquare, or -1

  std::vector<std::uint64_t> mask;
  std::vector<double> doubles;
  std::vector<float> singles;
  std::vector<std::uint16_t> columns;
  std::vector<std::uint8_t> codes;
  std::unique_ptr<Palette> palette;
  std::vector<std::int64_t> offsets;
};

// Fills everything but `rows.values` / `indices` / `offsets` / `n` / `width` / `bias` / `single`, which the caller has set.
// A dense matrix is copied where at most `copy_density` of its cells are not zero.
inline constexpr double kCopyDensity = 0.2;
void pack(PackedRows& packed, double copy_density = kCopyDensity);

}  // namespace maxmargin
