// Dual ascent for the conditional likelihood of labelled chains of order 1 (a CRF), one sequence at a time.
//
//   primal   1/2 |w|^2 + sum_i c_i (log sum_y exp F(x_i, y; w) - F(x_i, y_i; w)),   c_i = C s_i
//   dual     sum_i c_i H(alpha_i) - 1/2 |w(alpha)|^2,   w(alpha) = sum_i c_i (Psi(x_i, y_i) - E_alpha_i Psi)
//
// alpha_i is a distribution over labellings. It is kept as the marginals of its labels, the expected counts of its steps, and
// a lower bound h_i of its entropy. A visit moves it towards p_i, the distribution at the present w, by the share g that
// maximises a lower bound of the dual: with d the difference of the expectations and l the L1 distance of the two,
//   g KL + c/2 g (1 - g) l^2 - 1/2 g^2 c^2 |d|^2,   h <- (1 - g) h + g H(p) + 1/2 g (1 - g) l^2
// because the entropy is strongly concave in the L1 norm. So the gap that is reported is never too small.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/chains/chain.hpp"
#include "maxmargin/chains/planes.hpp"
#include "maxmargin/chains/scores.hpp"
#include "maxmargin/chains/log_sums.hpp"
#include "maxmargin/rows/summed_rows.hpp"

namespace maxmargin {

class ChainDual {
 public:
  // `observed`, one bit per label and `words` words per row of weights, says which weights may differ from zero; null: all.
  ChainDual(const ChainData& data, double C, const double* sample_weight, const std::uint32_t* observed);

  ChainDual(const ChainDual&) = delete;  // `scorer_` points to `data_`
  ChainDual& operator=(const ChainDual&) = delete;

  // The distributions of some sequences, as `marginals`, `steps` and `entropy` gave them, one after the other; all are mixed
  // with the truth where the dual gains by it.
  void restore(std::span<const std::int32_t> examples, const float* marginals, const float* steps, const double* entropy);
  const std::vector<float>& marginals() const { return marginals_; }
  const std::vector<float>& steps() const { return steps_; }
  const std::vector<double>& entropy() const { return entropy_; }

  // Visits sequences in order and returns the number of visits.
  std::int64_t visit(std::span<const std::int32_t> order);

  // A lower bound of the optimum: sum c h - 1/2 |w|^2, exact after `sharpen`.
  double dual() const;
  // w anew from the marginals, in float64.
  void sharpen();

  WeightsOf<float>& coarse_weights() { return w_; }  // as the visits left them

  Weights weights;          // as of the last `sharpen`
  std::vector<float> gaps;  // upper bounds of c_i KL(alpha_i | p_i) when last visited

 private:
  void visit_one(std::int64_t i);
  void retreat(double share);
  double offset_of(std::int64_t i, const double* nodes, int length) const;
  template <class Real>
  double square_of(const Real* w) const;
  double squared_change(std::int64_t i, int length);
  template <class Real>
  void add_to(std::int64_t i, const double* nodes, const double* steps, double factor, Real* w);

  ChainData data_;
  double C_;
  const double* sample_weight_;
  const std::uint32_t* observed_;
  WeightsOf<float> w_;
  TokenProducts products_;
  SummedRows summed_;
  std::vector<float> marginals_, steps_;  // of alpha: (tokens, stride) and (n, labels * stride)
  std::vector<double> entropy_;
  double total_entropy_ = 0.0;            // sum c (h + the offsets expected beyond those of the truth)

  ChainScores<float> scorer_;
  ChainSums sums_;
  Trellis<double> trellis_;
  std::vector<double> nodes_, table_, node_change_, step_change_, counts_, squares_;
  std::vector<int> changed_;
};

}  // namespace maxmargin
