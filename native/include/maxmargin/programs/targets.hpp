// The true outputs of a batch of programs, and what edges cost where they are not of the true output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/programs/program_set.hpp"

namespace maxmargin::programs {

// Edges with whole numbers, `kinds` of them per edge: what they cost, or what they count for. Without a list it is one for every edge
// with features that is not of the true output.
struct EdgeUnits {
  int kinds = 1;
  bool listed = false;
  std::vector<std::int64_t> first;  // (examples + 1)
  std::vector<Edge> place;          // ascending in an example
  std::vector<std::int32_t> units;  // kinds per edge
};

struct ProgramTargets {
  const ProgramSet* set;
  std::vector<std::int64_t> first;  // (examples + 1)
  std::vector<Edge> truths;         // places, ascending in an example; an edge may be there more than once
  EdgeUnits costs;

  std::span<const Edge> truth(std::int64_t i) const {
    return {truths.data() + first[static_cast<std::size_t>(i)], truths.data() + first[static_cast<std::size_t>(i) + 1]};
  }

  // The units of one edge, `kinds` numbers; null where all are zero.
  const std::int32_t* units_of(std::int64_t i, Edge edge) const {
    static constexpr std::int32_t kOne = 1;
    if (!costs.listed) return !set->has_features(i, edge) || std::binary_search(truth(i).begin(), truth(i).end(), edge) ? nullptr : &kOne;
    const auto begin = costs.place.begin() + costs.first[static_cast<std::size_t>(i)];
    const auto end = costs.place.begin() + costs.first[static_cast<std::size_t>(i) + 1];
    const auto found = std::lower_bound(begin, end, edge);
    return found == end || *found != edge ? nullptr : costs.units.data() + (found - costs.place.begin()) * costs.kinds;
  }

  // Adds what the edges of an output cost together, `kinds` numbers.
  void add_totals(std::int64_t i, std::span<const Edge> y, std::int64_t* into) const {
    for (const Edge edge : y) {
      const std::int32_t* units = units_of(i, edge);
      for (int kind = 0; units != nullptr && kind < costs.kinds; ++kind) into[kind] += units[kind];
    }
  }

  // Calls visit(place, units) for the edges of example i that have some; each edge once.
  template <class Visit>
  void visit_units(std::int64_t i, std::vector<std::uint8_t>& room, Visit&& visit) const {
    if (costs.listed) {
      for (std::int64_t k = costs.first[static_cast<std::size_t>(i)]; k < costs.first[static_cast<std::size_t>(i) + 1]; ++k) {
        visit(costs.place[static_cast<std::size_t>(k)], costs.units.data() + k * costs.kinds);
      }
      return;
    }
    static constexpr std::int32_t kOne = 1;
    room.assign(static_cast<std::size_t>(set->topology(i).edges()), 0);
    for (const Edge edge : truth(i)) room[static_cast<std::size_t>(edge)] = 1;
    for (const FeaturePart& part : set->parts) {
      for (std::int64_t k = part.first_entry[static_cast<std::size_t>(i)]; k < part.first_entry[static_cast<std::size_t>(i) + 1]; ++k) {
        const Edge edge = part.place[static_cast<std::size_t>(k)];
        if (!std::exchange(room[static_cast<std::size_t>(edge)], std::uint8_t{1})) visit(edge, &kOne);
      }
    }
  }
};

// truth - y as terms, both sorted: what is in both goes away.
inline std::vector<EdgeTerm> difference(std::span<const Edge> truth, std::span<const Edge> y) {
  std::vector<EdgeTerm> terms;
  auto add = [&](Edge edge, double sign) {
    if (!terms.empty() && terms.back().place == edge) {
      terms.back().coefficient += sign;
    } else {
      terms.push_back({edge, sign});
    }
  };
  std::size_t i = 0, j = 0;
  while (i < truth.size() || j < y.size()) {
    if (j == y.size() || (i < truth.size() && truth[i] < y[j])) {
      add(truth[i++], 1.0);
    } else if (i == truth.size() || y[j] < truth[i]) {
      add(y[j++], -1.0);
    } else {
      ++i, ++j;
    }
  }
  return terms;
}

// The sum of coefficients times features as a row of numbers: (index of a weight, value), ascending, without zeros.
std::vector<std::pair<std::int64_t, double>> feature_row(const ProgramSet& set, std::int64_t i, std::span<const EdgeTerm> terms);
// Its squared length.
double squared_length(const ProgramSet& set, std::int64_t i, const std::vector<EdgeTerm>& terms);

// Of the edges with features in the true outputs, each as often as its example counts: their number, and the sum of the squared lengths of
// their features; and how many columns occur in the features of examples that count.
struct TrueMoments {
  double edges = 0.0, squares = 0.0;
  std::int64_t columns = 0;
};
TrueMoments true_moments(const ProgramTargets& targets, const double* sample_weight);

// What keeps a list of edges from being a derivation of the goal.
struct DerivationFault {
  enum class Kind { none, missing, surplus } kind = Kind::none;
  Cell cell = -1;   // that needs an edge into it and has none, or has an edge too many
  Edge edge = -1;   // a place: the one too many, or one that needs the cell; -1 where the goal does
};
DerivationFault derivation_fault(const Topology& topology, std::span<const Edge> edges);

}  // namespace maxmargin::programs
