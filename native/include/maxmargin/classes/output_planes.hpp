// The planes of one example of a class with output features (classes/output_map.hpp) under the weights:
//   a = r_yk x (x) (Lambda(y) - Lambda(k)),  b = b_yk,       r and b from the rescaling (classes/loss.hpp).
// As in multiclass all planes of an example are in reach: one gather gives the scores of the nodes, those of the classes
// follow, and inside a block alpha_k += t moves the node scores by t r |x|^2 (Lambda(y) - Lambda(k)).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "maxmargin/classes/loss.hpp"
#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/classes/output_map.hpp"
#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

struct OutputData {
  Rows rows;
  const double* squared_norms = nullptr;  // |x_i|^2 with the bias
  const std::int32_t* labels = nullptr;
  const OutputMap* map = nullptr;
  const ClassLoss* loss = nullptr;

  std::int64_t weight_count() const { return rows.columns() * map->node_stride(); }
};

class OutputPlanes {
 public:
  explicit OutputPlanes(const OutputData& data)
      : data_(data),
        classes_(static_cast<int>(data.map->classes)),
        loss_(*data.loss),
        sums_(*data.map),
        node_scores_(static_cast<std::size_t>(data.map->node_stride())),
        passed_(node_scores_.size()),
        coarse_scores_(node_scores_.size()),
        scores_(static_cast<std::size_t>(data.map->class_stride())),
        alpha_(scores_.size()),
        gradient_(scores_.size()),
        coefficient_(scores_.size()),
        bends_(scores_.size()) {}

  std::int64_t weight_count() const { return data_.weight_count(); }
  std::int64_t paired() const { return data_.rows.paired(data_.map->node_stride()); }
  void prefetch(std::int64_t example) const { data_.rows.prefetch(example); }
  void prefetch_early(std::int64_t example) const {
    prefetch_line(data_.labels + example);
    prefetch_line(data_.squared_norms + example);
    data_.rows.prefetch_early(example);
  }

  // Makes `example` current and takes the value b - <a, w> of each of its planes at w = factor * weights.
  template <class Real>
  void open(std::int64_t example, const Real* weights, bool = true, double factor = 1.0) {
    example_ = example;
    truth_ = data_.labels[example];
    norm_ = data_.squared_norms[example];
    bends_known_ = false;
    loss_.open(truth_);
    margin_ = loss_.margin();
    scale_ = loss_.scale();
    if constexpr (sizeof(Real) == sizeof(double)) {
      row_scores(data_.rows[example], weights, data_.map->node_stride(), node_scores_.data());
    } else {
      row_scores(data_.rows[example], weights, data_.map->node_stride(), coarse_scores_.data());
      std::copy(coarse_scores_.begin(), coarse_scores_.end(), node_scores_.begin());
    }
    if (factor != 1.0) {
      for (double& score : node_scores_) score *= factor;
    }
    total_ = ridge_ = 0.0;
    data_.map->class_scores(node_scores_.data(), passed_.data(), scores_.data());
    value_planes();
  }

  int size() const { return classes_; }
  int outputs() const { return classes_; }
  int zero() const { return truth_; }
  double alpha(int k) const { return alpha_[k]; }
  double gradient(int k) const { return gradient_[k]; }
  double margin(int k) const { return margin_[k]; }
  double scale(int k) const { return scale_[k]; }
  double linear_change() const { return linear_change_; }

  // The plane of largest gradient; the zero plane where none is positive.
  int worst() const { return worst_; }

  Extremes extremes() const { return kernels().extremes(gradient_.data(), alpha_.data(), data_.map->class_stride()); }

  double curvature(int k, int l) const {
    const double a = scale_[k], b = scale_[l];
    const double cross = a == 0.0 || b == 0.0 ? 0.0 : a * b * difference(k, l);
    const double square = (a == 0.0 ? 0.0 : a * a * difference(k, k)) + (b == 0.0 ? 0.0 : b * b * difference(l, l));
    return std::max(0.0, norm_ * (square - 2.0 * cross));
  }
  // Without a cap every violated plane is asked for this in every step, so all come at once.
  double curvature(int k) {
    if (!bends_known_) find_bends();
    return bends_[static_cast<std::size_t>(k)] + (k == truth_ ? 0.0 : ridge_);
  }

