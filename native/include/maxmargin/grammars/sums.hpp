// Sums over all trees of a sentence, p(tree) = exp(score) / Z, by the kernels of charts: inside and outside.
//
// Values are numbers here, not logarithms: sums of products of factors exp(score), each word divided by the geometric mean share that it has
// in the best tree, so that the value of a span does not grow with its length. Numbers that become too small are zero. What that
// takes from Z is at most the smallest number times what lies outside of a span, which the pass downwards finds for zeros, too;
// if that is not negligible, or a number becomes too large, the sums are taken in logarithms over a list of all edges instead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/grammars/chart.hpp"
#include "maxmargin/grammars/forest.hpp"
#include "maxmargin/grammars/sentences.hpp"
#include "maxmargin/programs/sums.hpp"

namespace maxmargin::grammars {

class ChartSums {  // keeps its memory from one sentence to the next
 public:
  // log Z, after a best tree was found without a beam. Fills the expected counts of the rules at their places, and where `brackets` is not null
  // how likely brackets are, (spans, columns): in the column of the m-th bracket with a label, that of m or more.
  double run(const Chart& chart, const Sentences& sentences, std::int64_t i, double* brackets);
  const SentenceScorer::Counts& counts() const { return counts_; }
  // Unless listed: the sum of what a binary rule or a word makes of a symbol over a span, 0 where it has none, and sums with chains in the places
  // of the rows of the chart.
  double low(const Chart& chart, std::int64_t span, Symbol symbol) const {
    const std::span<const Symbol> own = chart.symbols_at(span);
    const auto at = std::ranges::find(own, symbol);
    return at == own.end() ? 0.0 : low_[static_cast<std::size_t>(chart.first_symbol(span) + (at - own.begin()))];
  }
  double inside_left(std::size_t place) const { return inside_left_[place]; }
  double inside_right(std::size_t place) const { return inside_right_[place]; }
  bool listed() const { return listed_; }  // whether the numbers were too large or too small

 private:
  bool take_exponentials(const Chart& chart);  // false where one is too large
  template <class Visit>
  void over_chains(const Chart& chart, std::int32_t i, std::int32_t j, Visit&& visit);
  double go_up(const Chart& chart);
  bool go_down(const Chart& chart, double goal, double* brackets);
  void share(const Chart& chart, std::int32_t i, std::int32_t j);  // of a span with its parts
  double list(const Chart& chart, const Sentences& sentences, double* brackets);
  void count_at_span(Rule rule, std::int32_t i, std::int32_t j, double count);
  void spread_counts(const Chart& chart);

  SentenceScores factors_;
  std::vector<double> rule_, position_;
  std::vector<std::vector<double>> tables_, split_counts_;
  std::vector<double> low_;                                    // by symbol of each span, as the chart has them
  std::vector<double> row_, high_, outside_high_, outside_low_;  // of the span at hand, by symbol
  std::vector<Symbol> found_;                                    // that rules make over it
  std::vector<double> position_counts_, chain_factors_;          // factors where they do not depend on the span
  double per_word_ = 0.0;
  Weights inside_left_, inside_right_, outside_left_, outside_right_;  // in the places of the rows of the chart
  PairLists pairs_;
  SentenceScorer::Counts counts_;
  bool listed_ = false;
  Forest forest_;
  programs::Sums sums_;
  std::vector<double> used_;
  std::vector<Anchored> rules_;
};

}  // namespace maxmargin::grammars
