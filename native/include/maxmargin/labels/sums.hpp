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
  explicit ForestOdds(const LabelForest& forest) : forest_(&forest), up_(forest.order.size()), full_(up_), factor_(up_) {}

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
    std::copy_n(scores.gain, forest_->root, up_.begin());
    kernels().exp_all(up_.data(), forest_->root);
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

class LabelSums {
 public:
  explicit LabelSums(const LabelProblem& problem)
      : shape_(&problem.data->shape), listed_(problem.method == LabelMethod::list), odds_(*problem.forest), forest_(*problem.forest), list_(*shape_), other_(static_cast<std::size_t>(shape_->labels)) {
    if (problem.method == LabelMethod::branch) throw std::logic_error("sums over label vectors need a forest or few labels");
  }

  // What follows is about scores of pairs that are those of all examples.
  void read_pairs(const double* pairs) {
    if (!listed_) odds_.read_pairs(*shape_, pairs);
  }
  // log sum_y exp F(y)
  double run(const LabelScores& scores) {
    if (!listed_) {
      in_odds_ = odds_.fits(scores);
      return in_odds_ ? odds_.run(scores) : forest_.run(scores);
    }
    list_.run(scores);
    return list_.sum();
  }
  // chance[k] = P(y_k = 1), of the scores of `run`
  void chances(double* chance) {
    if (listed_) {
      list_.chances(chance, nullptr);
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
    run(scores);
    constexpr double least = std::numeric_limits<double>::min();
    list_.chances(odds, other_.data());
    for (int k = 0; k < shape_->labels; ++k) odds[k] = std::log(std::max(odds[k], least)) - std::log(std::max(other_[k], least));
  }

  // Adds weight * P(y_j = y_k = 1) to what pairs have collected; after `chances`.
  void collect_pairs(double weight) {
    if (shape_->pair_count == 0) return;
    if (listed_) {
      list_.add_mass(weight, mass_);
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
  const LabelShape* shape_;
  bool listed_, in_odds_ = false;
  ForestOdds odds_;
  SummedLabels forest_;
  LabelList list_;
  std::vector<double> other_, mass_, collected_;
};

}  // namespace maxmargin
