// Questions about all examples at one fixed w: slacks, the summed plane of the 1-slack form, scores for prediction.
// Examples are divided among threads in fixed shares, so a result depends on the number of threads, not on timing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/cut.hpp"
#include "maxmargin/multiclass.hpp"

namespace maxmargin {

// slack[m] = max(0, max_k b - <a, w>) and output[m] = the class that attains it (the truth where it is zero).
void multiclass_worst(const MulticlassData& data, const double* weights, std::span<const std::int32_t> examples,
                      std::span<double> slack, std::span<std::int32_t> output, int threads);

// sum_m weight_m * (plane of the most violated class of example m); for squared slack the plane of 1/2 slack^2.
Cut multiclass_cut(const MulticlassData& data, const double* weights, std::span<const std::int32_t> examples,
                   const double* sample_weight, bool squared, std::span<double> slack, int threads);

// Online pass: v += weight * a for the most violated plane of each example in turn, found at w = numerator / t * v with t
// counting on from first + done (the subgradient steps of Pegasos), or at w = v where numerator is zero (perceptron).
// late += k weight * a with k counting on from done + 1. Returns the number of planes added.
std::int64_t multiclass_accumulate(const MulticlassData& data, double* v, double* late,
                                   std::span<const std::int32_t> examples, const double* sample_weight, bool squared,
                                   std::int64_t first, std::int64_t done, double numerator);

// out[i, k] = <w_k, x_i> for k < classes, row-major.
void multiclass_scores(const Rows& rows, const double* weights, std::int64_t classes, double* out, int threads);

}  // namespace maxmargin
