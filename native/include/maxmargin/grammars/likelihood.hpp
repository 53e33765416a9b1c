// The conditional likelihood of true trees: sum over sentences of s_i (log sum_y exp F(x_i, y) - F(x_i, y_i)).
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/engine/stochastic_descent.hpp"
#include "maxmargin/grammars/targets.hpp"

namespace maxmargin::grammars {

// Of the sentences from `begin` to `end - 1`; where `gradient` is not null, its gradient is added to it. Without sample weights all are one.
double tree_likelihood(const TreeTargets& targets, const double* weights, const double* sample_weight, std::int64_t begin, std::int64_t end, double* gradient,
                       int threads);

// Stochastic steps over the examples of `order`; see engine/stochastic_descent.hpp.
double descend_trees(const TreeTargets& targets, const double* sample_weight, std::span<const std::int32_t> order, const StepSizes& sizes, ScaledWeights& weights);

}  // namespace maxmargin::grammars
