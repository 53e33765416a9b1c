#include "maxmargin/programs/targets.hpp"

namespace maxmargin::programs {

std::vector<std::pair<std::int64_t, double>> feature_row(const ProgramSet& set, std::int64_t i, std::span<const EdgeTerm> terms) {
  std::vector<std::pair<std::int64_t, double>> cells;
  set.visit_features(i, terms, [&](std::int64_t at, double x) { cells.emplace_back(at, x); });
  std::sort(cells.begin(), cells.end());
  std::size_t kept = 0;
  for (std::size_t k = 0; k < cells.size();) {
    std::pair<std::int64_t, double> sum = cells[k];
    for (++k; k < cells.size() && cells[k].first == sum.first; ++k) sum.second += cells[k].second;
    if (sum.second != 0.0) cells[kept++] = sum;
  }
  cells.resize(kept);
  return cells;
}

double squared_length(const ProgramSet& set, std::int64_t i, const std::vector<EdgeTerm>& terms) {
  double sum = 0.0;
  for (const auto& [at, x] : feature_row(set, i, terms)) sum += x * x;
  return sum;
}

TrueMoments true_moments(const ProgramTargets& targets, const double* sample_weight) {
  const ProgramSet& set = *targets.set;
  TrueMoments found;
  for (std::int64_t i = 0; i < set.n(); ++i) {
    const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
    for (const EdgeTerm& term : difference(targets.truth(i), {})) {
      if (!set.has_features(i, term.place)) continue;
      found.edges += weight * term.coefficient;
      found.squares += weight * term.coefficient * squared_length(set, i, {{term.place, 1.0}});
    }
  }
  for (const FeaturePart& part : set.parts) {
    std::vector<bool> seen(static_cast<std::size_t>(part.columns));
    for (std::int64_t i = 0; i < set.n(); ++i) {
      if (sample_weight != nullptr && sample_weight[i] == 0.0) continue;
      const std::int64_t first = part.first_row[static_cast<std::size_t>(i)], last = part.first_row[static_cast<std::size_t>(i) + 1];
      for (std::int64_t at = part.starts[first]; at < part.starts[last]; ++at) seen[static_cast<std::size_t>(part.indices[at])] = true;
    }
    found.columns += std::count(seen.begin(), seen.end(), true);
  }
  return found;
}

// From the goal down, every cell is needed as often as edges of the list have it as tail, and must be the head of as many.
DerivationFault derivation_fault(const Topology& topology, std::span<const Edge> edges) {
  std::vector<Edge> left(edges.begin(), edges.end());
  std::sort(left.begin(), left.end());  // by place, hence by head
  std::vector<std::pair<Cell, Edge>> needed{{topology.goal(), -1}};  // a heap: the last cell first, with an edge that needs it
  while (!needed.empty()) {
    std::pop_heap(needed.begin(), needed.end());
    const auto [cell, by] = needed.back();
    needed.pop_back();
    if (left.empty() || topology.head(left.back()) < cell) return {DerivationFault::Kind::missing, cell, by};
    const Edge edge = left.back();
    if (topology.head(edge) > cell) return {DerivationFault::Kind::surplus, topology.head(edge), edge};
    left.pop_back();
    const Tails from = topology.with_edges([&, cell = cell](const auto& view) { return view.tails(cell, edge); });
    for (const Cell tail : {from.first, from.second}) {
      if (tail == kNoTail) continue;
      needed.emplace_back(tail, edge);
      std::push_heap(needed.begin(), needed.end());
    }
  }
  if (!left.empty()) return {DerivationFault::Kind::surplus, topology.head(left.back()), left.back()};
  return {};
}

}  // namespace maxmargin::programs
