// Smooth losses of two classes and their derivatives by the score: log(1 + exp(-z)) and 1/2 max(0, 1 - z)^2 with z = y score.
#pragma once

#include <cstdint>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

enum class SmoothLoss : std::uint8_t { logistic, squared_hinge };

// The sum of the losses of rows, whose signs and weights stand beside their scores, and the first two derivatives of each by its score.
inline double losses(SmoothLoss kind, const double* score, const double* sign, const double* weight, std::int64_t n, double* first, double* second) {
  const auto& k = kernels();
  return (kind == SmoothLoss::logistic ? k.logistic_losses : k.squared_hinge_losses)(score, sign, weight, n, first, second);
}

}  // namespace maxmargin
