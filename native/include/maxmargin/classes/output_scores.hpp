// Scores of classes with output features, for prediction. Examples are divided among threads in fixed parts.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/classes/output_map.hpp"
#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

// out[m, y] = S_y(x_i), row-major, with i = examples[m], or i = m where `examples` is empty and out has one row per row.
void output_scores(const Rows& rows, const double* weights, const OutputMap& map, std::span<const std::int32_t> examples,
                   std::span<double> out, int threads);

// out[i] = the class of highest score, the first of several; the scores themselves are not kept.
void output_best(const Rows& rows, const double* weights, const OutputMap& map, std::int32_t* out, int threads);

}  // namespace maxmargin
