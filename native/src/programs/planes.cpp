#include "maxmargin/programs/planes.hpp"

#include <cmath>

namespace maxmargin::programs {

ProgramPlane make_program_plane(const ProgramProblem& problem, std::int64_t i, std::span<const Edge> y) {
  const Rescaled plane = problem.rescaled(i, y);
  return {difference(problem.targets->truth(i), y), plane.scale, plane.b, true};
}

std::vector<std::pair<std::int64_t, double>> plane_row(const ProgramSet& set, std::int64_t i, const ProgramPlane& plane) {
  std::vector<std::pair<std::int64_t, double>> cells = feature_row(set, i, plane.terms);
  for (auto& [at, x] : cells) x *= plane.scale;
  return cells;
}

std::vector<Edge> plane_output(const ProgramTargets& targets, std::int64_t i, const ProgramPlane& plane) {
  const std::span<const Edge> truth = targets.truth(i);
  std::vector<Edge> y(truth.begin(), truth.end());
  for (const EdgeTerm& term : plane.terms) {
    const auto count = static_cast<std::size_t>(std::abs(term.coefficient));
    const auto at = std::lower_bound(y.begin(), y.end(), term.place);
    if (term.coefficient > 0.0) {
      y.erase(at, at + static_cast<std::ptrdiff_t>(count));
    } else {
      y.insert(at, count, term.place);
    }
  }
  return y;
}

ProgramPlane ProgramPlanes::mix(const Plane& p, const Plane& q, double share) const {
  Plane result;
  result.b = share * p.b + (1.0 - share) * q.b;
  result.single = false;
  const double of_p = share * p.scale, of_q = (1.0 - share) * q.scale;
  auto i = p.terms.begin(), j = q.terms.begin();
  while (i != p.terms.end() || j != q.terms.end()) {
    const bool take_p = j == q.terms.end() || (i != p.terms.end() && i->place <= j->place);
    const bool take_q = i == p.terms.end() || (j != q.terms.end() && j->place <= i->place);
    EdgeTerm term{take_p ? i->place : j->place, 0.0};
    if (take_p) term.coefficient += of_p * (i++)->coefficient;
    if (take_q) term.coefficient += of_q * (j++)->coefficient;
    result.terms.push_back(term);
  }
  return result;
}

}  // namespace maxmargin::programs
