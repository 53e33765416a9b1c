// The most violated output of one example after the other, for engine/questions.hpp. An output is the number of its candidate, the number
// of its pairs, and the pairs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/alignments/planes.hpp"
#include "maxmargin/engine/questions.hpp"

namespace maxmargin::alignments {

class AlignmentAsker {
 public:
  using Output = std::int32_t;
  static constexpr int kAhead = 0;
  static constexpr bool kCollects = false;

  explicit AlignmentAsker(const AlignmentProblem& problem) : problem_(problem), searcher_(problem), maker_(problem) {}

  std::int64_t weight_count() const { return problem_.targets->set->weights; }
  void prefetch(std::int64_t) const {}

  void at(const double* weights, double factor) { weights_ = weights, factor_ = factor; }
  bool ask(std::int64_t i) {
    if (!searcher_.find(i, weights_, factor_, found_)) return false;
    plane_ = maker_.make(i, found_);
    b = plane_.row.b;
    slack = b - factor_ * plane_.row.dot(weights_);
    return true;
  }
  bool ask_first(std::int64_t i) { return ask(i); }

  std::span<const std::int32_t> found() const { return plane_.output; }
  std::span<const std::int32_t> truth(std::int64_t i) const {
    truth_ = written({0, {problem_.targets->truth(i).begin(), problem_.targets->truth(i).end()}});
    return truth_;
  }
  void add(std::int64_t, const std::int32_t*, double c, double* v) { plane_.row.add_to(v, c); }
  std::int64_t missed() const { return 0; }

  double slack = 0.0, b = 0.0;
  static constexpr double scale = 1.0;  // planes are added with their scale

 private:
  AlignmentProblem problem_;
  AlignmentSearcher searcher_;
  PlaneMaker maker_;
  const double* weights_ = nullptr;
  double factor_ = 1.0;
  AlignmentOutput found_;
  AlignmentPlane plane_;
  mutable std::vector<std::int32_t> truth_;
};

}  // namespace maxmargin::alignments
