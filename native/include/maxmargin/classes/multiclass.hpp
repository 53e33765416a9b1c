// Multiclass: Psi(x, k) puts x into the columns of class k, so the plane of (example i of class y, class k) is
//   a = r_yk (x in y, -x in k),  b = b_yk,       r and b from the rescaling, two n_classes x n_classes tables.
// One gather of the weights gives the scores of all classes, and inside a block they move in closed form:
// alpha_k += t changes score_k by -t r_k |x|^2 and score_y by +t r_k |x|^2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "maxmargin/engine/budget.hpp"
#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/rows/rows.hpp"
#include "maxmargin/rows/rows_ahead.hpp"
#include "maxmargin/engine/short_block.hpp"
#include "maxmargin/engine/working_sets.hpp"

namespace maxmargin {

struct MulticlassData {
  Rows rows;
  const double* squared_norms = nullptr;  // |x_i|^2 with the bias
  const std::int32_t* labels = nullptr;
  std::int64_t classes = 0;
  const double* margin = nullptr;  // b, (classes, stride), zero on the diagonal, -infinity in the padding
  const double* scale = nullptr;   // r, (classes, stride), zero on the diagonal and in the padding
  bool alike = false;              // all mistakes are: both tables have one row, without a diagonal

  int stride() const { return padded(classes); }
  std::int64_t weight_count() const { return rows.columns() * stride(); }
  std::int64_t first(std::int64_t truth) const { return alike ? 0 : truth * stride(); }
};

// All planes of one example, the truth being the plane that is zero. Scratch arrays are reused between examples.
class MulticlassBlock {
 public:
  using Data = MulticlassData;
  static constexpr bool kCoarse = true;

  explicit MulticlassBlock(const MulticlassData& data)
      : data_(data),
        classes_(static_cast<int>(data.classes)),
        scores_(static_cast<std::size_t>(data.stride())),
        alpha_(scores_.size()),
        gradient_(scores_.size()),
        coefficient_(scores_.size()),
        allowed_(scores_.size()),
        coarse_scores_(scores_.size()),
        ahead_(data.rows, data.stride()) {
    if (data.alike) {
      own_margin_.assign(data.margin, data.margin + data.stride());
      own_scale_.assign(data.scale, data.scale + data.stride());
      open_row(0);
    }
  }

  std::int64_t weight_count() const { return data_.weight_count(); }
  std::int64_t paired() const { return data_.rows.paired(data_.stride()); }
  void prefetch(std::int64_t example) const { data_.rows.prefetch(example); }
  // What prefetch itself will read, and the small things about an example.
  void prefetch_early(std::int64_t example) const {
    prefetch_line(data_.labels + example);
    prefetch_line(data_.squared_norms + example);
    data_.rows.prefetch_early(example);
  }

  int stride() const { return data_.stride(); }
  // Whether coarse weights are to lie label by label.
  bool turns() const {
    constexpr std::int64_t kManyColumns = 128;  // with fewer of them the weights of a row stay in the first cache
    return data_.rows.kind == RowKind::dense && data_.rows.width >= kManyColumns;
  }

  // Makes `example` current and takes the value b - <a, w> of each of its planes at w = factor * weights.
  template <class Real>
  void open(std::int64_t example, const Real* weights, bool = true, double factor = 1.0) {
    choose(example);
    if constexpr (sizeof(Real) == sizeof(double)) {
      row_scores(data_.rows[example], weights, data_.stride(), scores_.data());
    } else {
      row_scores(data_.rows[example], weights, data_.stride(), coarse_scores_.data());
      std::copy(coarse_scores_.begin(), coarse_scores_.end(), scores_.begin());
    }
    if (factor != 1.0) {
      for (double& score : scores_) score *= factor;
    }
    total_ = ridge_ = 0.0;
    refresh();
  }
  void open(std::int64_t example, TurnedWeights weights, bool = true) {
    choose(example);
    std::copy_n(ahead_.open(example, weights), data_.stride(), scores_.begin());
    total_ = ridge_ = 0.0;
    refresh();
  }
  // Scores the examples that are opened next.
  static constexpr std::size_t kAhead = RowsAhead::kMost;
  void look_ahead(std::span<const std::int32_t> examples, TurnedWeights weights) { ahead_.look(examples, weights); }

