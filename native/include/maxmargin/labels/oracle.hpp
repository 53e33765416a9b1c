// Questions about all examples at one fixed w; see classes/oracle.hpp. Examples are divided among threads in fixed shares.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/engine/cut.hpp"
#include "maxmargin/labels/planes.hpp"

namespace maxmargin {

// slack[m] = max(0, max_y b - <a, w>). Where `labels` is not empty, (examples, labels), the vector that attains it; the truth
// where that is zero. Returns how many searches gave up: then a slack may be too small.
std::int64_t label_worst(const LabelProblem& problem, const double* weights, std::span<const std::int32_t> examples,
                         std::span<double> slack, std::span<std::uint8_t> labels, int threads);

Cut label_cut(const LabelProblem& problem, const double* weights, std::span<const std::int32_t> examples, const double* sample_weight,
              bool squared, std::span<double> slack, int threads, std::int64_t& missed);

std::int64_t label_accumulate(const LabelProblem& problem, double* v, double* late, std::span<const std::int32_t> examples,
                              const double* sample_weight, bool squared, std::int64_t first, std::int64_t done, double numerator);

// The best label vector of every example, (n, labels). Returns how many searches gave up.
std::int64_t label_decode(const LabelProblem& problem, const double* weights, std::span<std::uint8_t> labels, int threads);

// The k best, by a forest or a list: labels (k, n, labels) and scores (n, k), minus infinity where there are fewer.
void label_decode_lists(const LabelProblem& problem, const double* weights, int k, std::span<std::uint8_t> labels,
                        std::span<double> scores, int threads);

// margins[i, k] = max of F with y_k = 1 minus max of F with y_k = 0. Returns how many searches gave up.
std::int64_t label_margins(const LabelProblem& problem, const double* weights, std::span<double> margins, int threads);

}  // namespace maxmargin
