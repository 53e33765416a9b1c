// Newton steps of problems with too many weights for a Hessian.
#pragma once

#include <cstdint>
#include <vector>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

// Solves H step = -gradient by conjugate gradients until the residual is a third of what it was. `times` makes H v of v, `precondition`
// solves with a matrix that is like H, in place.
template <class Times, class Precondition>
std::vector<double> conjugate_gradients(const std::vector<double>& gradient, Times&& times, Precondition&& precondition) {
  const auto d = static_cast<std::int64_t>(gradient.size());
  const auto& k = kernels();
  std::vector<double> step(gradient.size()), left(gradient.size());
  for (std::size_t j = 0; j < left.size(); ++j) left[j] = -gradient[j];
  std::vector<double> solved = left;
  precondition(solved);
  std::vector<double> along = solved;
  double product = k.dot(left.data(), solved.data(), d);
  const double enough = 0.1 * product;
  for (int round = 0; round < 50 && product > enough; ++round) {
    const std::vector<double> image = times(along);
    const double curve = k.dot(along.data(), image.data(), d);
    if (!(curve > 0.0)) break;
    const double length = product / curve;
    k.axpy(length, along.data(), step.data(), d);
    k.axpy(-length, image.data(), left.data(), d);
    solved = left;
    precondition(solved);
    const double next = k.dot(left.data(), solved.data(), d);
    for (std::size_t j = 0; j < along.size(); ++j) along[j] = solved[j] + next / product * along[j];
    product = next;
  }
  return step;
}

}  // namespace maxmargin