  double quadratic(const double* d) {
    double own = 0.0, sum = 0.0;
    for (int k = 0; k < classes_; ++k) {
      if (k == truth_ || d[k] == 0.0) continue;
      own += scale_[k] * d[k];
      sums_.add(k, -scale_[k] * d[k]);
      sum += d[k];
    }
    sums_.add(truth_, own);
    const double square = sums_.square();
    sums_.clear();
    return norm_ * square + ridge_ * sum * sum;
  }

  // An entry of the Gram matrix of the planes.
  double product(int k, int l) const {
    if (k == truth_ || l == truth_) return 0.0;
    const double scales = scale_[k] * scale_[l];
    return (scales == 0.0 ? 0.0 : norm_ * scales * difference(k, l)) + ridge_;
  }

  void move(int k, int l, double t) {
    shift(k, t);
    shift(l, -t);
    refresh();
  }
  void move(int k, double t) {
    shift(k, t);
    refresh();
  }

 protected:
  void use(int k) {
    if (std::find(used_.begin(), used_.end(), k) == used_.end()) used_.push_back(k);
  }

  void clear() {
    for (std::int32_t k : used_) alpha_[k] = coefficient_[k] = 0.0;
    used_.clear();
  }

  void shift(int k, double t) {
    use(k);
    alpha_[k] += t;
    if (k == truth_) return;
    total_ += t;
    linear_change_ += t * margin_[k];
    const double step = t * scale_[k];
    coefficient_[k] -= step;
    coefficient_[truth_] += step;
    const OutputMap& map = *data_.map;
    const double moved = step * norm_;
    if (const double* known = map.known_products(k)) {
      kernels().axpy(moved, map.known_products(truth_), scores_.data(), map.class_stride());
      kernels().axpy(-moved, known, scores_.data(), map.class_stride());
      return;
    }
    map.for_each(truth_, [&](std::int32_t z, double value) { node_scores_[static_cast<std::size_t>(z)] += moved * value; });
    map.for_each(k, [&](std::int32_t z, double value) { node_scores_[static_cast<std::size_t>(z)] -= moved * value; });
  }

  void refresh() {
    if (data_.map->known_products(0) == nullptr) data_.map->class_scores(node_scores_.data(), passed_.data(), scores_.data());
    value_planes();
  }

  void value_planes() {
    worst_ = kernels().fine.plane_values(scores_.data(), margin_, scale_, ridge_ * total_, truth_, data_.map->class_stride(), gradient_.data());
  }

  OutputData data_;
  int classes_;
  LossRows loss_;
  NodeSums sums_;
  std::int64_t example_ = 0;
  int truth_ = 0, worst_ = 0;
  double norm_ = 0.0, ridge_ = 0.0, total_ = 0.0, linear_change_ = 0.0;
  const double* margin_ = nullptr;
  const double* scale_ = nullptr;
  std::vector<double> node_scores_, passed_;
  std::vector<float> coarse_scores_;
  std::vector<double> scores_, alpha_, gradient_, coefficient_;
  std::vector<std::int32_t> used_;  // classes whose alpha or coefficient may differ from zero

 private:
  // <Lambda(truth) - Lambda(k), Lambda(truth) - Lambda(l)>
  double difference(int k, int l) const {
    const OutputMap& map = *data_.map;
    const double own = map.lengths[static_cast<std::size_t>(truth_)];
    if (k == l) return own + map.lengths[static_cast<std::size_t>(k)] - 2.0 * map.product(truth_, k);
    return own - map.product(truth_, k) - map.product(truth_, l) + map.product(k, l);
  }

  void find_bends() {
    const OutputMap& map = *data_.map;
    map.products(truth_, passed_.data(), bends_.data());
    const double own = map.lengths[static_cast<std::size_t>(truth_)];
    for (std::size_t k = 0; k < map.lengths.size(); ++k) {
      const double distance = std::max(0.0, own + map.lengths[k] - 2.0 * bends_[k]);
      bends_[k] = norm_ * scale_[k] * scale_[k] * distance;
    }
    bends_[static_cast<std::size_t>(truth_)] = 0.0;
    bends_known_ = true;
  }

  std::vector<double> bends_;  // |a|^2 of all planes, if known
  bool bends_known_ = false;
};

}  // namespace maxmargin
