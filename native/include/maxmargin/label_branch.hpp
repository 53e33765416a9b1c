// The best label vector where pairs make cycles and labels are too many to list: branch and bound.
//
// The bound is roof duality (Hammer, Hansen and Simeone 1984; Boros and Hammer 2002): the linear relaxation of the problem
// is a maximum flow between the literals y_k and 1 - y_k, and a literal that the source still reaches is 1 in every best
// vector. What that leaves open is listed where it is little, and divided on one label where it is not.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/flow.hpp"
#include "maxmargin/label_list.hpp"
#include "maxmargin/labels.hpp"

namespace maxmargin {

class LabelBranch {
 public:
  explicit LabelBranch(const LabelShape& shape)
      : shape_(&shape), matrix_(static_cast<std::size_t>(shape.labels) * shape.labels), y_(static_cast<std::size_t>(shape.labels)), best_y_(y_) {}

  // Forgets what was found. `scores` must stay while it is searched.
  void start(const LabelScores& scores) {
    scores_ = &scores;
    best_ = -std::numeric_limits<double>::infinity();
    double size = 0.0;
    for (int k = 0; k < shape_->labels; ++k) size += std::abs(scores.gain[k]);
    for (int p = 0; p < shape_->pair_count; ++p) {
      const int j = shape_->first(p), k = shape_->second(p);
      at(j, k) = at(k, j) = scores.pairs[p];
      size += std::abs(scores.pairs[p]);
    }
    rounding_ = 1e-13 * size;
  }

  // Takes a vector as the best so far where it is.
  void offer(const std::uint8_t* y) {
    const double score = (*scores_)(y);
    if (score > best_) best_ = score, std::copy_n(y, best_y_.size(), best_y_.begin());
  }

  // Looks for a better vector among those that agree with `fixed` (0 or 1; -1 leaves a label open). False where it gave
  // up, so that there may be a better one still.
  bool improve(const std::int8_t* fixed) {
    std::vector<int> open;
    std::vector<double> gain;
    double base = 0.0;
    for (int k = 0; k < shape_->labels; ++k) {
      y_[k] = fixed[k] == 1;
      double sum = scores_->gain[k];
      for (int j = 0; j < shape_->labels; ++j) sum += fixed[j] == 1 && (j < k || fixed[k] < 0) ? at(j, k) : 0.0;
      if (fixed[k] == 1) base += sum;
      if (fixed[k] < 0) open.push_back(k), gain.push_back(sum);
    }
    nodes_ = 0;
    climb(open, gain, base);
    branch(std::move(open), std::move(gain), base);
    return nodes_ <= kMostNodes;
  }

  double best() const { return best_; }
  const std::uint8_t* labels() const { return best_y_.data(); }

 private:
  static constexpr int kMostNodes = 500;
  static constexpr int kFewOpen = 10;

  double& at(int j, int k) { return matrix_[static_cast<std::size_t>(j) * shape_->labels + k]; }

  void found(double score) {
    if (score > best_) best_ = score, best_y_ = y_;
  }

  // From the labels of positive gain, one change after the other as long as one is better.
  void climb(const std::vector<int>& open, std::vector<double> gain, double score) {
    for (std::size_t i = 0; i < open.size(); ++i) y_[open[i]] = 0;
    for (;;) {
      std::size_t change = open.size();
      double most = rounding_;
      for (std::size_t i = 0; i < open.size(); ++i) {
        const double better = y_[open[i]] ? -gain[i] : gain[i];
        if (better > most) most = better, change = i;
      }
      if (change == open.size()) break;
      std::uint8_t& label = y_[open[change]];
      label = !label;
      score += most;
      for (std::size_t i = 0; i < open.size(); ++i) gain[i] += (label ? 1.0 : -1.0) * at(open[change], open[i]);
    }
    found(score);
  }