  // Whether the working set is empty and no plane is violated: nothing to do.
  bool at_rest(const SupportLists::List& working_set) const { return working_set.size == 0 && worst_ == truth_; }

  // Puts the dual state in. The truth takes the rest of a cap; with `working_set_only` the other planes are out of reach.
  void load(const SupportLists::List& working_set, double cap, double ridge, bool working_set_only) {
    std::fill(alpha_.begin(), alpha_.end(), 0.0);
    std::fill(coefficient_.begin(), coefficient_.end(), 0.0);
    total_ = value_ = working_set_value_ = linear_change_ = 0.0;
    working_set_ = &working_set;
    few_.clear();
    for (const SupportEntry& entry : working_set) {
      working_set_value_ = std::max(working_set_value_, gradient_[entry.output]);
      alpha_[entry.output] = entry.alpha;
      total_ += entry.alpha;
      value_ += entry.alpha * gradient_[entry.output];
    }
    spent_ = total_;
    ridge_ = ridge;
    if (cap < std::numeric_limits<double>::infinity()) alpha_[truth_] = std::max(0.0, cap - total_);
    if (working_set_only) {
      std::fill(allowed_.begin(), allowed_.end(), -std::numeric_limits<double>::infinity());
      allowed_[truth_] = 0.0;
      for (const SupportEntry& entry : working_set) allowed_[entry.output] = margin_[entry.output];
      margin_ = allowed_.data();
    }
    if (working_set_only || ridge > 0.0) refresh();
  }

  // Writes the dual state back (engine/working_sets.hpp).
  void store(SupportLists& lists, std::int32_t keep_idle, bool aging, bool keep_worst) const {
    store_classes(lists, example_, alpha_.data(), truth_, keep_worst ? worst() : -1, keep_idle, aging, [&](auto&& visit) {
      if (few_.empty()) {
        for (int k = 0; k < classes_; ++k) visit(k);
      } else {
        for (std::int32_t k : few_) visit(k);
        if (keep_worst && std::find(few_.begin(), few_.end(), worst_) == few_.end()) visit(worst_);
      }
    });
  }

  template <class Real>
  void apply(Real* weights) {
    if (few_.empty()) return add_row(example_, weights);
    changed_.clear(), changes_.clear();
    auto take = [this](std::int32_t k) {
      if (coefficient_[k] != 0.0) changed_.push_back(k), changes_.push_back(coefficient_[k]);
    };
    for (std::int32_t k : few_) {
      if (k != truth_) take(k);
    }
    take(truth_);
    data_.rows.each_move(example_, [&](const Row& row) {
      kernels_for(weights).update_few(row, weights, data_.stride(), changed_.data(), changes_.data(), static_cast<int>(changed_.size()));
    });
  }

  void apply(TurnedWeights weights) { ahead_.move(coefficient_.data(), weights); }

  // Adds sum alpha a of an example to the weights and returns sum alpha b.
  template <class Real>
  double deposit(std::int64_t example, const SupportLists::List& list, Real* weights) {
    const double linear = sum_up(example, list);
    add_row(example, weights);
    return linear;
  }
  double deposit(std::int64_t example, const SupportLists::List& list, TurnedWeights weights) {
    const double linear = sum_up(example, list);
    ahead_.move(example, coefficient_.data(), weights);
    return linear;
  }
  double deposit(std::int64_t example, const SupportLists::List& list, TurnedOf<double> weights) {
    const double linear = sum_up(example, list);
    const Row row = data_.rows[example];
    for (int k = 0; k < classes_; ++k) {
      if (coefficient_[k] != 0.0) kernels().fine.row_axpy(row, coefficient_[k], weights.of(k));
    }
    return linear;
  }

