// Second derivatives of the likelihood of labelled chains of order 1, for Newton's method where there are few weights.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/chains/chain.hpp"
#include "maxmargin/chains/likelihood.hpp"

namespace maxmargin {

// Which second derivatives are computed. The features of a token, of the start and of the end (`rows` of them) count for all
// labels but the last: the indicators of all labels add up to 1, so that those of the last follow. Transitions count for all
// pairs. Feature r of label y has the number r * (labels - 1) + y; the step from label a to b the number rows * (labels - 1) +
// a * labels + b.
struct CurvatureShape {
  std::int64_t rows = 0, order = 0;  // order: of the matrix
  int fewer = 0;                     // labels - 1
  std::int64_t width = 0;            // order, padded: numbers from one row of the matrix to the next

  explicit CurvatureShape(const ChainShape& shape);
};

// Returns the value of `chain_likelihood` over a part without `allowed`, adds its gradient by w to `gradient` and to `halves`,
// (order, width), a matrix M such that M + M' are the second derivatives.
//
// These are the covariances of the sums of features along a chain. Given the label of a token, what came before does not depend
// on what follows; so one pass suffices, which keeps for each label of the present token what the sum so far is expected to be.
double chain_curvature(const ChainData& data, const double* weights, const LikelihoodPart& part, std::span<double> gradient,
                       std::span<double> halves, int threads);

}  // namespace maxmargin
