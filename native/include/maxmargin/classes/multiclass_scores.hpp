// Scores of classes for prediction. Examples are divided among threads in fixed parts.
#pragma once

#include <cstdint>

#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

// out[i, k] = <w_k, x_i> for k < classes, row-major.
void multiclass_scores(const Rows& rows, const double* weights, std::int64_t classes, double* out, int threads);

}  // namespace maxmargin
