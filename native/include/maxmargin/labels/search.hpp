// The most violated label vector of an example in every formulation, by the method that suits the pairs of labels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "maxmargin/engine/rescaled.hpp"
#include "maxmargin/labels/branch.hpp"
#include "maxmargin/labels/forest.hpp"
#include "maxmargin/labels/list.hpp"
#include "maxmargin/labels/semirings.hpp"
#include "maxmargin/labels/strata.hpp"

namespace maxmargin {

//   forest   the pairs make no cycle: dynamic programming
//   list     at most kMostListed labels: all vectors are looked at
//   branch   branch and bound; finds no best vector by its loss, and may give up
enum class LabelMethod : std::uint8_t { forest, list, branch };

class LabelSearcher {
 public:
  LabelSearcher(const LabelShape& shape, LabelMethod method, const LabelForest& forest, const LabelLoss& loss)
      : shape_(&shape),
        method_(method),
        loss_(&loss),
        best_(forest),
        strata_(forest, loss),
        list_(shape),
        branch_(shape),
        gain_(static_cast<std::size_t>(shape.labels)),
        fixed_(static_cast<std::size_t>(shape.labels)) {}

  // Fills `y` with the most violated vector and returns true, or false where the truth is the answer.
  bool find(const LabelScores& scores, const std::uint8_t* truth, std::uint8_t* y) {
    switch (loss_->goal) {
      case LabelGoal::augmented: best(augmented(scores, truth), y); break;
      case LabelGoal::prediction: best(scores, y); break;
      case LabelGoal::second:
        if (method_ == LabelMethod::branch) {
          second(scores, truth, y);
          break;
        }
        [[fallthrough]];
      default: return by_stratum(scores, truth, y);
    }
    return !std::equal(y, y + shape_->labels, truth);
  }

  void best(const LabelScores& scores, std::uint8_t* y) {
    switch (method_) {
      case LabelMethod::forest:
        best_.run(scores);
        best_.labels(y);
        break;
      case LabelMethod::list:
        list_.run(scores);
        list_.best(y);
        break;
      case LabelMethod::branch:
        std::fill(fixed_.begin(), fixed_.end(), std::int8_t{-1});
        branch_.start(scores);
        missed_ += !improve();
        std::copy_n(branch_.labels(), shape_->labels, y);
        break;
    }
  }

  // margin[k] = max of F with y_k = 1 minus max of F with y_k = 0.
  void margins(const LabelScores& scores, double* margin) {
    switch (method_) {
      case LabelMethod::forest:
        best_.run(scores);
        best_.margins(margin);
        break;
      case LabelMethod::list:
        list_.run(scores);
        list_.margins(margin);
        break;
      case LabelMethod::branch: branched_margins(scores, margin); break;
    }
  }

  // Lets branch and bound spend so many nodes in all beyond the few that every search may have: the hard searches of a
  // pass take what the easy ones leave.
  void allow(std::int64_t nodes) { pool_ = nodes; }

  // Searches that gave up before they were sure.
  std::int64_t missed() const { return missed_; }

 private:
  static constexpr std::int64_t kFewNodes = 200, kMostNodes = 100'000;

  bool improve() {
    const bool sure = branch_.improve(fixed_.data(), std::clamp(pool_, kFewNodes, kMostNodes));
    pool_ -= branch_.nodes();
    return sure;
  }

  // A wrong label adds its cost: where it is true and not set, or set and not true.
  LabelScores augmented(LabelScores scores, const std::uint8_t* truth) {
    for (int k = 0; k < shape_->labels; ++k) {
      const double cost = loss_->cost(k, truth[k]);
      gain_[k] = scores.gain[k] + (truth[k] ? -cost : cost);
    }
    scores.gain = gain_.data();
    return scores;
  }

  bool by_stratum(const LabelScores& scores, const std::uint8_t* truth, std::uint8_t* y) {
    const bool any = loss_->goal == LabelGoal::second;  // the best wrong vector is wanted even where it is no better than the truth
    if (method_ == LabelMethod::list) {
      list_.run(scores);
      return list_.violated(*loss_, truth, any, y);
    }
    if (method_ == LabelMethod::branch) throw std::logic_error("this search goes by the loss, which needs a forest or few labels");
    strata_.run(scores, truth);
    const double own = scores(truth);
    const int truths = static_cast<int>(std::count(truth, truth + shape_->labels, std::uint8_t{1}));
    MostViolated chosen{any ? -std::numeric_limits<double>::infinity() : 0.0};
    for (int a = any ? 1 : 0; a < strata_.a_count(); ++a) {
      for (int b = 0; b < strata_.b_count(); ++b) {
        const std::int64_t cell = loss_->goal == LabelGoal::counts ? loss_->place(shape_->labels, truths, a, b) : a;
        chosen.offer(static_cast<std::int64_t>(a) * strata_.b_count() + b, {loss_->margin[cell], loss_->scale[cell]}, own, strata_.score(a, b));
      }
    }
    if (chosen.stratum < 0) return false;
    strata_.labels(static_cast<int>(chosen.stratum / strata_.b_count()), static_cast<int>(chosen.stratum % strata_.b_count()), y);
    return !std::equal(y, y + shape_->labels, truth);  // a mistake may be free, and the truth first in its stratum by rounding
  }

  // The best vector but the truth: for each label k, the best that agrees with the truth before k and differs at k.
  void second(const LabelScores& scores, const std::uint8_t* truth, std::uint8_t* y) {
    branch_.start(scores);
    std::copy_n(truth, shape_->labels, y);
    for (int k = 0; k < shape_->labels; ++k) {
      y[k] = !y[k];
      branch_.offer(y);
      y[k] = !y[k];
    }
    std::fill(fixed_.begin(), fixed_.end(), std::int8_t{-1});
    bool sure = true;
    for (int k = 0; k < shape_->labels; ++k) {
      fixed_[k] = truth[k] ? 0 : 1;
      sure = improve() && sure;
      fixed_[k] = truth[k] ? 1 : 0;
    }
    missed_ += !sure;
    std::copy_n(branch_.labels(), shape_->labels, y);
  }

  void branched_margins(const LabelScores& scores, double* margin) {
    std::vector<std::uint8_t> top(fixed_.size());
    best(scores, top.data());
    const double highest = branch_.best();
    bool sure = true;
    for (int k = 0; k < shape_->labels; ++k) {
      std::fill(fixed_.begin(), fixed_.end(), std::int8_t{-1});
      fixed_[k] = top[k] ? 0 : 1;
      branch_.start(scores);
      sure = improve() && sure;
      margin[k] = top[k] ? highest - branch_.best() : branch_.best() - highest;
    }
    missed_ += !sure;
  }

  const LabelShape* shape_;
  LabelMethod method_;
  const LabelLoss* loss_;
  BestLabels best_;
  BestByStratum strata_;
  LabelList list_;
  LabelBranch branch_;
  std::vector<double> gain_;
  std::vector<std::int8_t> fixed_;
  std::int64_t missed_ = 0, pool_ = 0;
};

}  // namespace maxmargin
