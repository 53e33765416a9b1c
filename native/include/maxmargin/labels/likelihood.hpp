// The conditional likelihood of label vectors, P(y | x) = exp F(x, y) / sum_y' exp F(x, y'), and decisions by it.
//
//   f(w) = 1/2 |w|^2 - C sum_i c_i log P(y_i | x_i)
//
// by Newton's method: products of the Hessian with vectors are differences of gradients, steps come from conjugate gradients.
// f is strongly convex, so f(w) - min f <= 1/2 |g|^2 with g its gradient. The pairs of labels must make a forest, or the labels be few.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/labels/planes.hpp"

namespace maxmargin {

class LabelFit {
 public:
  // `weight` is c, one number per example; nullptr is 1.
  LabelFit(const LabelProblem& problem, const double* weight, double C, int threads);

  void start(std::span<const double> weights) {
    w_.assign(weights.begin(), weights.end());
    current_ = false;
  }
  // The objective and the gradient at w.
  void assess();
  double value() const { return value_; }
  double bound() const;
  // One step with a line search from the point assessed; false if none lowers the objective.
  bool step();
  // Steps until one was to gain at most `target`; answers how many.
  int run(double target, int most);
  const std::vector<double>& weights() const { return w_; }

 private:
  double weight_of(std::int64_t i) const { return weight_ == nullptr ? C_ : C_ * weight_[i]; }
  std::vector<double> pair_scores(const std::vector<double>& w) const;
  void score(const std::vector<double>& w, std::vector<double>& out) const;
  double losses(const std::vector<double>& gains, const std::vector<double>& pairs) const;
  std::vector<double> hessian_times(const std::vector<double>& v);
  void prepare();
  void sum_columns();
  void precondition(std::vector<double>& v) const;

  LabelProblem problem_;
  const double* weight_;
  double C_;
  int threads_, stride_;
  std::vector<double> w_, gradient_;
  std::vector<double> gains_, chances_, change_;  // (n, stride): scores at w, probabilities, scores of a direction
  std::vector<double> truths_, both_;             // one number per pair: how often both labels are true, and how often by the model
  std::vector<double> squares_, column_means_, factors_;  // of the columns, for the preconditioner; one factor per label
  std::vector<double> mean_, spread_;                      // mean probability and variance of each label
  double total_ = 0.0, value_ = 0.0, decrement_ = 0.0;
  bool current_ = false;  // whether everything belongs to w
};

// log P(y_k = 1 | x_i) - log P(y_k = 0 | x_i), (n, labels)
void label_log_odds(const LabelProblem& problem, const double* weights, std::span<double> odds, int threads);

// The label vectors of highest expected F1, (n, labels), and for each label by how much the best with it leads over the best without.
// `nodes` and `node_weights` integrate polynomials from 0 to 1: exactly where there are as many as labels.
void label_expected_f1(const LabelProblem& problem, const double* weights, std::span<const double> nodes, std::span<const double> node_weights,
                       std::span<std::uint8_t> labels, std::span<double> leads, int threads);

}  // namespace maxmargin
