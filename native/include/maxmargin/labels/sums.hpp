// Sums of exp F over all label vectors, and the probabilities that they are the norm of, by a forest or a list.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "maxmargin/labels/planes.hpp"

namespace maxmargin {

// The sums of a forest in odds, R_k = sum with label k set / sum without it over what hangs on k: an exponential a label, and no
// logarithms; for scores that are small enough for the odds of three labels to multiply (`fits`).
class ForestOdds {
 public:
  explicit ForestOdds(const LabelForest& forest) : forest_(&forest), up_(static_cast<std::size_t>(padded(forest.root + 1))), full_(up_), factor_(up_) {}

  // Reads the scores of pairs, which are those of all examples; true where the odds of an example stay in range.
  void read_pairs(const LabelShape& shape, const double* pairs) {
    bonus_.assign(pairs, pairs + shape.pair_count);
    reach_ = 0.0;
    for (double bonus : bonus_) reach_ += std::abs(bonus);
    if (reach_ < kReach) kernels().exp_all(bonus_.data(), std::ssize(bonus_));
  }
  bool fits(const LabelScores& scores) const {
    double largest = 0.0;
    for (int k = 0; k < forest_->root; ++k) largest = std::max(largest, std::abs(scores.gain[k]));
    return reach_ + largest < kReach;
  }

  double run(const LabelScores& scores) {
    std::fill(std::copy_n(scores.gain, forest_->root, up_.begin()), up_.end(), 0.0);
    kernels().exp_all(up_.data(), padded(forest_->root));  // whole vectors
    double product = 1.0, sum = 0.0;
    for (std::size_t at = 0; at + 1 < forest_->order.size(); ++at) {  // children before parents; not the root
      const int k = forest_->order[at];
      const double all = 1.0 + up_[k];
      product *= all;
      if (product > 1e100) {
        sum += std::log(product);
        product = 1.0;
      }
      if (forest_->pair[k] < 0) continue;
      factor_[k] = (1.0 + up_[k] * bonus_[forest_->pair[k]]) / all;
      up_[forest_->parent[k]] *= factor_[k];
    }
    return sum + std::log(product);
  }
  void chances(double* chance) {
    for (auto at = forest_->order.rbegin() + 1; at != forest_->order.rend(); ++at) {
      const int k = *at;
      full_[k] = up_[k];
      if (forest_->pair[k] >= 0) {
        const double above = full_[forest_->parent[k]] / factor_[k];  // odds of the parent without what hangs on k
        full_[k] *= (1.0 + above * bonus_[forest_->pair[k]]) / (1.0 + above);
      }
      chance[k] = full_[k] / (1.0 + full_[k]);
    }
  }
  void count_pairs(double weight, double* counts) const {
    for (int k = 0; k < forest_->root; ++k) {
      const int p = forest_->pair[k];
      if (p < 0) continue;
      const double above = full_[forest_->parent[k]] / factor_[k], both = above * up_[k] * bonus_[p];
      counts[p] += weight * both / (1.0 + above + up_[k] + both);
    }
  }

 private:
  static constexpr double kReach = 200.0;

  const LabelForest* forest_;
  std::vector<double> up_, full_, factor_;  // odds of what hangs on a label, of everything, and what a child makes of its parent's
  std::vector<double> bonus_;               // exp of the scores of pairs
  double reach_ = 0.0;
};

// The sums over a list of label vectors, without logarithms: the exponential of a score is the product of one factor per label and one per
// pair of labels, and those of pairs are the same for all examples. For scores that are small enough for all products (`fits`).
class ListOdds {
 public:
  // Reads the scores of pairs; true where the odds of an example stay in range.
  void read_pairs(const LabelShape& shape, const double* pairs) {
    labels_ = shape.labels;
    odds_.resize(static_cast<std::size_t>(padded(labels_)));
    sums_.resize(odds_.size());
    share_.resize(std::size_t{1} << labels_);
    folded_.resize(share_.size() / 2 + 1);
    gained_.assign(share_.size(), 0.0);
    reach_ = 0.0;
    for (int p = 0; p < shape.pair_count; ++p) {
      reach_ += std::abs(pairs[p]);
      const std::size_t low = std::size_t{1} << std::min(shape.first(p), shape.second(p)), high = std::size_t{1} << std::max(shape.first(p), shape.second(p));
      for (std::size_t m = 0; m < high; ++m) gained_[high + m] += (m & low) != 0 ? pairs[p] : 0.0;
    }
    if (reach_ < kReach) kernels().exp_all(gained_.data(), std::ssize(gained_));
  }
  bool fits(const LabelScores& scores) const {
    double reach = reach_;
    for (int k = 0; k < labels_; ++k) reach += std::abs(scores.gain[k]);
    return reach < kReach;
  }

