// Exact samples of trees, p(tree) = exp(score) / Z, drawn from the top down by the inside sums of a chart: no list of its edges is made.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "maxmargin/grammars/sums.hpp"

namespace maxmargin::grammars {

class TreeSampler {
 public:
  // After `sums.run` on the chart, where it did not list.
  TreeSampler(const Chart& chart, const ChartSums& sums, std::uint64_t seed) : chart_(chart), sums_(sums), random_(seed) {}

  // The rules of one tree, each before those below it, and its score.
  double draw(std::vector<Anchored>& tree);

 private:
  struct Choice {
    double sum;               // of the weights up to this one
    std::int32_t first, split;  // a chain, or -1 for none; a word; or the position of a rule, and where it divides
  };
  void begin() { choices_.clear(), total_ = 0.0; }
  void offer(double weight, std::int32_t first, std::int32_t split = 0) {
    if (weight > 0.0) choices_.push_back({total_ += weight, first, split});
  }
  Choice chosen();

  const Chart& chart_;
  const ChartSums& sums_;
  std::mt19937_64 random_;
  std::vector<Choice> choices_;
  double total_ = 0.0;
};

}  // namespace maxmargin::grammars
