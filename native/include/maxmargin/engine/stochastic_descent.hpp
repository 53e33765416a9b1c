// Stochastic gradient steps, one example after the other, on weights that are kept as a factor times a vector.
#pragma once

#include <cstdint>
#include <span>

namespace maxmargin {

// Steps w -= s (decay w + a_i f_i'(w)) for the minimum of decay/2 |w|^2 + mean_i a_i f_i(w), with s = first / (1 + first * decay * t) at step t.
struct StepSizes {
  double first, decay;
  double at(std::int64_t t) const { return first / (1.0 + first * decay * static_cast<double>(t)); }
};

// w = factor * v after so many steps. The penalty moves the factor alone, so that a step touches the weights of its example.
struct ScaledWeights {
  double* v;
  double factor = 1.0;
  std::int64_t steps = 0;
};

// Visits examples in the given order; step(i, w, factor, into, c) answers f_i at factor * w and adds c f_i' to `into`, both of them v here. The
// answer is the sum of a_i f_i, each at the weights that it met.
template <class Step>
double descend(std::span<const std::int32_t> order, const double* sample_weight, const StepSizes& sizes, ScaledWeights& weights, Step&& step) {
  double total = 0.0;
  for (const std::int32_t i : order) {
    const double size = sizes.at(++weights.steps), own = sample_weight == nullptr ? 1.0 : sample_weight[i];
    const double before = weights.factor;
    weights.factor *= 1.0 - size * sizes.decay;
    if (own != 0.0) total += own * step(i, weights.v, before, weights.v, -size * own / weights.factor);
  }
  return total;
}

}  // namespace maxmargin
