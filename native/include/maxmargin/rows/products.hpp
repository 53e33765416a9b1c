// Products of all rows, or of some, with one column of weights.
// Rows are divided among threads in fixed parts, so a result depends on the number of threads, not on timing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

// out[m] = <x_i, w> with i = examples[m], or i = m where `examples` is empty and out has one place per row.
void row_products(const Rows& rows, const double* weights, std::span<const std::int32_t> examples, std::span<double> out, int threads);

// sum_m coefficient[m] x_i, of `rows.columns()` numbers.
std::vector<double> combine_rows(const Rows& rows, std::span<const double> coefficient, std::span<const std::int32_t> examples, int threads);

}  // namespace maxmargin
