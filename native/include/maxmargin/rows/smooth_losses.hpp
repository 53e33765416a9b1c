// Smooth losses of two classes and their derivatives by the score: log(1 + exp(-z)) and 1/2 max(0, 1 - z)^2 with z = y score.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

enum class SmoothLoss : std::uint8_t { logistic, squared_hinge };

// Losses and their first two derivatives by the score of rows, whose signs and weights stand beside it. `scratch` is of their size.
inline double losses(SmoothLoss kind, const double* score, const double* sign, const double* weight, std::int64_t n, double* first,
                     double* second, double* scratch) {
  double sum = 0.0;
  if (kind == SmoothLoss::squared_hinge) {
    for (std::int64_t i = 0; i < n; ++i) {
      const double short_of = std::max(0.0, 1.0 - sign[i] * score[i]);
      sum += 0.5 * weight[i] * short_of * short_of;
      first[i] = -weight[i] * sign[i] * short_of;
      second[i] = short_of > 0.0 ? weight[i] : 0.0;
    }
    return sum;
  }
  for (std::int64_t i = 0; i < n; ++i) scratch[i] = -std::abs(score[i]);
  kernels().exp_all(scratch, n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double z = sign[i] * score[i], e = scratch[i];
    const double likely = 1.0 / (1.0 + e), rare = e * likely;
    sum += weight[i] * (std::log1p(e) + std::max(0.0, -z));
    first[i] = -weight[i] * sign[i] * (z > 0.0 ? rare : likely);
    second[i] = weight[i] * likely * rare;
  }
  return sum;
}

}  // namespace maxmargin
