// The most violated output of one program after the other, for engine/questions.hpp. An output is the number of its edges, followed by
// their places in ascending order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/engine/questions.hpp"
#include "maxmargin/programs/planes.hpp"

namespace maxmargin::programs {

class ProgramAsker {
 public:
  using Output = std::int32_t;
  static constexpr int kAhead = 0;
  static constexpr bool kCollects = true;

  explicit ProgramAsker(const ProgramProblem& problem) : problem_(problem), searcher_(problem) {}

  std::int64_t weight_count() const { return problem_.targets->set->weights; }
  void prefetch(std::int64_t) const {}

  void at(const double* weights, double factor) { weights_ = weights, factor_ = factor; }
  bool ask(std::int64_t i) {
    problem_.targets->set->scores(i, weights_, factor_, scores_, room_);
    if (!searcher_.find(i, scores_, edges_)) return false;
    const Rescaled plane = problem_.rescaled(i, edges_);
    b = plane.b;
    slack = plane.b - plane.scale * (sum_of(problem_.targets->truth(i)) - sum_of(edges_));
    found_.assign(1, static_cast<std::int32_t>(edges_.size()));
    found_.insert(found_.end(), edges_.begin(), edges_.end());
    return true;
  }
  bool ask_first(std::int64_t i) { return ask(i); }

  std::span<const std::int32_t> found() const { return found_; }
  std::span<const std::int32_t> truth(std::int64_t i) const {
    const std::span<const Edge> own = problem_.targets->truth(i);
    truth_.assign(1, static_cast<std::int32_t>(own.size()));
    truth_.insert(truth_.end(), own.begin(), own.end());
    return truth_;
  }
  void add(std::int64_t i, const std::int32_t* y, double c, double* v) {
    add_plane(*problem_.targets->set, i, make_program_plane(problem_, i, {y + 1, y + 1 + y[0]}), c, v);
  }
  std::int64_t missed() const { return 0; }

  double slack = 0.0, b = 0.0;
  static constexpr double scale = 1.0;  // planes are added with their scale

 private:
  double sum_of(std::span<const Edge> edges) const {
    double sum = 0.0;
    for (const Edge edge : edges) sum += scores_[static_cast<std::size_t>(edge)];
    return sum;
  }

  ProgramProblem problem_;
  ProgramSearcher searcher_;
  const double* weights_ = nullptr;
  double factor_ = 1.0;
  std::vector<double> scores_, room_;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> found_;
  mutable std::vector<std::int32_t> truth_;
};

}  // namespace maxmargin::programs
