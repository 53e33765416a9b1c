// Conditional likelihood of labelled chains, p(y | x) = exp F(x, y; w) / sum exp F.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/chains/chain.hpp"
#include "maxmargin/chains/decode.hpp"

namespace maxmargin {

// Sequences of which a likelihood is the sum, those from `first` to before `last`. `sample_weight` and `allowed`, a mask (tokens,
// labels) for what is known of the labels, may be null.
struct LikelihoodPart {
  const double* sample_weight = nullptr;
  const std::uint8_t* allowed = nullptr;
  std::int64_t first = 0, last = 0;
};

// Returns sum_i weight_i (log sum_y exp F(x_i, y) - F(x_i, truth_i)) over a part and adds its gradient by w to `gradient`
// where that is not empty. Where several labellings are allowed, the log of the sum of their exp F takes the place of
// F(x_i, truth_i): the likelihood of what is known. `losses` gets the terms of the sum without their weights, where it is not empty.
double chain_likelihood(const ChainData& data, const double* weights, const LikelihoodPart& part, std::span<double> gradient,
                        std::span<double> losses, int threads);

// P(y_t = y | x) at scores divided by `temperature`: out (tokens, labels); log_sums, one per sequence, of those scores.
// Returns the first sequence that has no allowed labelling, or -1.
std::int64_t chain_marginals(const ChainData& data, const double* weights, const ChainLimits& limits, double temperature,
                             std::span<double> out, std::span<double> log_sums, int threads);

// F(x_i, labels_i) of every sequence.
void chain_path_scores(const ChainData& data, const double* weights, std::span<const std::int32_t> labels, std::span<double> out);

}  // namespace maxmargin
