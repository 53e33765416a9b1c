// Linear classification of two classes with a smooth loss:
//
//   f(w) = 1/2 sum_j p_j w_j^2 + C sum_i c_i loss(y_i <w, x_i>)        y_i = +-1, over the rows in use
//
// with the logistic loss log(1 + exp(-z)) or the squared hinge 1/2 max(0, 1 - z)^2, by Newton's method. With few columns the Hessian
// is formed and factored, so that neither the scale nor the offset of a column costs iterations; with many a step comes
// from conjugate gradients. f is strongly convex in the norm of p, so f(w) - min f <= 1/2 sum_j g_j^2 / p_j with g its gradient;
// where that is far too much, as after steps that conjugate gradients have cut short, rows/class_scaled_dual.hpp knows better.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/rows/fold_newton.hpp"
#include "maxmargin/rows/smooth_data.hpp"

namespace maxmargin {

class SmoothFit {
 public:
  // `members` are the rows in use.
  SmoothFit(const SmoothData& data, std::vector<std::int32_t> members, SmoothLoss loss, double C);

  // Another problem over the same rows; w stays.
  void change(SmoothLoss loss, double C);
  void start(std::span<const double> weights);

  // The objective and the gradient at w.
  void assess();
  double value() const { return value_; }
  double bound() const;  // of f(w) - min f, at the last point assessed

  // One Newton step with a line search from the point assessed; false if none lowers the objective. `decrement` is then half the
  // squared Newton decrement, which tells how much a whole step was to gain.
  bool step();
  double decrement() const { return decrement_; }

  // Steps until one gains at most `target`, or until the time is up; answers how many.
  int run(double target, int most);
  // From now on `run` and `fold_scores` begin no step after so many seconds.
  void limit(double seconds);

  // How far w is from the optimum for another C, where Hessians are formed: what a Newton step is to gain there, in units of what an
  // optimum of as many columns owes to chance.
  double distance(double C);

  // Scores of the members, each by weights that were fitted without the rows of its fold, with a C as much larger as they are fewer: scores
  // are then of the size that they have where all rows are used, and so are thresholds. Members must stand in the order of their
  // folds, fold k at offsets[k] .. offsets[k + 1]. Where Hessians are formed, w should be near the optimum: one Newton step from there
  // for each fold, with Hessians that are summed up in one pass, is all that most folds need. Where they are not, a fold
  // starts from its weights of the last call, at first from the start of the fit: steps of limited accuracy away from w
  // would leave something in the weights of what the rows of the fold had put there. Then w becomes the mean of the folds' weights.
  std::vector<double> fold_scores(std::span<const std::int64_t> offsets, double target, int threads);

  bool direct() const;  // whether Hessians are formed
  const std::vector<double>& weights() const { return w_; }
  std::int64_t passes() const { return passes_; }

 private:
  struct Sums {  // over some of the members
    double value = 0.0;
    std::vector<double> gradient, hessian;
  };
  struct Columns {
    const double* first;
    std::int64_t apart;
  };
  Columns columns_of(std::int64_t from, std::int64_t n, Weights& own) const;
  void turn();
  void add_direct(std::int64_t begin, std::int64_t end, Sums& sums);
  void add_slopes(std::int64_t begin, std::int64_t end, const std::vector<double>& w, std::vector<double>& gradient) const;
  void score_direct(std::int64_t begin, std::int64_t end, const std::vector<double>& w, std::span<double> out) const;
  void assess_sparse();
  void add_penalty(const std::vector<double>& w, Sums& sums) const;
  std::vector<double> hessian_times(const std::vector<double>& v);
  void sum_folds();
  Sums total(double C);
  std::vector<double> sparse_fold_scores(std::span<const std::int64_t> offsets, double target, int threads);
  bool search_along(const std::vector<double>& step, double slope, double length);
  bool leave_out(const Sums& all, std::size_t fold, double more, std::vector<double>& w) const;
  double weight_of(std::int64_t begin, std::int64_t end) const;

  SmoothData data_;
  std::vector<std::int32_t> members_;
  SmoothLoss loss_;
  double C_;
  std::vector<double> w_, gradient_, diagonal_, scores_, curvature_, origin_;
  std::vector<double> sign_, weight_;  // of the members
  Weights turned_;                     // their columns, one after the other; empty where they are too many to be kept
  std::vector<std::int64_t> folds_;  // where they begin, and the end
  std::vector<Sums> parts_;           // over each fold, without C
  bool current_ = false;              // whether they are those at w
  std::vector<FoldNewton> left_out_;  // where Hessians are not formed
  double value_ = 0.0, decrement_ = 0.0;
  double dual_ = -std::numeric_limits<double>::infinity();  // the best lower bound of the minimum so far, besides that of `bound`
  std::int64_t passes_ = 0;
  std::optional<std::chrono::steady_clock::time_point> end_;
};

}  // namespace maxmargin
