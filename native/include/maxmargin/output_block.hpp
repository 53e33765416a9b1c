// Classes with output features (output_map.hpp) for the dual engine: the plane of (example i of class y, class k) is
//   a = r_yk x (x) (Lambda(y) - Lambda(k)),  b = b_yk,       r and b from the rescaling (class_loss.hpp).
// As in multiclass all planes of an example are in reach: one gather gives the scores of the nodes, those of the classes
// follow, and inside a block alpha_k += t moves the node scores by t r |x|^2 (Lambda(y) - Lambda(k)).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/class_loss.hpp"
#include "maxmargin/kernels.hpp"
#include "maxmargin/output_map.hpp"
#include "maxmargin/rows.hpp"
#include "maxmargin/short_block.hpp"
#include "maxmargin/support.hpp"

namespace maxmargin {

struct OutputData {
  Rows rows;
  const double* squared_norms = nullptr;  // |x_i|^2 with the bias
  const std::int32_t* labels = nullptr;
  const OutputMap* map = nullptr;
  const ClassLoss* loss = nullptr;

  std::int64_t weight_count() const { return rows.columns() * map->node_stride(); }
};

class OutputBlock {
 public:
  using Data = OutputData;
  static constexpr bool kCoarse = true;

  explicit OutputBlock(const OutputData& data)
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
        allowed_(scores_.size()),
        shared_(scores_.size()) {}

  std::int64_t weight_count() const { return data_.weight_count(); }
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
    shared_known_ = false;
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

  bool at_rest(const SupportLists::List& held) const { return held.size == 0 && worst_ == truth_; }

  // Puts the dual state in. The truth takes the rest of a cap; with `only_held` the other planes are out of reach.
  void load(const SupportLists::List& held, double cap, double ridge, bool only_held) {
    clear();
    total_ = value_ = held_value_ = linear_change_ = 0.0;
    held_ = &held;
    for (const SupportEntry& entry : held) {
      held_value_ = std::max(held_value_, gradient_[entry.output]);
      use(entry.output);
      alpha_[entry.output] = entry.alpha;
      total_ += entry.alpha;
      value_ += entry.alpha * gradient_[entry.output];
    }
    spent_ = total_;
    ridge_ = ridge;
    use(truth_);
    if (cap < std::numeric_limits<double>::infinity()) alpha_[truth_] = std::max(0.0, cap - total_);
    if (only_held) {
      std::fill(allowed_.begin(), allowed_.end(), -std::numeric_limits<double>::infinity());
      allowed_[truth_] = 0.0;
      for (const SupportEntry& entry : held) allowed_[entry.output] = margin_[entry.output];
      margin_ = allowed_.data();
    }
    if (only_held || ridge > 0.0) value_planes();
  }

  // Writes the dual state back; a plane that is not used is kept for `keep_idle` visits with fresh planes (`aging`), the
  // most violated one at least once if `keep_worst`.
  void store(SupportLists& lists, std::int32_t keep_idle, bool aging, bool keep_worst) {
    SupportLists::List& list = lists[example_];
    std::int32_t kept = 0;
    for (std::int32_t at = 0; at < list.size; ++at) {
      SupportEntry entry = list.entries[at];
      entry.alpha = alpha_[entry.output];
      entry.idle = entry.alpha > 0.0 ? 0 : entry.idle + (aging ? 1 : 0);
      if (!aging || entry.idle <= keep_idle) list.entries[kept++] = entry;
    }
    const std::int32_t old = kept;
    lists.resize(example_, kept);
    if (keep_worst) use(worst_);
    for (std::int32_t k : used_) {
      if (k == truth_ || (alpha_[k] <= 0.0 && !(keep_worst && k == worst_))) continue;
      bool listed = false;
      for (std::int32_t at = 0; at < old && !listed; ++at) listed = list.entries[at].output == k;
      if (listed) continue;
      lists.resize(example_, kept + 1);
      list.entries[kept++] = SupportEntry{k, 0, alpha_[k]};
    }
  }

  template <class Real>
  void apply(Real* weights) {
    for (std::int32_t k : used_) {
      if (coefficient_[k] != 0.0) sums_.add(k, coefficient_[k]);
    }
    sums_.add_to(data_.rows[example_], weights);
    sums_.clear();
  }

  // Adds sum alpha a of an example to the weights and returns sum alpha b.
  template <class Real>
  double deposit(std::int64_t example, const SupportLists::List& list, Real* weights) {
    const int truth = data_.labels[example];
    loss_.open(truth);
    double linear = 0.0;
    for (const SupportEntry& entry : list) {
      const double step = entry.alpha * loss_.scale()[entry.output];
      sums_.add(entry.output, -step);
      sums_.add(truth, step);
      linear += entry.alpha * loss_.margin()[entry.output];
    }
    sums_.add_to(data_.rows[example], weights);
    sums_.clear();
    return linear;
  }

  // weights += step x (x) (Lambda(truth) - Lambda(k)) of the example opened last
  void add_pair(int k, double step, double* weights) {
    sums_.add(truth_, step);
    sums_.add(k, -step);
    sums_.add_to(data_.rows[example_], weights);
    sums_.clear();
  }

  // A support list from outside, alpha still to be set.
  static void hold(std::int64_t example, std::int32_t output, SupportLists& lists) {
    const std::int32_t size = lists[example].size;
    lists.resize(example, size + 1);
    lists[example].entries[size] = SupportEntry{output, 0, 0.0};
  }