  // weights += step (x in the truth's columns, -x in those of k) of the example opened last
  void add_pair(int k, double step, double* weights) {
    std::fill(coefficient_.begin(), coefficient_.end(), 0.0);
    coefficient_[truth_] = step;
    coefficient_[k] = -step;
    row_update(data_.rows[example_], weights, data_.stride(), coefficient_.data());
  }

  int size() const { return classes_; }
  int outputs() const { return classes_; }
  int zero() const { return truth_; }
  double alpha(int k) const { return alpha_[k]; }
  double gradient(int k) const { return gradient_[k]; }
  double margin(int k) const { return margin_[k]; }
  double scale(int k) const { return scale_[k]; }
  double spent() const { return spent_; }  // sum alpha, as loaded
  double total() const { return total_; }  // sum alpha, now
  double value() const { return value_; }  // sum alpha (b - <a, w>), as loaded
  double working_set_value() const { return working_set_value_; }        // largest value in the working set, as loaded, or zero
  double linear_change() const { return linear_change_; }  // of sum alpha b since loaded
  bool in_working_set(int k) const {
    return std::any_of(working_set_->begin(), working_set_->end(), [k](const SupportEntry& entry) { return entry.output == k; });
  }

  // The plane of largest gradient; the zero plane where none is positive.
  int worst() const { return worst_; }

  Extremes extremes() const { return kernels().extremes(gradient_.data(), alpha_.data(), data_.stride()); }

  double curvature(int k, int l) const {
    const double a = scale_[k], b = scale_[l];
    return norm_ * (a * a + b * b + (a - b) * (a - b));
  }
  double curvature(int k) const { return k == truth_ ? 0.0 : 2.0 * norm_ * scale_[k] * scale_[k] + ridge_; }

  double quadratic(const double* d) const {
    double own = 0.0, squares = 0.0, sum = 0.0;
    for (int k = 0; k < classes_; ++k) {
      if (k == truth_) continue;
      const double c = scale_[k] * d[k];
      own += c;
      squares += c * c;
      sum += d[k];
    }
    return norm_ * (own * own + squares) + ridge_ * sum * sum;
  }

  // An entry of the Gram matrix of the planes.
  double product(int k, int l) const {
    if (k == truth_ || l == truth_) return 0.0;
    return norm_ * scale_[k] * scale_[l] * (k == l ? 2.0 : 1.0) + ridge_;
  }

