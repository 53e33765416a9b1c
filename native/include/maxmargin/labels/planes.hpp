// Planes of label vectors for the dual engine (engine/plane_block.hpp): psi = Psi(x, truth) - Psi(x, y) has t_k - y_k times x in the columns
// of label k and eta (t_j t_k - y_j y_k) at a pair, so a plane is the short list of those that are not zero.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "maxmargin/engine/plane_block.hpp"
#include "maxmargin/labels/search.hpp"
#include "maxmargin/labels/labels.hpp"

namespace maxmargin {

using LabelChanges = std::vector<std::pair<std::int32_t, double>>;  // (label or pair, coefficient), ascending

struct LabelPlane {
  LabelChanges labels, pairs;  // of scale psi, without x and eta; or of a mean of such
  double b = 0.0;
  bool single = true;  // of one label vector, not a mean
};

LabelPlane make_label_plane(const LabelData& data, const LabelLoss& loss, std::int64_t i, const std::uint8_t* y);
// The plane as a row of numbers: (index of a weight, value), ascending.
using LabelRow = std::vector<std::pair<std::int64_t, double>>;
LabelRow plane_row(const LabelData& data, std::int64_t i, const LabelPlane& plane);

// What a search works on: the data, the loss and the method.
struct LabelProblem {
  const LabelData* data;
  const LabelLoss* loss;
  const LabelForest* forest;
  LabelMethod method;

  LabelSearcher searcher() const { return {data->shape, method, *forest, *loss}; }
  // One that may try harder, for a pass over so many examples that must find the best.
  LabelSearcher patient_searcher(std::int64_t examples) const {
    LabelSearcher made = searcher();
    made.allow(100'000 + 1000 * examples);
    return made;
  }
};

// Scores of one example at factor * weights.
class LabelScorer {
 public:
  explicit LabelScorer(const LabelData& data)
      : data_(&data), gain_(static_cast<std::size_t>(data.shape.stride())), pairs_(static_cast<std::size_t>(data.shape.pair_count)), coarse_(gain_.size()) {}

  template <class Real>
  LabelScores open(std::int64_t i, const Real* weights, double factor = 1.0) {
    const LabelShape& shape = data_->shape;
    if constexpr (sizeof(Real) == sizeof(double)) {
      row_scores(data_->rows[i], weights, shape.stride(), gain_.data());
    } else {
      row_scores(data_->rows[i], weights, shape.stride(), coarse_.data());
      std::copy(coarse_.begin(), coarse_.end(), gain_.begin());
    }
    if (factor != 1.0) {
      for (double& gain : gain_) gain *= factor;
    }
    const Real* own = weights + shape.pair_base();
    for (int p = 0; p < shape.pair_count; ++p) pairs_[p] = factor * shape.eta * static_cast<double>(own[p]);
    return {&shape, gain_.data(), pairs_.data()};
  }

 private:
  const LabelData* data_;
  std::vector<double> gain_, pairs_;
  std::vector<float> coarse_;
};

class LabelPlanes {
 public:
  using Plane = LabelPlane;
  static constexpr bool kCoarse = true;

  explicit LabelPlanes(const LabelProblem& problem)
      : problem_(problem),
        scorer_(*problem.data),
        searcher_(problem.searcher()),
        y_(static_cast<std::size_t>(problem.data->shape.labels)),
        coefficient_(static_cast<std::size_t>(problem.data->shape.stride())) {}

  std::int64_t weight_count() const { return problem_.data->shape.weight_count(); }
  std::int64_t paired() const { return problem_.data->rows.paired(problem_.data->shape.stride()); }
  void prefetch(std::int64_t i) const { problem_.data->rows.prefetch(i); }
  void prefetch_early(std::int64_t i) const {
    if (problem_.data->rows.offsets != nullptr) prefetch_line(problem_.data->rows.offsets + i);
  }

  // Makes an example current without reading weights.
  void select(std::int64_t i) { current_ = i; }
  template <class Real>
  void open(std::int64_t i, const Real* weights) {
    select(i);
    scores_ = scorer_.open(i, weights);
  }

  double value(const Plane& plane) const {
    double sum = plane.b;
    for (const auto& [k, c] : plane.labels) sum -= c * scores_.gain[k];
    for (const auto& [p, c] : plane.pairs) sum -= c * scores_.pairs[p];
    return sum;
  }
  std::optional<Plane> ask(const std::vector<Plane>&) {
    if (!searcher_.find(scores_, problem_.data->truth(current_), y_.data())) return std::nullopt;
    return make_label_plane(*problem_.data, *problem_.loss, current_, y_.data());
  }
  bool same(const Plane& p, const Plane& q) const { return p.b == q.b && p.labels == q.labels; }
  bool nearly_same(const Plane&, const Plane&, double, double) const { return false; }

  void products(const Plane& plane, const std::vector<Plane>& others, double* out) const {
    for (const Plane& other : others) *out++ = product(plane, other);
    *out = product(plane, plane);
  }
  Plane mix(const Plane& p, const Plane& q, double share) const;  // share * p + (1 - share) * q

  void collect(std::int64_t, const Plane& plane, double c) {
    for (const auto& [k, own] : plane.labels) coefficient_[k] += c * own;
    for (const auto& [p, own] : plane.pairs) touched_.emplace_back(p, c * own);
  }
  template <class Real>
  void flush(std::int64_t i, Real* weights) {
    const LabelShape& shape = problem_.data->shape;
    problem_.data->rows.each_move(i, [&](const Row& row) { row_update(row, weights, shape.stride(), coefficient_.data()); });
    std::fill(coefficient_.begin(), coefficient_.end(), 0.0);
    Real* own = weights + shape.pair_base();
    for (const auto& [p, c] : touched_) own[p] += static_cast<Real>(shape.eta * c);
    touched_.clear();
  }

 private:
  double product(const Plane& p, const Plane& q) const {
    const double eta = problem_.data->shape.eta;
    return problem_.data->squared_norms[current_] * dot(p.labels, q.labels) + eta * eta * dot(p.pairs, q.pairs);
  }
  static double dot(const LabelChanges& p, const LabelChanges& q) {
    double sum = 0.0;
    std::size_t i = 0, j = 0;
    while (i < p.size() && j < q.size()) {
      const std::int32_t a = p[i].first, b = q[j].first;
      if (a == b) sum += p[i].second * q[j].second;
      i += a <= b;
      j += b <= a;
    }
    return sum;
  }

  LabelProblem problem_;
  LabelScorer scorer_;
  LabelSearcher searcher_;
  LabelScores scores_;
  std::int64_t current_ = 0;
  std::vector<std::uint8_t> y_;
  std::vector<double> coefficient_;  // (stride), zero between calls
  LabelChanges touched_;
};

}  // namespace maxmargin