  double run(const LabelScores& scores) {
    const auto& kernel = kernels();
    std::fill(std::copy_n(scores.gain, labels_, odds_.begin()), odds_.end(), 0.0);
    kernel.exp_all(odds_.data(), std::ssize(odds_));  // whole vectors
    share_[0] = 1.0;
    for (int k = 0; k < labels_; ++k) {
      const std::int64_t half = std::int64_t{1} << k;
      kernel.multiply(share_.data(), gained_.data() + half, odds_[k], half, share_.data() + half);
    }
    const double* from = share_.data();
    for (int k = labels_; k-- > 0; from = folded_.data()) sums_[k] = kernel.fold(from, std::int64_t{1} << k, folded_.data());
    total_ = folded_[0];
    return std::log(total_);
  }
  void chances(double* chance) const {
    for (int k = 0; k < labels_; ++k) chance[k] = sums_[k] / total_;
  }
  // Adds weight * P(y) to mass[y] for every y.
  void add_mass(double weight, std::vector<double>& mass) const {
    mass.resize(share_.size());
    kernels().axpy(weight / total_, share_.data(), mass.data(), std::ssize(share_));
  }

 private:
  static constexpr double kReach = 500.0;

  int labels_ = 0;
  std::vector<double> gained_;  // exp of what the last label of a vector gains by its pairs
  std::vector<double> odds_, sums_, share_, folded_;
  double reach_ = 0.0, total_ = 1.0;
};

class LabelSums {
 public:
  explicit LabelSums(const LabelProblem& problem)
      : shape_(&problem.data->shape), listed_(problem.method == LabelMethod::list), odds_(*problem.forest), forest_(*problem.forest), list_(*shape_), other_(static_cast<std::size_t>(shape_->labels)) {
    if (problem.method == LabelMethod::branch) throw std::logic_error("sums over label vectors need a forest or few labels");
  }

  // What follows is about scores of pairs that are those of all examples.
  void read_pairs(const double* pairs) {
    listed_ ? list_odds_.read_pairs(*shape_, pairs) : odds_.read_pairs(*shape_, pairs);
  }
  // log sum_y exp F(y)
  double run(const LabelScores& scores) {
    if (!listed_) {
      in_odds_ = odds_.fits(scores);
      return in_odds_ ? odds_.run(scores) : forest_.run(scores);
    }
    in_odds_ = list_odds_.fits(scores);
    return in_odds_ ? list_odds_.run(scores) : sum_list(scores);
  }
  // chance[k] = P(y_k = 1), of the scores of `run`
  void chances(double* chance) {
    if (listed_) {
      in_odds_ ? list_odds_.chances(chance) : list_.chances(chance, nullptr);
      return;
    }
    if (in_odds_) {
      odds_.chances(chance);
      return;
    }
    forest_.margins(chance);
    for (int k = 0; k < shape_->labels; ++k) chance[k] = 1.0 / (1.0 + std::exp(-chance[k]));
  }
  // log P(y_k = 1) - log P(y_k = 0), without `run`
  void log_odds(const LabelScores& scores, double* odds) {
    if (!listed_) {
      forest_.run(scores);
      forest_.margins(odds);
      return;
    }
    sum_list(scores);
    constexpr double least = std::numeric_limits<double>::min();
    list_.chances(odds, other_.data());
    for (int k = 0; k < shape_->labels; ++k) odds[k] = std::log(std::max(odds[k], least)) - std::log(std::max(other_[k], least));
  }

  // Adds weight * P(y_j = y_k = 1) to what pairs have collected; after `chances`.
  void collect_pairs(double weight) {
    if (shape_->pair_count == 0) return;
    if (listed_) {
      in_odds_ ? list_odds_.add_mass(weight, mass_) : list_.add_mass(weight, mass_);
    } else {
      collected_.resize(static_cast<std::size_t>(shape_->pair_count));
      in_odds_ ? odds_.count_pairs(weight, collected_.data()) : forest_.count_pairs(weight, collected_.data());
    }
  }
  // Adds it to counts, one number per pair.
  void give_pairs(double* counts) const {
    LabelList::count_pairs(*shape_, mass_, counts);
    for (std::size_t p = 0; p < collected_.size(); ++p) counts[p] += collected_[p];
  }

 private:
  double sum_list(const LabelScores& scores) {
    list_.run(scores);
    return list_.sum();
  }

  const LabelShape* shape_;
  bool listed_, in_odds_ = false;
  ForestOdds odds_;
  ListOdds list_odds_;
  SummedLabels forest_;
  LabelList list_;
  std::vector<double> other_, mass_, collected_;
};

}  // namespace maxmargin
