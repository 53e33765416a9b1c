// Classes with output features for the dual engine: the dual state of one example over its planes (classes/output_planes.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/classes/output_planes.hpp"
#include "maxmargin/engine/short_block.hpp"
#include "maxmargin/engine/working_sets.hpp"

namespace maxmargin {

class OutputBlock : public OutputPlanes {
 public:
  using Data = OutputData;
  static constexpr bool kCoarse = true;

  explicit OutputBlock(const OutputData& data) : OutputPlanes(data), allowed_(scores_.size()) {}

  bool at_rest(const SupportLists::List& working_set) const { return working_set.size == 0 && worst_ == truth_; }

  // Puts the dual state in. The truth takes the rest of a cap; with `working_set_only` the other planes are out of reach.
  void load(const SupportLists::List& working_set, double cap, double ridge, bool working_set_only) {
    clear();
    total_ = value_ = working_set_value_ = linear_change_ = 0.0;
    working_set_ = &working_set;
    for (const SupportEntry& entry : working_set) {
      working_set_value_ = std::max(working_set_value_, gradient_[entry.output]);
      use(entry.output);
      alpha_[entry.output] = entry.alpha;
      total_ += entry.alpha;
      value_ += entry.alpha * gradient_[entry.output];
    }
    spent_ = total_;
    ridge_ = ridge;
    use(truth_);
    if (cap < std::numeric_limits<double>::infinity()) alpha_[truth_] = std::max(0.0, cap - total_);
    if (working_set_only) {
      std::fill(allowed_.begin(), allowed_.end(), -std::numeric_limits<double>::infinity());
      allowed_[truth_] = 0.0;
      for (const SupportEntry& entry : working_set) allowed_[entry.output] = margin_[entry.output];
      margin_ = allowed_.data();
    }
    if (working_set_only || ridge > 0.0) value_planes();
  }

  // Writes the dual state back (engine/working_sets.hpp).
  void store(SupportLists& lists, std::int32_t keep_idle, bool aging, bool keep_worst) {
    if (keep_worst) use(worst_);
    store_classes(lists, example_, alpha_.data(), truth_, keep_worst ? worst_ : -1, keep_idle, aging, [&](auto&& visit) {
      for (std::int32_t k : used_) visit(k);
    });
  }

  template <class Real>
  void apply(Real* weights) {
    for (std::int32_t k : used_) {
      if (coefficient_[k] != 0.0) sums_.add(k, coefficient_[k]);
    }
    data_.rows.each_move(example_, [&](const Row& row) { sums_.add_to(row, weights); });
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
    data_.rows.each_move(example, [&](const Row& row) { sums_.add_to(row, weights); });
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

  double spent() const { return spent_; }
  double total() const { return total_; }
  double value() const { return value_; }
  double working_set_value() const { return working_set_value_; }
  bool in_working_set(int k) const {
    return std::any_of(working_set_->begin(), working_set_->end(), [k](const SupportEntry& entry) { return entry.output == k; });
  }

  // Steps among a few planes; `ascend` is one of the two of engine/ascent.hpp.
  template <class Ascend>
  Ascent ascend_few(bool with_truth, Ascend&& ascend) {
    few_.clear();
    for (std::int32_t k : used_) {
      if (k != truth_ && gradient_[k] > -std::numeric_limits<double>::infinity()) few_.push_back(k);
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

 private:
  double spent_ = 0.0, value_ = 0.0, working_set_value_ = 0.0;
  const SupportLists::List* working_set_ = nullptr;
  std::vector<double> allowed_;
  std::vector<std::int32_t> few_;  // planes that steps see
  ShortBlock<OutputBlock> some_;
};

// Chosen before the templates of engine/ascent.hpp.
inline Ascent ascend_capped(OutputBlock& block, double precision, double relative, int max_steps, double overstep) {
  if (block.size() <= kManyClasses) return ascend_capped<OutputBlock>(block, precision, relative, max_steps, overstep);
  return block.ascend_few(true, [&](auto& some) { return ascend_capped(some, precision, relative, max_steps, overstep); });
}
inline Ascent ascend_free(OutputBlock& block, double precision, double relative, int max_steps) {
  if (block.size() <= kManyClasses) return ascend_free<OutputBlock>(block, precision, relative, max_steps);
  return block.ascend_few(false, [&](auto& some) { return ascend_free(some, precision, relative, max_steps); });
}

}  // namespace maxmargin