  // Steps among a few planes (engine/short_block.hpp); `ascend` is one of the two of engine/ascent.hpp.
  template <class Ascend>
  Ascent ascend_few(bool with_truth, Ascend&& ascend) {
    few_.clear();
    for (const SupportEntry& entry : *working_set_) {
      if (gradient_[entry.output] > -std::numeric_limits<double>::infinity()) few_.push_back(entry.output);
    }
    if (with_truth) few_.push_back(truth_);
    double least = 0.0;  // a plane gains weight from one in use that is worse than it, or, without a cap, from nothing
    for (std::int32_t k : few_) {
      if (with_truth && alpha_[k] > 0.0) least = std::min(least, gradient_[k]);
    }
    add_most_violated(*this, few_, least);
    if (!with_truth) few_.erase(std::remove(few_.begin(), few_.end(), truth_), few_.end());
    some_.take(*this, few_);
    const Ascent result = ascend(some_);
    for (int k = 0; k < some_.size(); ++k) {
      if (some_.change(k) != 0.0) shift(few_[static_cast<std::size_t>(k)], some_.change(k));
    }
    return result;
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

 private:
  void choose(std::int64_t example) {
    example_ = example;
    if (data_.alike) open_row(data_.labels[example]);
    truth_ = data_.labels[example];
    norm_ = data_.squared_norms[example];
    margin_ = data_.alike ? own_margin_.data() : data_.margin + data_.first(truth_);
    scale_ = data_.alike ? own_scale_.data() : data_.scale + data_.first(truth_);
  }

  // The coefficients of classes in sum alpha a of an example; answers sum alpha b.
  double sum_up(std::int64_t example, const SupportLists::List& list) {
    const std::int64_t truth = data_.labels[example], first = data_.first(truth);
    std::fill(coefficient_.begin(), coefficient_.end(), 0.0);
    double linear = 0.0;
    for (const SupportEntry& entry : list) {
      const double step = entry.alpha * data_.scale[first + entry.output];
      coefficient_[entry.output] -= step;
      coefficient_[truth] += step;
      linear += entry.alpha * data_.margin[first + entry.output];
    }
    return linear;
  }

  template <class Real>
  void add_row(std::int64_t example, Real* weights) const {
    data_.rows.each_move(example, [&](const Row& row) { row_update(row, weights, data_.stride(), coefficient_.data()); });
  }

  // Makes the row of all classes that of one truth, which costs nothing to answer.
  void open_row(int truth) {
    own_margin_[static_cast<std::size_t>(truth_)] = data_.margin[truth_];
    own_scale_[static_cast<std::size_t>(truth_)] = data_.scale[truth_];
    own_margin_[static_cast<std::size_t>(truth)] = own_scale_[static_cast<std::size_t>(truth)] = 0.0;
  }

  // alpha_k += t moves w by t a_k: +t r x in the truth's columns, -t r x in those of k.
  void shift(int k, double t) {
    alpha_[k] += t;
    if (k == truth_) return;
    total_ += t;
    linear_change_ += t * margin_[k];
    const double step = t * scale_[k];
    coefficient_[k] -= step;
    coefficient_[truth_] += step;
    scores_[k] -= step * norm_;
    scores_[truth_] += step * norm_;
  }

  void refresh() {
    worst_ = kernels().fine.plane_values(scores_.data(), margin_, scale_, ridge_ * total_, truth_, data_.stride(), gradient_.data());
  }

  MulticlassData data_;
  int classes_;
  std::int64_t example_ = 0;
  int truth_ = 0, worst_ = 0;
  double norm_ = 0.0, ridge_ = 0.0, spent_ = 0.0, total_ = 0.0, value_ = 0.0, working_set_value_ = 0.0, linear_change_ = 0.0;
  const SupportLists::List* working_set_ = nullptr;
  const double* margin_ = nullptr;
  const double* scale_ = nullptr;
  std::vector<double> scores_, alpha_, gradient_, coefficient_, allowed_;
  std::vector<float> coarse_scores_;
  RowsAhead ahead_;  // where weights lie label by label
  std::vector<std::int32_t> few_, changed_;  // planes that steps saw, where there are many; classes whose weights change
  std::vector<double> changes_;
  ShortBlock<MulticlassBlock> some_;
  std::vector<double> own_margin_, own_scale_;  // where all mistakes are alike: the rows of the truth
};

// Chosen before the templates of engine/ascent.hpp.
inline Ascent ascend_capped(MulticlassBlock& block, double precision, double relative, int max_steps, double overstep) {
  if (block.size() <= kManyClasses) return ascend_capped<MulticlassBlock>(block, precision, relative, max_steps, overstep);
  return block.ascend_few(true, [&](auto& some) { return ascend_capped(some, precision, relative, max_steps, overstep); });
}
inline Ascent ascend_free(MulticlassBlock& block, double precision, double relative, int max_steps) {
  if (block.size() <= kManyClasses) return ascend_free<MulticlassBlock>(block, precision, relative, max_steps);
  return block.ascend_few(false, [&](auto& some) { return ascend_free(some, precision, relative, max_steps); });
}

}  // namespace maxmargin
