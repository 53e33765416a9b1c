// The most violated output of an example in every formulation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/alignments/grid_program.hpp"
#include "maxmargin/alignments/search.hpp"
#include "maxmargin/alignments/targets.hpp"

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
  // Value of a plane, b - scale (own - score), of the best alignment of candidate 0 other than the truth; false where there is none.
  bool own(std::int64_t i, const GridScores& scores, double own_score, double& value, std::vector<Pair>& pairs);
  bool by_total(std::int64_t i, const GridScores& scores, double own_score, double& value, std::vector<Pair>& pairs);
  bool second(std::int64_t i, const GridScores& scores, double& score, std::vector<Pair>& pairs);
  bool is_truth(std::int64_t i, std::span<const Pair> pairs) const;

  AlignmentProblem problem_;
  ScoreRoom room_;
  GridSearch search_;
  std::vector<double> by_edge_;
  std::vector<Pair> pairs_;
};

}  // namespace maxmargin::alignments
