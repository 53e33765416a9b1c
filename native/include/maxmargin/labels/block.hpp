// Label vectors without pairs, costs that add up, margin rescaling and linear slack: the labels of an example do not know
// each other. Its slack is the sum over the labels of max(0, cost_k - s_k <w_k, x>), s_k = 1 where the label is true and -1
// where not, and the dual has a variable between 0 and the cap for each label: as many support vector machines of two
// classes as there are labels, all of whose scores one gather of the weights gives.
//
// Entry `output` of a support list is a label. A block of the engine whose planes are separate: see engine/engine.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "maxmargin/engine/ascent.hpp"
#include "maxmargin/labels/planes.hpp"
#include "maxmargin/engine/working_sets.hpp"

namespace maxmargin {

class LabelBlock {
 public:
  static constexpr bool kCoarse = true;

  LabelBlock(const LabelData& data, const LabelLoss& loss)
      : data_(&data),
        loss_(&loss),
        labels_(data.shape.labels),
        scorer_(data),
        sign_(static_cast<std::size_t>(data.shape.stride())),
        alpha_(sign_.size()),
        gradient_(sign_.size()),
        coefficient_(sign_.size()),
        in_working_set_(sign_.size()) {}

  std::int64_t weight_count() const { return data_->shape.weight_count(); }
  std::int64_t paired() const { return data_->rows.paired(data_->shape.stride()); }
  void prefetch(std::int64_t example) const { data_->rows.prefetch(example); }
  void prefetch_early(std::int64_t example) const {
    prefetch_line(data_->truth(example));
    prefetch_line(data_->squared_norms + example);
    if (data_->rows.offsets != nullptr) prefetch_line(data_->rows.offsets + example);
  }

  template <class Real>
  void open(std::int64_t example, const Real* weights, bool) {
    example_ = example;
    norm_ = data_->squared_norms[example];
    const double* scores = scorer_.open(example, weights).gain;
    const std::uint8_t* truth = data_->truth(example);
    slack_ = 0.0;
    for (int k = 0; k < labels_; ++k) {
      sign_[k] = truth[k] ? 1.0 : -1.0;
      gradient_[k] = loss_->cost(k, truth[k]) - sign_[k] * scores[k];
      slack_ += std::max(0.0, gradient_[k]);
    }
  }
  bool at_rest(const SupportLists::List& working_set) const { return working_set.size == 0 && slack_ == 0.0; }

  void load(const SupportLists::List& working_set, double, double, bool working_set_only) {
    std::fill(alpha_.begin(), alpha_.end(), 0.0);
    std::fill(coefficient_.begin(), coefficient_.end(), 0.0);
    std::fill(in_working_set_.begin(), in_working_set_.end(), std::uint8_t{0});
    working_set_only_ = working_set_only;
    total_ = value_ = working_set_value_ = linear_change_ = 0.0;
    for (const SupportEntry& entry : working_set) {
      in_working_set_[entry.output] = 1;
      alpha_[entry.output] = entry.alpha;
      total_ += entry.alpha;
      value_ += entry.alpha * gradient_[entry.output];
      working_set_value_ += std::max(0.0, gradient_[entry.output]);
    }
    spent_ = total_;
  }

  // Writes the dual state back; a label out of use is kept for `keep_idle` visits with fresh planes (`aging`), and one that
  // is violated and new at least once if `keep_new`.
  void store(SupportLists& lists, std::int32_t keep_idle, bool aging, bool keep_new) {
    SupportLists::List& list = lists[example_];
    std::int32_t kept = 0;
    for (std::int32_t at = 0; at < list.size; ++at) {
      SupportEntry entry = list.entries[at];
      entry.alpha = alpha_[entry.output];
      entry.idle = entry.alpha > 0.0 ? 0 : entry.idle + (aging ? 1 : 0);
      if (!aging || entry.idle <= keep_idle) list.entries[kept++] = entry;
    }
    lists.resize(example_, kept);
    for (int k = 0; k < labels_; ++k) {
      if (in_working_set_[k] || !(alpha_[k] > 0.0 || (keep_new && gradient_[k] > 0.0))) continue;
      lists.resize(example_, kept + 1);
      list.entries[kept++] = SupportEntry{k, 0, alpha_[k]};
    }
  }

