// The summed plane of the 1-slack form, from planes of single examples.
#pragma once

#include <cstdint>
#include <vector>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

struct Cut {
  std::vector<double> a;  // in the layout of w
  double b = 0.0;
};

// What a plane (scale psi, b) of slack xi > 0 adds to a weighted sum: its factor on psi, and its share of b. For squared
// slack it is the plane of xi^2 / 2 at the present w.
struct CutTerm {
  double step = 0.0, b = 0.0;
};
inline CutTerm cut_term(double scale, double b, double xi, double weight, bool squared) {
  if (squared) return {weight * xi * scale, weight * (xi * b - 0.5 * xi * xi)};
  return {weight * scale, weight * b};
}

// The first of the parts, with the others added in order.
inline Cut add_up(std::vector<Cut> parts) {
  Cut total = std::move(parts.front());
  for (std::size_t share = 1; share < parts.size(); ++share) {
    kernels().axpy(1.0, parts[share].a.data(), total.a.data(), static_cast<std::int64_t>(total.a.size()));
    total.b += parts[share].b;
  }
  return total;
}

}  // namespace maxmargin
