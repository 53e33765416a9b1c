// The most violated output of an example in every formulation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/alignments/grid_program.hpp"
#include "maxmargin/alignments/search.hpp"
#include "maxmargin/alignments/targets.hpp"
#include "maxmargin/programs/best.hpp"
#include "maxmargin/programs/count_prices.hpp"
#include "maxmargin/programs/likely_edges.hpp"

namespace maxmargin::alignments {

struct AlignmentOutput {
  std::int32_t candidate = 0;
  std::vector<Pair> pairs;
};

// What the edges of a grid (alignments/grid_program.hpp) count for, as one number: hits, plus a stride for each pair where pairs are counted.
struct EdgeTotals {
  const Window* windows;
  std::int32_t n;
  programs::Edge end;  // of the edges of places
  std::int64_t stride;

  std::int64_t operator[](programs::Edge edge) const {
    if (edge >= end || edge % GridProgram::kEdges >= GridProgram::kFirst[1]) return 0;
    const std::int32_t place = edge / GridProgram::kEdges, i = place / n;
    return stride + (windows[i].has(place - i * n) ? 1 : 0);
  }
};
EdgeTotals totals_of(const AlignmentProblem& problem, std::int64_t i);

class AlignmentSearcher {  // keeps its memory from one example to the next
 public:
  explicit AlignmentSearcher(const AlignmentProblem& problem) : problem_(problem) {}

  // Finds the most violated output at factor * w and returns true, or false where the truth is the answer.
  bool find(std::int64_t i, const double* weights, double factor, AlignmentOutput& output);

 private:
  // Looks for an alignment of candidate 0 whose plane has a value, b - scale (own - score), of `highest` or more, and the highest of all; false, and
  // `pairs` are as they were, where there is none.
  bool own(std::int64_t i, const GridScores& scores, double own_score, double& highest, std::vector<Pair>& pairs);
  // Losses of hits and pairs: best alignments at prices of both, until one of them is known to be worth most, or few edges of the grid are left
  // that can be in a better one. Among these `by_total` looks for the best alignment at each total. The truth is worth 0.
  bool by_counts(std::int64_t i, const GridScores& scores, double own_score, double& highest, std::vector<Pair>& pairs);
  bool by_total(std::int64_t i, const GridScores& priced, double own_score, programs::CountPrices& prices, std::vector<Pair>& pairs);
  void set_prices(std::int64_t i, const GridScores& scores, const programs::CountPrices& prices);
  bool second(std::int64_t i, const GridScores& scores, double& score, std::vector<Pair>& pairs);
  bool is_truth(std::int64_t i, std::span<const Pair> pairs) const;

  AlignmentProblem problem_;
  ScoreRoom room_, other_room_;  // of candidate 0, and of the others
  GridSearch search_;
  programs::Best<double> values_;
  programs::LikelyEdges<GridProgram> likely_;
  std::vector<double> by_edge_, priced_;
  std::vector<std::int64_t> totals_;
  std::vector<programs::Edge> edges_;
  std::vector<Pair> pairs_, found_;
};

}  // namespace maxmargin::alignments
