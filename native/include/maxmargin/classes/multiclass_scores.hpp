// Scores of classes for prediction. Examples are divided among threads in fixed parts.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

// out[m, k] = <w_k, x_i> for k < classes, row-major, with i = examples[m], or i = m where `examples` is empty and out has one row per row.
void multiclass_scores(const Rows& rows, const double* weights, std::int64_t classes, std::span<const std::int32_t> examples,
                       std::span<double> out, int threads);

}  // namespace maxmargin