  int size() const { return classes_; }
  int zero() const { return truth_; }
  double alpha(int k) const { return alpha_[k]; }
  double gradient(int k) const { return gradient_[k]; }
  double margin(int k) const { return margin_[k]; }
  double scale(int k) const { return scale_[k]; }
  double spent() const { return spent_; }
  double total() const { return total_; }
  double value() const { return value_; }
  double held_value() const { return held_value_; }
  double linear_change() const { return linear_change_; }
  bool holds(int k) const {
    return std::any_of(held_->begin(), held_->end(), [k](const SupportEntry& entry) { return entry.output == k; });
  }

  // The plane of largest gradient; the zero plane where none is positive.
  int worst() const { return worst_; }

  // The best wrong class, which may be as good as the truth or worse.
  int rival() const {
    int best = truth_ == 0 ? 1 : 0;
    for (int k = best + 1; k < classes_; ++k) {
      if (k != truth_ && gradient_[k] > gradient_[best]) best = k;
    }
    return best;
  }

  // Whether a step along class k's plane would move w.
  bool moves(int k) const { return norm_ > 0.0 && difference(k, k) > 0.0; }

  Extremes extremes() const { return kernels().extremes(gradient_.data(), alpha_.data(), data_.map->class_stride()); }

  double curvature(int k, int l) const {
    const double a = scale_[k], b = scale_[l];
    const double cross = a == 0.0 || b == 0.0 ? 0.0 : a * b * difference(k, l);
    const double square = (a == 0.0 ? 0.0 : a * a * difference(k, k)) + (b == 0.0 ? 0.0 : b * b * difference(l, l));
    return std::max(0.0, norm_ * (square - 2.0 * cross));
  }
  // Without a cap every violated plane is asked for this in every step, so all come at once.
  double curvature(int k) {
    if (k == truth_) return 0.0;
    if (!shared_known_) data_.map->products(truth_, passed_.data(), shared_.data());
    shared_known_ = true;
    const OutputMap& map = *data_.map;
    const double distance = map.lengths[static_cast<std::size_t>(truth_)] + map.lengths[static_cast<std::size_t>(k)] - 2.0 * shared_[static_cast<std::size_t>(k)];
    return norm_ * scale_[k] * scale_[k] * std::max(0.0, distance) + ridge_;
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

  // Steps among a few planes; `ascend` is one of the two of ascent.hpp.
  template <class Ascend>
  Ascent ascend_few(bool with_truth, Ascend&& ascend) {
    few_.clear();
    for (std::int32_t k : used_) {
      if (k != truth_ && gradient_[k] > -std::numeric_limits<double>::infinity()) few_.push_back(k);
    }
    if (with_truth) few_.push_back(truth_);
    add_most_violated(*this, few_);
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
  // <Lambda(truth) - Lambda(k), Lambda(truth) - Lambda(l)>
  double difference(int k, int l) const {
    const OutputMap& map = *data_.map;
    const double own = map.lengths[static_cast<std::size_t>(truth_)];
    if (k == l) return own + map.lengths[static_cast<std::size_t>(k)] - 2.0 * map.product(truth_, k);
    return own - map.product(truth_, k) - map.product(truth_, l) + map.product(k, l);
  }

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
    if (map.kind == OutputKind::dense) {
      kernels().axpy(moved, map.gram + static_cast<std::int64_t>(truth_) * map.class_stride(), scores_.data(), map.class_stride());
      kernels().axpy(-moved, map.gram + static_cast<std::int64_t>(k) * map.class_stride(), scores_.data(), map.class_stride());
      return;
    }
    map.for_each(truth_, [&](std::int32_t z, double value) { node_scores_[static_cast<std::size_t>(z)] += moved * value; });
    map.for_each(k, [&](std::int32_t z, double value) { node_scores_[static_cast<std::size_t>(z)] -= moved * value; });
  }

  void refresh() {
    if (data_.map->kind != OutputKind::dense) data_.map->class_scores(node_scores_.data(), passed_.data(), scores_.data());
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
  double norm_ = 0.0, ridge_ = 0.0, spent_ = 0.0, total_ = 0.0, value_ = 0.0, held_value_ = 0.0, linear_change_ = 0.0;
  const SupportLists::List* held_ = nullptr;
  const double* margin_ = nullptr;
  const double* scale_ = nullptr;
  std::vector<double> node_scores_, passed_;
  std::vector<float> coarse_scores_;
  std::vector<double> scores_, alpha_, gradient_, coefficient_, allowed_;
  std::vector<double> shared_;  // products of the truth's features with those of all classes, if known
  bool shared_known_ = false;
  std::vector<std::int32_t> used_;  // classes whose alpha or coefficient may differ from zero
  std::vector<std::int32_t> few_;   // planes that steps see
  ShortBlock<OutputBlock> some_;
};

// Chosen before the templates of ascent.hpp.
inline Ascent ascend_capped(OutputBlock& block, double precision, double relative, int max_steps, double overstep) {
  if (block.size() <= kManyClasses) return ascend_capped<OutputBlock>(block, precision, relative, max_steps, overstep);
  return block.ascend_few(true, [&](auto& some) { return ascend_capped(some, precision, relative, max_steps, overstep); });
}
inline Ascent ascend_free(OutputBlock& block, double precision, double relative, int max_steps) {
  if (block.size() <= kManyClasses) return ascend_free<OutputBlock>(block, precision, relative, max_steps);
  return block.ascend_few(false, [&](auto& some) { return ascend_free(some, precision, relative, max_steps); });
}

}  // namespace maxmargin
