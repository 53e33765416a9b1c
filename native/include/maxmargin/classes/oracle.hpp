// Questions about all examples at one fixed w, where the outputs are classes: slacks, the summed plane of the 1-slack form,
// online passes. A block (classes/multiclass.hpp, classes/output_block.hpp) knows its planes.
// Examples are divided among threads in fixed shares, so a result depends on the number of threads, not on timing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/engine/cut.hpp"
#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {

template <class Block>
CutTerm class_term(const Block& block, int k, double xi, double weight, bool squared) {
  return cut_term(block.scale(k), block.margin(k), xi, weight, squared);
}

template <class Data>
void prefetch_example(const Data& data, std::span<const std::int32_t> examples, std::int64_t at) {
  constexpr std::int64_t kAhead = 4;
  if (at + kAhead < static_cast<std::int64_t>(examples.size())) data.rows.prefetch(examples[static_cast<std::size_t>(at + kAhead)]);
}

// slack[m] = max(0, max_k b - <a, w>) and output[m] = the class that attains it (the truth where it is zero).
template <class Block>
void class_worst(const typename Block::Data& data, const double* weights, std::span<const std::int32_t> examples,
                 std::span<double> slack, std::span<std::int32_t> output, int threads) {
  in_shares(static_cast<std::int64_t>(examples.size()), threads, [&](int, std::int64_t begin, std::int64_t end) {
    Block block(data);
    for (std::int64_t at = begin; at < end; ++at) {
      prefetch_example(data, examples, at);
      block.open(examples[static_cast<std::size_t>(at)], weights);
      const int worst = block.worst();
      slack[static_cast<std::size_t>(at)] = block.gradient(worst);
      if (!output.empty()) output[static_cast<std::size_t>(at)] = worst;
    }
  });
}

// sum_m weight_m * (plane of the most violated class of example m); for squared slack the plane of 1/2 slack^2.
template <class Block>
Cut class_cut(const typename Block::Data& data, const double* weights, std::span<const std::int32_t> examples,
              const double* sample_weight, bool squared, std::span<double> slack, int threads) {
  const std::int64_t count = static_cast<std::int64_t>(examples.size());
  std::vector<Cut> parts(static_cast<std::size_t>(share_count(count, threads)));
  in_shares(count, threads, [&](int share, std::int64_t begin, std::int64_t end) {
    Cut& part = parts[static_cast<std::size_t>(share)];
    part.a.assign(static_cast<std::size_t>(data.weight_count()), 0.0);
    Block block(data);
    for (std::int64_t at = begin; at < end; ++at) {
      prefetch_example(data, examples, at);
      const std::int64_t i = examples[static_cast<std::size_t>(at)];
      block.open(i, weights);
      const int worst = block.worst();
      const double xi = block.gradient(worst);
      slack[static_cast<std::size_t>(at)] = xi;
      const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (worst == block.zero() || weight == 0.0) continue;
      const CutTerm added = class_term(block, worst, xi, weight, squared);
      part.b += added.b;
      block.add_pair(worst, added.step, part.a.data());
    }
  });
  return add_up(std::move(parts));
}

// Online pass: v += weight * a for the most violated plane of each example in turn, found at w = numerator / t * v with t
// counting on from first + done (the subgradient steps of Pegasos), or at w = v where numerator is zero (perceptron).
// late += k weight * a with k counting on from done + 1. Returns the number of planes added.
template <class Block>
std::int64_t class_accumulate(const typename Block::Data& data, double* v, double* late, std::span<const std::int32_t> examples,
                              const double* sample_weight, bool squared, std::int64_t first, std::int64_t done, double numerator) {
  Block block(data);
  std::int64_t added = 0;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(examples.size()); ++at) {
    prefetch_example(data, examples, at);
    const std::int64_t i = examples[static_cast<std::size_t>(at)];
    // w before step t + 1 is numerator / t times the sum of the first t planes; at t = 0 both are zero.
    const double factor = numerator == 0.0 ? 1.0 : numerator / static_cast<double>(std::max<std::int64_t>(1, first + done + at));
    block.open(i, v, true, factor);
    const int worst = block.rival();
    const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
    const double value = block.gradient(worst);
    if (weight == 0.0 || !block.moves(worst) || (numerator == 0.0 ? value < 0.0 : value <= 0.0)) continue;  // for the perceptron a tie is a mistake
    const double step = class_term(block, worst, value, weight, squared).step;
    block.add_pair(worst, step, v);
    block.add_pair(worst, static_cast<double>(done + at + 1) * step, late);
    ++added;
  }
  return added;
}

}  // namespace maxmargin
