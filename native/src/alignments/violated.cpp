#include "maxmargin/alignments/violated.hpp"

#include <algorithm>
#include <limits>

#include "maxmargin/alignments/grid_program.hpp"
#include "maxmargin/programs/best.hpp"
#include "maxmargin/programs/kbest.hpp"
#include "maxmargin/programs/strata.hpp"

namespace maxmargin::alignments {

EdgeTotals totals_of(const AlignmentProblem& problem, std::int64_t i) {
  const AlignmentSet& set = *problem.targets->set;
  const std::int32_t n = set.length(set.candidates_of(i).front()), m = set.length(set.x[static_cast<std::size_t>(i)]);
  const std::int64_t stride = problem.loss->counts_pairs ? problem.loss->stride[static_cast<std::size_t>(i)] : 0;
  return {problem.targets->windows_of(i), n, GridProgram::kEdges * m * n, stride};
}

bool AlignmentSearcher::find(std::int64_t i, const double* weights, double factor, AlignmentOutput& output) {
  const AlignmentSet& set = *problem_.targets->set;
  const AlignmentLoss& loss = *problem_.loss;
  const std::span<const std::int32_t> candidates = set.candidates_of(i);
  const std::int32_t x = set.x[static_cast<std::size_t>(i)];
  GridScores scores = set.scores(x, candidates.front(), weights, factor, room_, loss.goal == AlignmentGoal::augmented);
  const double own_score = score_of(scores, set.shape, problem_.targets->truth(i));
  double highest = -std::numeric_limits<double>::infinity();
  bool found = false;
  if (!loss.candidates_only || loss.goal == AlignmentGoal::prediction) {
    double value = 0.0;
    found = own(i, scores, own_score, value, output.pairs);
    if (found) highest = value, output.candidate = 0;
  }
  for (std::size_t k = 1; k < candidates.size(); ++k) {
    scores = set.scores(x, candidates[k], weights, factor, room_, false);
    const double value = loss.other.b - loss.other.scale * (own_score - search_.best(scores, set.shape, pairs_));
    if (found && value <= highest) continue;
    found = true;
    highest = value;
    output.candidate = static_cast<std::int32_t>(k);
    output.pairs.swap(pairs_);
  }
  return found && (output.candidate != 0 || !(loss.candidates_only || is_truth(i, output.pairs)));
}

bool AlignmentSearcher::own(std::int64_t i, const GridScores& scores, double own_score, double& value, std::vector<Pair>& pairs) {
  const AlignmentSet& set = *problem_.targets->set;
  const AlignmentLoss& loss = *problem_.loss;
  switch (loss.goal) {
    case AlignmentGoal::totals: return by_total(i, scores, own_score, value, pairs);
    case AlignmentGoal::second:
      if (!second(i, scores, value, pairs)) return false;
      value = loss.other.b - loss.other.scale * (own_score - value);
      return true;
    case AlignmentGoal::prediction: value = loss.other.b - (own_score - search_.best(scores, set.shape, pairs)); return true;
    case AlignmentGoal::augmented: break;
  }
  const double unit = loss.unit[static_cast<std::size_t>(i)];
  const Window* windows = problem_.targets->windows_of(i);
  for (std::int32_t a = 0; a < scores.m; ++a) {  // scores.match is room_.match
    for (std::int32_t b = windows[a].begin; b < windows[a].end; ++b) room_.match[static_cast<std::size_t>(a) * static_cast<std::size_t>(scores.n) + static_cast<std::size_t>(b)] -= unit;
  }
  value = 1.0 + search_.best(scores, set.shape, pairs) - own_score;
  return true;
}

// The best alignment other than the truth: the best one, or else the second of the k best.
bool AlignmentSearcher::second(std::int64_t i, const GridScores& scores, double& score, std::vector<Pair>& pairs) {
  const GridShape& shape = problem_.targets->set->shape;
  score = search_.best(scores, shape, pairs);
  if (!is_truth(i, pairs)) return true;
  GridProgram program(scores.m, scores.n);
  program.edge_scores(scores, shape, by_edge_);
  programs::Best<double> values;
  values.run(program, by_edge_.data());
  programs::KBest<GridProgram, double, programs::EdgeScores<double>> list;
  list.start(program, {by_edge_.data()}, values.values());
  std::vector<programs::Edge> edges;
  for (std::int32_t rank = 0; list.find(rank); ++rank) {
    list.derivation(rank, edges);
    program.pairs_of(edges, pairs);
    score = list.value(rank);
    if (!is_truth(i, pairs)) return true;
  }
  return false;
}

bool AlignmentSearcher::by_total(std::int64_t i, const GridScores& scores, double own_score, double& value, std::vector<Pair>& pairs) {
  const GridShape& shape = problem_.targets->set->shape;
  GridProgram program(scores.m, scores.n);
  program.edge_scores(scores, shape, by_edge_);
  const EdgeTotals totals = totals_of(problem_, i);
  programs::Strata<GridProgram, double, const double*, EdgeTotals> strata(program, by_edge_.data(), totals);
  MostViolated chosen{-std::numeric_limits<double>::infinity(), -1};
  const std::span<const double> values = strata.values();
  for (std::size_t total = 0; total < values.size(); ++total) {
    const auto number = static_cast<std::int64_t>(total);
    chosen.offer(number, problem_.at_total(i, number), own_score, values[total]);
  }
  if (chosen.stratum < 0) return false;
  std::vector<programs::Edge> edges;
  strata.derivation(chosen.stratum, edges);
  program.pairs_of(edges, pairs);
  value = chosen.highest;
  return true;
}

bool AlignmentSearcher::is_truth(std::int64_t i, std::span<const Pair> pairs) const {
  const std::span<const Pair> truth = problem_.targets->truth(i);
  return std::ranges::equal(pairs, truth);
}

}  // namespace maxmargin::alignments