  template <class Real>
  void apply(Real* weights) const {
    add_row(example_, weights);
  }

  // Adds sum alpha a of an example to the weights and returns sum alpha b.
  template <class Real>
  double deposit(std::int64_t example, const SupportLists::List& list, Real* weights) {
    std::fill(coefficient_.begin(), coefficient_.end(), 0.0);
    const std::uint8_t* truth = data_->truth(example);
    double linear = 0.0;
    for (const SupportEntry& entry : list) {
      coefficient_[entry.output] = truth[entry.output] ? entry.alpha : -entry.alpha;
      linear += entry.alpha * loss_->cost(entry.output, truth[entry.output]);
    }
    add_row(example, weights);
    return linear;
  }

  int worst() const { return -1; }                // the slack is of no single plane
  double slack() const { return slack_; }         // as opened
  double spent() const { return spent_; }         // sum alpha, as loaded
  double total() const { return total_; }         // sum alpha, now
  double value() const { return value_; }         // sum alpha (b - <a, w>), as loaded
  double working_set_value() const { return working_set_value_; }        // the part of the slack that labels in the list have
  double linear_change() const { return linear_change_; }  // of sum alpha b since loaded
  bool has_new() const {
    for (int k = 0; k < labels_; ++k) {
      if (gradient_[k] > 0.0 && !in_working_set_[k]) return true;
    }
    return false;
  }

  // The best alpha of every label, in one step each.
  Ascent ascend(double cap) {
    Ascent result;
    for (int k = 0; k < labels_; ++k) {
      const double room = gradient_[k] > 0.0 ? cap - alpha_[k] : -alpha_[k];
      if (room == 0.0 || gradient_[k] == 0.0 || (working_set_only_ && !in_working_set_[k])) continue;
      result.violation = std::max(result.violation, std::abs(gradient_[k]));
      move(k, norm_ * std::abs(room) > std::abs(gradient_[k]) ? gradient_[k] / norm_ : room);
      ++result.steps;
    }
    return result;
  }

  // The step of Frank and Wolfe: all labels move by one share of the way to what the worst label vector would have them be.
  Ascent line_search(double cap) {
    Ascent result;
    double slope = 0.0, bend = 0.0;
    auto way = [&](int k) { return working_set_only_ && !in_working_set_[k] ? 0.0 : (gradient_[k] > 0.0 ? cap : 0.0) - alpha_[k]; };
    for (int k = 0; k < labels_; ++k) {
      slope += way(k) * gradient_[k];
      bend += norm_ * way(k) * way(k);
    }
    result.violation = slope / cap;
    if (!(slope > 0.0)) return result;
    const double share = bend > slope ? slope / bend : 1.0;
    for (int k = 0; k < labels_; ++k) {
      const double step = way(k);
      if (step == 0.0) continue;
      move(k, share < 1.0 ? share * step : step);
      ++result.steps;
    }
    return result;
  }

 private:
  template <class Real>
  void add_row(std::int64_t example, Real* weights) const {
    data_->rows.each_move(example, [&](const Row& row) { row_update(row, weights, data_->shape.stride(), coefficient_.data()); });
  }

  void move(int k, double t) {
    alpha_[k] = std::max(0.0, alpha_[k] + t);
    total_ += t;
    linear_change_ += t * loss_->cost(k, sign_[k] > 0.0);
    coefficient_[k] += t * sign_[k];
    gradient_[k] -= t * norm_;
  }

  const LabelData* data_;
  const LabelLoss* loss_;
  int labels_;
  LabelScorer scorer_;
  std::int64_t example_ = 0;
  bool working_set_only_ = false;
  double norm_ = 0.0, slack_ = 0.0, spent_ = 0.0, total_ = 0.0, value_ = 0.0, working_set_value_ = 0.0, linear_change_ = 0.0;
  std::vector<double> sign_, alpha_, gradient_, coefficient_;
  std::vector<std::uint8_t> in_working_set_;
};

}  // namespace maxmargin
