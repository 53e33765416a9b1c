// The conditional likelihood of classes, p(k | x) = exp <w_k, x> / sum_l exp <w_l, x>: its value and gradient over all rows,
// and dual ascent, one row at a time.
//
//   primal   1/2 |w|^2 + sum_i c_i (log sum_k exp <w_k, x_i> - <w_{y_i}, x_i>),   c_i = C s_i
//   dual     sum_i c_i H(alpha_i) - 1/2 |w(alpha)|^2,   w(alpha) = sum_i c_i (e_{y_i} - alpha_i) (x) x_i
//
// alpha_i is a distribution over the classes. The step is that of chains/dual.hpp, where a chain of one token is a row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

struct ClassRows {
  Rows rows;
  const double* squared_norms = nullptr;  // |x_i|^2, the constant feature included
  const std::int32_t* truth = nullptr;
  const double* weight = nullptr;         // s, or null: all are 1
  int classes = 0;

  int stride() const { return padded(classes); }
  std::int64_t weight_count() const { return rows.columns() * stride(); }
  double weight_of(std::int64_t i) const { return weight == nullptr ? 1.0 : weight[i]; }
};

// sum_i s_i -log p(y_i | x_i) over the rows begin to end, and its gradient added to `gradient` unless that is null.
double class_likelihood(const ClassRows& data, const double* w, std::int64_t begin, std::int64_t end, double* gradient, int threads);

// The same with second derivatives, for few columns d. Here weights and gradient are of shape (classes, d), without padding. Hessian blocks
// (d, d) of the pairs of classes k >= l, in the order of k * (k + 1) / 2 + l, are added to `blocks`, their lower triangles only:
//
//   d^2 / dw_k dw_l = sum_i s_i p_ik ([k = l] - p_il) x_i x_i'
//
// Two classes have one block, that of (0, 0): the one of (1, 1) is equal, and that of (1, 0) its negative.
double class_curvature(const ClassRows& data, const double* w, std::int64_t begin, std::int64_t end, double* gradient, double* blocks,
                       int threads);

// The lower triangle of C times the Hessian plus l2, of order classes * d, from the blocks; zero above the diagonal.
std::vector<double> class_hessian(int classes, std::int64_t d, const double* blocks, double C, double l2);

inline std::int64_t curvature_blocks(int classes) { return classes == 2 ? 1 : static_cast<std::int64_t>(classes) * (classes + 1) / 2; }

class ClassDual {
 public:
  ClassDual(const ClassRows& data, double C);

  // Every alpha_i becomes the distribution at w: at the optimum w(alpha) is that w.
  void start(const double* w);
  // Visits rows in order and returns the number of visits.
  std::int64_t visit(std::span<const std::int32_t> order);
  // A lower bound of the optimum, exact after `sharpen`.
  double dual() const;
  // w and the entropies anew from alpha, in float64.
  void sharpen();

  WeightsOf<float>& coarse_weights() { return w_; }  // as the visits left them

  Weights weights;          // as of the last `sharpen`
  std::vector<float> gaps;  // upper bounds of c_i KL(alpha_i | p_i) when last visited

 private:
  void visit_one(std::int64_t i);

  ClassRows data_;
  double C_;
  WeightsOf<float> w_;
  std::vector<float> alpha_;     // (n, stride)
  std::vector<double> entropy_;  // lower bounds of H(alpha_i)
  double total_entropy_ = 0.0;   // sum c h
  std::vector<float> coarse_;
  std::vector<double> scores_, change_;
};

}  // namespace maxmargin
