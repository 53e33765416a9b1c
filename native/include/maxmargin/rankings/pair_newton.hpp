// Newton's method for the pairs of all groups:
//
//   P(w) = 1/2 |w|^2 + C sum over groups of s_g * mean over pairs of max(0, 1 - <w, x_i - x_j>)
//
// on a smooth form of it (rankings/sorted_pairs.hpp). The slopes alpha of the smooth losses are dual variables of P: with a = C sum s_g mean alpha
// (x_i - x_j) and b = C sum s_g mean alpha the dual objective is b - 1/2 |a|^2, so every point comes with a bound. The band of the smooth form
// is narrowed until what it adds to the gap is a part of the gap allowed. A few steps are enough where pairs are many, as the sum of many
// hinges is nearly smooth.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/rankings/sorted_pairs.hpp"

namespace maxmargin {

class PairNewton {
 public:
  // `weight` holds s, one per group.
  PairNewton(const PairRows& data, std::vector<double> weight, double C, int threads);

  // The least-squares solution of all pairs (of a sample of the groups), at its best length.
  void start();
  // The solution of a similar problem; `a` and `b` are a cut that holds for this one, without C, or nothing.
  void resume(std::span<const double> w, std::span<const double> a, double b);
  // One step; `allowed` is the gap that would do. False where there is no way forward in floating point.
  bool step(double allowed);

  // The best point so far, and the best dual.
  double primal() const { return primal_; }
  double dual() const { return bound_; }
  double dual_square() const;                              // 1/2 |a|^2 of it
  const std::vector<double>& weights() const { return best_; }
  const std::vector<double>& slack() const { return slack_; }  // of each group, at the best point
  const std::vector<double>& normal() const { return normal_; }  // a
  double offset() const { return offset_; }                    // b
  std::int64_t passes() const { return passes_; }

 private:
  struct Point {
    std::vector<double> w, a, gradient;
    double primal = 0.0, b = 0.0;
  };
  void move_to(std::vector<double> w, Point& out);
  void finish(Point& out);  // from the scores that are in order
  void conclude(Point& out);  // from their losses
  void keep(const Point& point);
  double length_along(const std::vector<double>& direction, double below, std::int64_t stride);
  double narrower(double allowed, double most) const;
  bool direction(double band, std::int64_t stride, std::vector<double>& rhs) const;
  std::vector<double> combined() const;

  PairRows data_;
  SortedPairs pairs_;
  std::vector<double> weight_;  // C s
  int threads_;
  double C_, band_ = 1.0;
  bool near_ = false;  // whether the present point is that of a similar problem
  bool narrowed_ = true;  // whether the last step ended in a narrower band
  bool whole_ = true;  // the last step, which is a sign that the band is wide enough for the next
  std::vector<double> scores_;
  PairLosses losses_;
  Point at_;
  std::vector<double> best_, slack_, normal_;
  double primal_, bound_, offset_ = 0.0;
  std::int64_t passes_ = 0;
};

}  // namespace maxmargin
