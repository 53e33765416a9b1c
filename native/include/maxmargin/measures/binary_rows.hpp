// Binary classification: one plane per example, a = y x with y = +-1, b = margin. Weights are one column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "maxmargin/engine/budget.hpp"
#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/rows/rows.hpp"
#include "maxmargin/engine/working_sets.hpp"

namespace maxmargin {

struct BinaryRowsData {
  Rows rows;
  const double* squared_norms = nullptr;  // |x_i|^2 with the bias
  const std::int8_t* signs = nullptr;     // y
  double margin = 1.0;                    // b; 0 for the perceptron

  std::int64_t weight_count() const { return rows.columns(); }
  template <class Real>
  double value(std::int64_t i, const Real* weights) const {  // b - <a, w>
    return margin - static_cast<double>(signs[i]) * kernels_for(weights).row_dot(rows[i], weights);
  }
};

// Plane 0 is the only plane of an example, plane 1 the zero plane that takes up the rest of a cap.
class BinaryRowsBlock {
 public:
  static constexpr bool kCoarse = true;

  explicit BinaryRowsBlock(const BinaryRowsData& data) : data_(data) {}

  std::int64_t weight_count() const { return data_.weight_count(); }
  std::int64_t paired() const { return data_.rows.paired(1); }
  void prefetch(std::int64_t example) const { data_.rows.prefetch(example); }
  void prefetch_early(std::int64_t example) const {
    prefetch_line(data_.signs + example);
    prefetch_line(data_.squared_norms + example);
    if (data_.rows.offsets != nullptr) prefetch_line(data_.rows.offsets + example);
  }

  template <class Real>
  void open(std::int64_t example, const Real* weights, bool = true) {
    example_ = example;
    norm_ = data_.squared_norms[example];
    gradient_ = data_.value(example, weights);
    ridge_ = 0.0;
  }

  // Whether the plane is neither in use nor violated: nothing to do.
  bool at_rest(const SupportLists::List& working_set) const { return working_set.size == 0 && gradient_ <= 0.0; }

  void load(const SupportLists::List& working_set, double cap, double ridge, bool working_set_only) {
    in_working_set_ = working_set.size > 0;
    reachable_ = in_working_set_ || !working_set_only;
    loaded_ = alpha_ = in_working_set_ ? working_set.entries[0].alpha : 0.0;
    rest_ = cap < std::numeric_limits<double>::infinity() ? std::max(0.0, cap - alpha_) : 0.0;
    value_ = alpha_ * gradient_;
    working_set_value_ = in_working_set_ ? std::max(0.0, gradient_) : 0.0;
    ridge_ = ridge;
    gradient_ -= ridge * alpha_;
  }

  void store(SupportLists& lists, std::int32_t keep_idle, bool aging, bool keep_worst) const {
    SupportLists::List& list = lists[example_];
    const bool waits = keep_worst && gradient_ > 0.0;
    if (list.size == 0) {
      if (!(alpha_ > 0.0) && !waits) return;
      lists.resize(example_, 1);
      list.entries[0] = SupportEntry{0, 0, alpha_};
      return;
    }
    SupportEntry& entry = list.entries[0];
    entry.alpha = alpha_;
    entry.idle = alpha_ > 0.0 ? 0 : entry.idle + (aging ? 1 : 0);
    if (aging && entry.idle > keep_idle) lists.resize(example_, 0);
  }

  template <class Real>
  void apply(Real* weights) const {
    add(example_, alpha_ - loaded_, weights);
  }

  // Adds alpha a of an example to the weights and returns alpha b.
  template <class Real>
  double deposit(std::int64_t example, const SupportLists::List& list, Real* weights) {
    const double alpha = list.entries[0].alpha;
    add(example, alpha, weights);
    return alpha * data_.margin;
  }

  int size() const { return 2; }
  int outputs() const { return 1; }
  int zero() const { return 1; }
  double alpha(int k) const { return k == 0 ? alpha_ : rest_; }
  double gradient(int k) const { return k == 0 && reachable_ ? gradient_ : 0.0; }
  double spent() const { return loaded_; }
  double total() const { return alpha_; }
  double value() const { return value_; }
  double working_set_value() const { return working_set_value_; }
  double linear_change() const { return (alpha_ - loaded_) * data_.margin; }
  bool in_working_set(int k) const { return k == 0 && in_working_set_; }
  int worst() const { return gradient_ > 0.0 ? 0 : 1; }

  Extremes extremes() const {
    const double own = gradient(0);
    if (own > 0.0) return {0, rest_ > 0.0 ? 1 : alpha_ > 0.0 ? 0 : -1, own, rest_ > 0.0 ? 0.0 : own};
    return {1, alpha_ > 0.0 ? 0 : rest_ > 0.0 ? 1 : -1, 0.0, alpha_ > 0.0 ? own : 0.0};
  }

  double curvature(int k, int l) const { return k == l ? 0.0 : norm_ + ridge_; }
  double curvature(int k) const { return k == 0 ? norm_ + ridge_ : 0.0; }
  double quadratic(const double* d) const { return (norm_ + ridge_) * d[0] * d[0]; }

  void move(int k, int, double t) {
    shift(k == 0 ? t : -t);
    rest_ += k == 0 ? -t : t;
  }
  void move(int k, double t) {
    if (k == 0) shift(t);
  }

 private:
  void shift(double t) {
    alpha_ += t;
    gradient_ -= t * (norm_ + ridge_);
  }
  template <class Real>
  void add(std::int64_t example, double alpha, Real* weights) const {
    data_.rows.each_move(example, [&](const Row& row) { kernels_for(weights).row_axpy(row, alpha * static_cast<double>(data_.signs[example]), weights); });
  }

  BinaryRowsData data_;
  std::int64_t example_ = 0;
  double norm_ = 0.0, ridge_ = 0.0, gradient_ = 0.0, alpha_ = 0.0, loaded_ = 0.0, rest_ = 0.0, value_ = 0.0, working_set_value_ = 0.0;
  bool in_working_set_ = false, reachable_ = true;
};

}  // namespace maxmargin
