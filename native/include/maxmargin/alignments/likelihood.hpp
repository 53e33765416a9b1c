// The conditional likelihood of true alignments: sum over examples of s_i (log sum_y exp F(x_i, y) - F(x_i, y_i)), y all alignments of x and
// candidate 0.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/engine/stochastic_descent.hpp"
#include "maxmargin/alignments/targets.hpp"

namespace maxmargin::alignments {

// Of the examples from `begin` to `end - 1`; where `gradient` is not null, its gradient is added to it. Without sample weights all
// are one.
double alignment_likelihood(const AlignmentTargets& targets, const double* weights, const double* sample_weight, std::int64_t begin,
                            std::int64_t end, double* gradient, int threads);

// Stochastic steps over the examples of `order`; see engine/stochastic_descent.hpp.
double descend_alignments(const AlignmentTargets& targets, const double* sample_weight, std::span<const std::int32_t> order, const StepSizes& sizes, ScaledWeights& weights);

// Of the true pairs, each as often as its example counts: their number, and the sum of the squared lengths of their features,
// apart from those of known scores, which have one weight for all pairs of letters and are learned with any C.
struct TrueMoments {
  double pairs = 0.0, squares = 0.0;
};
TrueMoments true_moments(const AlignmentTargets& targets, const double* sample_weight);

}  // namespace maxmargin::alignments
