// Planes of programs for the dual engine (engine/plane_block.hpp): psi = Psi(x, truth) - Psi(x, y) has the features of the edges of the
// truth less those of y, so a plane is the list of edges that only one of them has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "maxmargin/engine/plane_block.hpp"
#include "maxmargin/programs/search.hpp"

namespace maxmargin::programs {

struct ProgramPlane {
  std::vector<EdgeTerm> terms;  // by place, ascending; of psi, or of a mean of several scale psi
  double scale = 1.0, b = 0.0;
  bool single = true;  // of one output, not a mean
};

// `y` is sorted.
ProgramPlane make_program_plane(const ProgramProblem& problem, std::int64_t i, std::span<const Edge> y);
// The plane as a row of numbers: (index of a weight, value), ascending.
std::vector<std::pair<std::int64_t, double>> plane_row(const ProgramSet& set, std::int64_t i, const ProgramPlane& plane);
// The edges of the output of a single plane, sorted.
std::vector<Edge> plane_output(const ProgramTargets& targets, std::int64_t i, const ProgramPlane& plane);

// v += c * a
template <class Real>
void add_plane(const ProgramSet& set, std::int64_t i, const ProgramPlane& plane, double c, Real* v) {
  const double step = c * plane.scale;
  set.visit_features(i, plane.terms, [&](std::int64_t at, double x) { v[at] += static_cast<Real>(step * x); });
}

class ProgramPlanes {
 public:
  using Plane = ProgramPlane;
  static constexpr bool kCoarse = true;

  explicit ProgramPlanes(const ProgramProblem& problem) : problem_(problem), searcher_(problem) {}

  std::int64_t weight_count() const { return set().weights; }
  void prefetch(std::int64_t) const {}
  void prefetch_early(std::int64_t) const {}

  // Makes an example current without reading weights.
  void select(std::int64_t i) { current_ = i; }
  template <class Real>
  void open(std::int64_t i, const Real* weights) {
    select(i);
    set().scores(i, weights, 1.0, scores_, room_);
  }

  double value(const Plane& plane) const {
    double sum = 0.0;
    for (const EdgeTerm& term : plane.terms) sum += term.coefficient * scores_[static_cast<std::size_t>(term.place)];
    return plane.b - plane.scale * sum;
  }
  std::optional<Plane> ask(const std::vector<Plane>&) {
    if (!searcher_.find(current_, scores_, found_)) return std::nullopt;
    return make_program_plane(problem_, current_, found_);
  }
  bool same(const Plane& p, const Plane& q) const { return p.b == q.b && p.scale == q.scale && p.terms == q.terms; }
  bool nearly_same(const Plane&, const Plane&, double, double) const { return false; }

  // By adding the plane to a vector of the size of w, which is zero between calls.
  void products(const Plane& plane, const std::vector<Plane>& held, double* out) {
    sum_.resize(static_cast<std::size_t>(weight_count()));
    add_plane(set(), current_, plane, 1.0, sum_.data());
    for (const Plane& other : held) *out++ = dot(other);
    *out = dot(plane);
    set().visit_features(current_, plane.terms, [&](std::int64_t at, double) { sum_[static_cast<std::size_t>(at)] = 0.0; });
  }
  Plane mix(const Plane& p, const Plane& q, double share) const;  // share * p + (1 - share) * q

  void collect(std::int64_t i, const Plane& plane, double c) { collected_.push_back({i, &plane, c}); }
  template <class Real>
  void flush(std::int64_t, Real* weights) {
    for (const Collected& each : collected_) add_plane(set(), each.example, *each.plane, each.c, weights);
    collected_.clear();
  }

 private:
  struct Collected {
    std::int64_t example;
    const Plane* plane;
    double c;
  };

  const ProgramSet& set() const { return *problem_.targets->set; }
  double dot(const Plane& plane) const {
    double sum = 0.0;
    set().visit_features(current_, plane.terms, [&](std::int64_t at, double x) { sum += x * sum_[static_cast<std::size_t>(at)]; });
    return plane.scale * sum;
  }

  ProgramProblem problem_;
  ProgramSearcher searcher_;
  std::int64_t current_ = 0;
  std::vector<double> scores_, room_, sum_;
  std::vector<Edge> found_;
  std::vector<Collected> collected_;
};

}  // namespace maxmargin::programs
