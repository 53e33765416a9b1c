// A bound batch of programs: their topologies and the features of their edges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/programs/features.hpp"
#include "maxmargin/programs/topology.hpp"

namespace maxmargin::programs {

struct ProgramSet {
  std::vector<const Topology*> topologies;
  std::vector<FeaturePart> parts;
  std::int64_t weights = 0;

  std::int64_t n() const { return std::ssize(topologies); }
  const Topology& topology(std::int64_t i) const { return *topologies[static_cast<std::size_t>(i)]; }

  // Scores of all edges of example i, by place, at factor * w.
  template <class Real>
  void scores(std::int64_t i, const Real* w, double factor, std::vector<double>& out, std::vector<double>& room) const {
    out.assign(static_cast<std::size_t>(topology(i).edges()), 0.0);
    for (const FeaturePart& part : parts) part.add_scores(i, w, factor, out.data(), room);
  }

  // Calls visit(index of a weight, value) for the features of a list of edges times their coefficients.
  template <class Visit>
  void visit_features(std::int64_t i, std::span<const EdgeTerm> terms, Visit&& visit) const {
    for (const FeaturePart& part : parts) {
      for (const EdgeTerm& term : terms) {
        part.visit_features(i, term.place, [&](std::int64_t at, double x) { visit(at, term.coefficient * x); });
      }
    }
  }

  // v += c * sum over all edges of coefficient[place] * features.
  void add_all(std::int64_t i, const double* coefficient, double c, double* v, std::vector<double>& room) const {
    for (const FeaturePart& part : parts) part.add_all(i, coefficient, c, v, room);
  }

  bool has_features(std::int64_t i, Edge edge) const {
    return std::any_of(parts.begin(), parts.end(), [&](const FeaturePart& part) { return part.has_features(i, edge); });
  }
};

}  // namespace maxmargin::programs
