// The most violated tree of a sentence in every formulation.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "maxmargin/grammars/chart.hpp"
#include "maxmargin/grammars/forest.hpp"
#include "maxmargin/grammars/targets.hpp"
#include "maxmargin/programs/count_prices.hpp"
#include "maxmargin/programs/kbest.hpp"

namespace maxmargin::grammars {

// Hits and guesses of the edges of a chart, so that they add up to those of a tree. A bracket that a chain makes below or above an equal one is a
// hit only if the truth has it so often: that is known at the chain, whose bottom says what the rule below it makes.
class EdgeBrackets {
 public:
  void start(const Rules& rules, std::span<const Bracket> gold) { rules_ = &rules, gold_ = gold; }
  bool has_gold(std::int64_t span) const { return !at_span(span).empty(); }
  BracketCounts of_symbol(Symbol parent, std::int64_t span) const;
  BracketCounts of_chain(const Chain& chain, std::int64_t span, bool one_word);

 private:
  std::span<const Bracket> at_span(std::int64_t span) const;
  const Rules* rules_ = nullptr;
  std::span<const Bracket> gold_;
  std::vector<std::int32_t> left_;
};

class TreeSearcher {  // keeps its memory from one sentence to the next
 public:
  explicit TreeSearcher(const TreeProblem& problem, double beam = Chart::kNoBeam) : problem_(problem), beam_(beam) {}

  // Fills `tree`, sorted, with the most violated tree at factor * w and returns true, or false where the truth is the answer.
  bool find(std::int64_t i, const double* weights, double factor, std::vector<Anchored>& tree);
  std::int64_t missed() const { return missed_; }  // searches in which a beam left something out, or which needed too much memory

 private:
  double fill(std::int64_t i, const SentenceScores& scores);
  void add_worth(std::int64_t i, double guess, double hit, SentenceScores& scores);  // of every bracket, and of those that are true
  bool second(std::int64_t i, std::vector<Anchored>& tree);
  double score(std::int64_t i, std::span<const Anchored> tree, const double* weights, double factor) const;
  // Losses of hits and guesses: best trees at prices of both, until one of them is known to be violated most, or few edges are left that can be
  // in a better one. Among these `by_total` looks for the best tree at each pair of counts.
  bool by_counts(std::int64_t i, const double* weights, double factor, SentenceScores& scores, std::vector<Anchored>& tree);
  bool by_total(std::int64_t i, double own, const programs::CountPrices& prices, std::vector<Anchored>& tree);
  void list_totals(std::int64_t i, const ChartProgram& program, double least);

  TreeProblem problem_;
  double beam_;
  SentenceScorer scorer_;
  Chart chart_;
  EdgeBrackets brackets_;
  Forest forest_;
  programs::KBest<ChartProgram, double, ChartScores> list_;
  std::vector<double> symbol_extra_, chain_extra_;
  std::vector<std::int64_t> totals_;
  std::vector<Edge> edges_;
  std::vector<Anchored> candidate_;
  std::vector<Bracket> room_;
  std::int64_t missed_ = 0;
};

}  // namespace maxmargin::grammars
