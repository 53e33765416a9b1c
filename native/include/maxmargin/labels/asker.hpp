// The most violated label vector of one example after the other, for engine/questions.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/engine/questions.hpp"
#include "maxmargin/labels/planes.hpp"

namespace maxmargin {

class LabelAsker {
 public:
  using Output = std::uint8_t;
  static constexpr int kAhead = 0;
  static constexpr bool kCollects = false;

  // Searches may try harder in a pass over many examples.
  LabelAsker(const LabelProblem& problem, std::int64_t examples)
      : problem_(problem),
        scorer_(*problem.data),
        searcher_(problem.patient_searcher(examples)),
        planes_(problem),
        found_(static_cast<std::size_t>(problem.data->shape.labels)) {}

  std::int64_t weight_count() const { return planes_.weight_count(); }
  void prefetch(std::int64_t i) const { planes_.prefetch(i); }

  void at(const double* weights, double factor) { weights_ = weights, factor_ = factor; }
  bool ask(std::int64_t i) {
    const LabelScores scores = scorer_.open(i, weights_, factor_);
    const std::uint8_t* truth = problem_.data->truth(i);
    if (!searcher_.find(scores, truth, found_.data())) return false;
    const Rescaled plane = rescaled(*problem_.loss, truth, found_.data(), problem_.data->shape.labels);
    b = plane.b;
    slack = plane.b - plane.scale * (scores(truth) - scores(found_.data()));
    return true;
  }
  bool ask_first(std::int64_t i) { return ask(i); }

  std::span<const std::uint8_t> found() const { return found_; }
  std::span<const std::uint8_t> truth(std::int64_t i) const { return {problem_.data->truth(i), found_.size()}; }
  void add(std::int64_t i, const std::uint8_t* y, double c, double* v) {
    planes_.collect(i, make_label_plane(*problem_.data, *problem_.loss, i, y), c);
    planes_.flush(i, v);
  }
  std::int64_t missed() const { return searcher_.missed(); }

  double slack = 0.0, b = 0.0;
  static constexpr double scale = 1.0;  // planes are added with their scale

 private:
  LabelProblem problem_;
  LabelScorer scorer_;
  LabelSearcher searcher_;
  LabelPlanes planes_;
  const double* weights_ = nullptr;
  double factor_ = 1.0;
  std::vector<std::uint8_t> found_;
};

}  // namespace maxmargin
