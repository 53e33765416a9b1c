// Predictions for all examples. Examples are divided among threads in fixed parts.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/labels/planes.hpp"

namespace maxmargin {

// The best label vector of every example, (n, labels). Returns how many searches gave up.
std::int64_t label_decode(const LabelProblem& problem, const double* weights, std::span<std::uint8_t> labels, int threads);

// The k best, by a forest or a list: labels (k, n, labels) and scores (n, k), minus infinity where there are fewer.
void label_decode_lists(const LabelProblem& problem, const double* weights, int k, std::span<std::uint8_t> labels,
                        std::span<double> scores, int threads);

// margins[i, k] = max of F with y_k = 1 minus max of F with y_k = 0. Returns how many searches gave up.
std::int64_t label_margins(const LabelProblem& problem, const double* weights, std::span<double> margins, int threads);

}  // namespace maxmargin
