// Planes of alignments for the dual engine (engine/plane_block.hpp): rows of numbers, because a model has few weights beside the cells of a
// grid, with the output that they came from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/alignments/violated.hpp"
#include "maxmargin/engine/stored_planes.hpp"

namespace maxmargin::alignments {

struct AlignmentPlane {
  StoredPlane row;
  double b = 0.0;
  std::vector<std::int32_t> output;  // empty for a mean of several
};

// An output as numbers: candidate, number of pairs, pairs.
std::vector<std::int32_t> written(const AlignmentOutput& output);
AlignmentOutput read_output(const std::int32_t* numbers);

// Makes planes of outputs; keeps a vector of the length of w, which is zero between calls.
class PlaneMaker {
 public:
  explicit PlaneMaker(const AlignmentProblem& problem) : problem_(problem), sum_(static_cast<std::size_t>(problem.targets->set->weights)) {}
  AlignmentPlane make(std::int64_t i, const AlignmentOutput& output);

 private:
  AlignmentProblem problem_;
  std::vector<double> sum_;
  std::vector<std::int32_t> touched_;
};

class AlignmentPlanes {
 public:
  using Plane = AlignmentPlane;
  static constexpr bool kCoarse = false;

  explicit AlignmentPlanes(const AlignmentProblem& problem)
      : problem_(problem), searcher_(problem), maker_(problem), rows_(problem.targets->set->weights) {}

  std::int64_t weight_count() const { return problem_.targets->set->weights; }
  void prefetch(std::int64_t) const {}
  void prefetch_early(std::int64_t) const {}

  void select(std::int64_t i) { current_ = i; }
  void open(std::int64_t i, const double* weights) {
    select(i);
    weights_ = weights;
  }
  double value(const Plane& plane) const { return plane.b - plane.row.dot(weights_); }
  std::optional<Plane> ask(const std::vector<Plane>&) {
    if (!searcher_.find(current_, weights_, 1.0, found_)) return std::nullopt;
    return maker_.make(current_, found_);
  }
  bool same(const Plane& p, const Plane& q) const { return !p.output.empty() && p.output == q.output; }
  bool nearly_same(const Plane& p, const Plane& q, double squares, double product) const {
    return rows_.nearly_same(p.row, q.row, squares, product);
  }
  void products(const Plane& plane, const std::vector<Plane>& others, double* out) const {
    for (const Plane& other : others) *out++ = plane.row.dot(other.row);
    *out = plane.row.dot(plane.row);
  }
  Plane mix(const Plane& p, const Plane& q, double share) {
    Plane mixed{rows_.mix(p.row, q.row, share), 0.0, {}};
    mixed.b = mixed.row.b;
    return mixed;
  }
  void collect(std::int64_t i, const Plane& plane, double c) { rows_.collect(i, plane.row, c); }
  void flush(std::int64_t i, double* weights) { rows_.flush(i, weights); }

 private:
  AlignmentProblem problem_;
  AlignmentSearcher searcher_;
  PlaneMaker maker_;
  StoredPlanes rows_;
  std::int64_t current_ = 0;
  const double* weights_ = nullptr;
  AlignmentOutput found_;
};

}  // namespace maxmargin::alignments