  // Over the labels in `open`, whose gains count the labels that are decided; those give `base`.
  void branch(std::vector<int> open, std::vector<double> gain, double base) {
    if (open.size() > kFewOpen) {
      if (++nodes_ > kMostNodes) return;
      if (base + relax(open, gain) <= best_ + rounding_) return;
      std::vector<std::int8_t> decided;
      for (int i = 0; i < static_cast<int>(open.size()); ++i) {
        decided.push_back(flow_.reached(2 * i) ? 1 : flow_.reached(2 * i + 1) ? 0 : -1);
      }
      decide(open, gain, base, decided);
    }
    if (open.size() <= kFewOpen) {
      list(open, gain, base);
      return;
    }
    const std::size_t chosen = most_tied(open);
    for (const bool value : {gain[chosen] > 0.0, gain[chosen] <= 0.0}) {
      std::vector<std::int8_t> decided(open.size(), -1);
      decided[chosen] = value;
      std::vector<int> rest = open;
      std::vector<double> rest_gain = gain;
      double rest_base = base;
      decide(rest, rest_gain, rest_base, decided);
      branch(std::move(rest), std::move(rest_gain), rest_base);
    }
  }

  void decide(std::vector<int>& open, std::vector<double>& gain, double& base, const std::vector<std::int8_t>& decided) {
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (decided[i] < 0) continue;
      y_[open[i]] = static_cast<std::uint8_t>(decided[i]);
      if (decided[i] == 0) continue;
      base += gain[i];
      for (std::size_t j = 0; j < open.size(); ++j) gain[j] += j == i ? 0.0 : at(open[i], open[j]);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (decided[i] < 0) open[kept] = open[i], gain[kept++] = gain[i];
    }
    open.resize(kept);
    gain.resize(kept);
  }

  void list(const std::vector<int>& open, const std::vector<double>& gain, double base) {
    const std::size_t count = open.size();
    few_.resize(count * count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) few_[i * count + j] = at(open[i], open[j]);
    }
    list_.run(static_cast<int>(count), gain.data(), few_.data());
    const std::uint32_t best = list_.best();
    for (std::size_t i = 0; i < count; ++i) y_[open[i]] = best >> i & 1u;
    found(base + list_.scores[best]);
  }

  std::size_t most_tied(const std::vector<int>& open) {
    std::size_t chosen = 0;
    double most = -1.0;
    for (std::size_t i = 0; i < open.size(); ++i) {
      double ties = 0.0;
      for (int other : open) ties += std::abs(at(open[i], other));
      if (ties > most) most = ties, chosen = i;
    }
    return chosen;
  }

  // An upper bound of what the open labels can add. Node 2 i of the flow is the literal y of the i-th, 2 i + 1 its opposite,
  // then come the constants 1 and 0; a term c p q of -F, all c being positive, is two arcs of capacity c, from p to the
  // opposite of q and from q to that of p. Every unit of flow raises the bound of -F by one half.
  double relax(const std::vector<int>& open, const std::vector<double>& gain) {
    const int count = static_cast<int>(open.size()), one = 2 * count, zero = one + 1;
    flow_.reset(2 * count + 2, 1e-3 * rounding_);
    linear_.assign(gain.size(), 0.0);
    for (int i = 0; i < count; ++i) linear_[i] -= gain[i];
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < i; ++j) {
        const double pair = at(open[i], open[j]);
        if (pair < 0.0) {
          flow_.add(2 * i, 2 * j + 1, -pair, 0.0);
          flow_.add(2 * j, 2 * i + 1, -pair, 0.0);
        } else if (pair > 0.0) {  // -pair p q = -pair / 2 (p + q) + pair / 2 (p (1 - q) + (1 - p) q)
          linear_[i] -= 0.5 * pair;
          linear_[j] -= 0.5 * pair;
          flow_.add(2 * i, 2 * j, 0.5 * pair, 0.5 * pair);
          flow_.add(2 * i + 1, 2 * j + 1, 0.5 * pair, 0.5 * pair);
        }
      }
    }
    double constant = 0.0;
    for (int i = 0; i < count; ++i) {
      const int literal = linear_[i] > 0.0 ? 2 * i : 2 * i + 1;
      constant += std::min(0.0, linear_[i]);
      flow_.add(literal, zero, std::abs(linear_[i]), 0.0);
      flow_.add(one, literal ^ 1, std::abs(linear_[i]), 0.0);
    }
    return -constant - 0.5 * flow_.run(one, zero);
  }

  const LabelShape* shape_;
  const LabelScores* scores_ = nullptr;
  std::vector<double> matrix_;  // pair scores, symmetric
  double rounding_ = 0.0, best_ = 0.0;
  std::vector<std::uint8_t> y_, best_y_;
  int nodes_ = 0;
  FlowGraph flow_;
  ScoreList list_;
  std::vector<double> linear_, few_;
};

}  // namespace maxmargin
