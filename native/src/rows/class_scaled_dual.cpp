#include "maxmargin/rows/class_scaled_dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxmargin {
namespace {

constexpr int kSteps = 6;  // of Newton's method for two numbers

// The part of the dual that is a sum over rows, as a function of the factors of the two classes, with its derivatives.
struct Separable {
  double value = 0.0, slope[2] = {}, curve[2] = {};
};

Separable separable(const SmoothData& data, SmoothLoss loss, double C, std::span<const std::int32_t> members, std::span<const double> first,
                    const double* factor) {
  Separable sum;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const double a = std::abs(first[m]), most = C * data.weight_of(members[m]);
    if (a == 0.0) continue;  // the term of such a row is zero
    const bool side = data.signs[members[m]] > 0;
    const double t = factor[side];
    if (loss == SmoothLoss::squared_hinge) {
      sum.value += t * a - 0.5 * t * t * a * a / most;
      sum.slope[side] += a - t * a * a / most;
      sum.curve[side] -= a * a / most;
      continue;
    }
    const double q = t * a / most, rest = 1.0 - q;
    if (!(rest > 0.0)) return {-std::numeric_limits<double>::infinity(), {}, {}};
    const double odds = std::log(q), other = std::log(rest);
    sum.value -= most * (q * odds + rest * other);
    sum.slope[side] -= a * (odds - other);
    sum.curve[side] -= a * a / (most * q * rest);
  }
  return sum;
}

}  // namespace

double class_scaled_dual(const SmoothData& data, SmoothLoss loss, double C, std::span<const std::int32_t> members, std::span<const double> first,
                         const std::vector<double>& negative, const std::vector<double>& positive) {
  double square[2] = {}, both = 0.0;
  for (std::size_t j = 0; j < negative.size(); ++j) {
    square[0] += negative[j] * negative[j] / data.penalty[j];
    square[1] += positive[j] * positive[j] / data.penalty[j];
    both += negative[j] * positive[j] / data.penalty[j];
  }
  double factor[2] = {1.0, 1.0}, best = -std::numeric_limits<double>::infinity(), kept[2] = {1.0, 1.0}, move[2] = {};
  for (int step = 0; step < kSteps; ++step) {
    const Separable sum = separable(data, loss, C, members, first, factor);
    const double value = sum.value - 0.5 * (factor[0] * factor[0] * square[0] + factor[1] * factor[1] * square[1]) - factor[0] * factor[1] * both;
    if (value > best) {
      const bool enough = value - best <= 1e-3 * std::abs(value);
      best = value;
      if (enough) break;
      const double slope[2] = {sum.slope[0] - factor[0] * square[0] - factor[1] * both, sum.slope[1] - factor[1] * square[1] - factor[0] * both};
      const double curve[2] = {square[0] - sum.curve[0], square[1] - sum.curve[1]};  // of the dual, negated
      const double determinant = curve[0] * curve[1] - both * both;
      if (!(determinant > 0.0)) break;
      move[0] = (curve[1] * slope[0] - both * slope[1]) / determinant;
      move[1] = (curve[0] * slope[1] - both * slope[0]) / determinant;
      std::copy_n(factor, 2, kept);
    } else {
      for (double& m : move) m *= 0.5;
    }
    for (int side = 0; side < 2; ++side) factor[side] = std::max(kept[side] + move[side], 0.05 * kept[side]);
  }
  return best;
}

}  // namespace maxmargin
