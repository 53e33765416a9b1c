#include "maxmargin/alignments/violated.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/alignments/grid_program.hpp"
#include "maxmargin/programs/best.hpp"
#include "maxmargin/programs/count_prices.hpp"
#include "maxmargin/programs/kbest.hpp"
#include "maxmargin/programs/strata.hpp"

namespace maxmargin::alignments {
namespace {

constexpr int kPrices = 6;           // searches before edges are listed that can be in a better alignment
constexpr double kRounding = 1e-12;  // of a sum of scores

}  // namespace

EdgeTotals totals_of(const AlignmentProblem& problem, std::int64_t i) {
  const AlignmentSet& set = *problem.targets->set;
  const std::int32_t n = set.length(set.candidates_of(i).front()), m = set.length(set.x[static_cast<std::size_t>(i)]);
  return {problem.targets->windows_of(i), n, GridProgram::kEdges * m * n, problem.stride(i)};
}

bool AlignmentSearcher::find(std::int64_t i, const double* weights, double factor, AlignmentOutput& output) {
  const AlignmentSet& set = *problem_.targets->set;
  const AlignmentLoss& loss = *problem_.loss;
  const std::span<const std::int32_t> candidates = set.candidates_of(i);
  const std::int32_t x = set.x[static_cast<std::size_t>(i)];
  const GridScores scores = set.scores(x, candidates.front(), weights, factor, room_, loss.goal == AlignmentGoal::augmented);
  const double own_score = score_of(scores, set.shape, problem_.targets->truth(i));
  // Decoys first: what they are worth need not be searched for among the alignments of the homolog.
  double highest = -std::numeric_limits<double>::infinity();
  bool found = false;
  for (std::size_t k = 1; k < candidates.size(); ++k) {
    const GridScores other = set.scores(x, candidates[k], weights, factor, other_room_, false);
    const double value = loss.other.b - loss.other.scale * (own_score - search_.best(other, set.shape, pairs_));
    if (found && value <= highest) continue;
    found = true;
    highest = value;
    output.candidate = static_cast<std::int32_t>(k);
    output.pairs.swap(pairs_);
  }
  if ((!loss.candidates_only || loss.goal == AlignmentGoal::prediction) && own(i, scores, own_score, highest, output.pairs)) {
    found = true;
    output.candidate = 0;
  }
  return found && (output.candidate != 0 || !(loss.candidates_only || is_truth(i, output.pairs)));
}

bool AlignmentSearcher::own(std::int64_t i, const GridScores& scores, double own_score, double& highest, std::vector<Pair>& pairs) {
  const GridShape& shape = problem_.targets->set->shape;
  const AlignmentLoss& loss = *problem_.loss;
  double value = 0.0;
  switch (loss.goal) {
    case AlignmentGoal::totals: return by_counts(i, scores, own_score, highest, pairs);
    case AlignmentGoal::second:
      if (!second(i, scores, value, found_)) return false;
      value = loss.other.b - loss.other.scale * (own_score - value);
      break;
    case AlignmentGoal::prediction: value = loss.other.b - (own_score - search_.best(scores, shape, found_)); break;
    case AlignmentGoal::augmented: {
      const double unit = loss.unit[static_cast<std::size_t>(i)];
      const Window* windows = problem_.targets->windows_of(i);
      for (std::int32_t a = 0; a < scores.m; ++a) {  // scores.match is room_.match
        for (std::int32_t b = windows[a].begin; b < windows[a].end; ++b) room_.match[static_cast<std::size_t>(a) * static_cast<std::size_t>(scores.n) + static_cast<std::size_t>(b)] -= unit;
      }
      value = 1.0 + search_.best(scores, shape, found_) - own_score;
    }
  }
  if (value < highest) return false;
  highest = value;
  pairs.swap(found_);
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

void AlignmentSearcher::set_prices(std::int64_t i, const GridScores& scores, const programs::CountPrices& prices) {
  const Window* windows = problem_.targets->windows_of(i);
  const auto wide = static_cast<std::size_t>(scores.n);
  priced_.resize(static_cast<std::size_t>(scores.m) * wide);
  for (std::int32_t a = 0; a < scores.m; ++a) {
    const double* from = scores.match_row(a);
    double* into = priced_.data() + static_cast<std::size_t>(a) * wide;
    for (std::size_t b = 0; b < wide; ++b) into[b] = from[b] + prices.guess();
    for (std::int32_t b = windows[a].begin; b < windows[a].end; ++b) into[b] += prices.hit();
  }
}

bool AlignmentSearcher::by_counts(std::int64_t i, const GridScores& scores, double own_score, double& highest, std::vector<Pair>& pairs) {
  const AlignmentLoss& loss = *problem_.loss;
  const GridShape& shape = problem_.targets->set->shape;
  programs::CountPrices prices(problem_.counts(i), own_score), closest = prices;
  prices.raise(highest);
  GridScores priced = scores;
  priced.row = nullptr;
  bool found = false;
  double least_excess = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kPrices; ++step) {
    set_prices(i, scores, prices);
    priced.match = priced_.data();
    const double best = search_.best(priced, shape, pairs_);
    const programs::Counts counts{problem_.targets->hits(i, pairs_), loss.counts_pairs ? std::ssize(pairs_) : 0};
    if (prices.raise(prices.worth(score_of(scores, shape, pairs_), counts))) pairs = pairs_, found = true;
    const double excess = best - prices.enough();
    if (excess <= kRounding * (1.0 + std::abs(best))) {
      highest = prices.least();
      return found;
    }
    if (excess < least_excess) least_excess = excess, closest = prices;
    prices.move(counts, excess);
  }
  closest.raise(prices.least());
  set_prices(i, scores, closest);
  found = by_total(i, priced, own_score, closest, pairs) || found;
  highest = closest.least();
  return found;
}

bool AlignmentSearcher::by_total(std::int64_t i, const GridScores& priced, double own_score, programs::CountPrices& prices, std::vector<Pair>& pairs) {
  const GridShape& shape = problem_.targets->set->shape;
  GridProgram program(priced.m, priced.n);
  program.edge_scores(priced, shape, by_edge_);
  const double best = values_.run(program, by_edge_.data());
  const auto extend = [&](programs::Cell, programs::Edge edge, double first, double) { return by_edge_[static_cast<std::size_t>(edge)] + first; };
  const double least = std::min(best, prices.enough() - kRounding * (1.0 + std::abs(best)));
  likely_.list(program, values_.values(), extend, least);
  const EdgeTotals totals = totals_of(problem_, i);
  totals_.resize(static_cast<std::size_t>(likely_.size()));
  for (programs::Edge edge = 0; edge < likely_.size(); ++edge) totals_[static_cast<std::size_t>(edge)] = totals[likely_.number(edge)];
  const programs::Edges<1> edges = likely_.edges();
  programs::Strata<programs::Edges<1>, double, const double*, const std::int64_t*> strata(edges, likely_.scores().data(), totals_.data());
  MostViolated chosen{prices.least(), -1};
  const std::span<const double> values = strata.values();
  for (std::int64_t total = 0; total < std::ssize(values); ++total) {
    const programs::Counts counts = problem_.counts_at(i, total);
    chosen.offer(total, problem_.at_total(i, total), own_score, values[static_cast<std::size_t>(total)] - prices.of(counts));
  }
  if (chosen.stratum < 0) return false;
  strata.derivation(chosen.stratum, edges_);
  for (programs::Edge& edge : edges_) edge = likely_.number(edge);
  program.pairs_of(edges_, pairs);
  prices.raise(chosen.highest);
  return true;
}

bool AlignmentSearcher::is_truth(std::int64_t i, std::span<const Pair> pairs) const {
  const std::span<const Pair> truth = problem_.targets->truth(i);
  return std::ranges::equal(pairs, truth);
}

}  // namespace maxmargin::alignments
