// Blocks of rows stood on their side, so that sums over rows are vector operations.
#pragma once

#include <algorithm>
#include <cstdint>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

// Writes column j of n rows, the constant one included, to turned[j * apart]; row_of(i) is the number of the i-th row.
template <class RowOf>
void turn_rows(const Rows& rows, std::int64_t n, double* turned, std::int64_t apart, RowOf&& row_of) {
  if (rows.kind == RowKind::dense) {
    auto copy = [&](const auto* values) {
      for (std::int64_t i = 0; i < n; ++i) {
        const auto* row = values + static_cast<std::int64_t>(row_of(i)) * rows.width;
        double* out = turned + i;
        for (std::int64_t j = 0; j < rows.width; ++j) out[j * apart] = static_cast<double>(row[j]);
      }
    };
    if (rows.single) copy(static_cast<const float*>(rows.values));
    else copy(static_cast<const double*>(rows.values));
  } else {
    for (std::int64_t j = 0; j < rows.width; ++j) std::fill_n(turned + j * apart, n, 0.0);
    for (std::int64_t i = 0; i < n; ++i) {
      const Row row = rows[row_of(i)];
      for (std::int64_t c = 0; c < row.count; ++c) turned[row.column(c) * apart + i] += row.value(c);
    }
  }
  if (rows.bias != 0.0) std::fill_n(turned + rows.width * apart, n, rows.bias);
}

}  // namespace maxmargin
