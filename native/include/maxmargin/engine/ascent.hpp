// Dual ascent inside one block: the only optimiser of the library.
//
//   max_alpha  sum_k alpha_k b_k - 1/2 alpha' G alpha     alpha >= 0,  sum_k alpha_k <= cap  (cap may be infinite)
//
// A block says how its gradient moves; the algorithm below never sees a feature. With a finite cap the plane
// a = 0, b = 0 takes up the rest of the cap, so every step moves weight from one plane to another and the sum
// stays put. Without a cap (squared slack, hard margin) every step changes one plane alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <vector>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/engine/newton.hpp"

namespace maxmargin {

inline constexpr int kFewPlanes = 8;

struct Ascent {
  int steps = 0;
  double violation = 0.0;  // largest gradient difference (capped) or projected gradient (not capped) on entry
  double left = 0.0;       // the same on leaving
  bool unbounded = false;  // a direction of zero curvature and positive slope without a cap: a dual ray
};

//   alpha(k), gradient(k)            gradient = b_k - (G alpha)_k at the current alpha, k below size()
//   curvature(k, l)                  |a_k - a_l|^2 of the metric G; curvature(k) = G_kk
//   move(k, l, t), move(k, t)        alpha_k += t, alpha_l -= t; gradients follow
//   extremes()                       the planes of largest and, among those in use, smallest gradient
template <class B>
concept SteppingBlock = requires(B block, const B& seen, int k, int l, double t) {
  { seen.size() } -> std::same_as<int>;
  { seen.alpha(k) } -> std::same_as<double>;
  { seen.gradient(k) } -> std::same_as<double>;
  { block.curvature(k, l) } -> std::same_as<double>;
  { block.curvature(k) } -> std::same_as<double>;
  { block.move(k, l, t) } -> std::same_as<void>;
  { block.move(k, t) } -> std::same_as<void>;
  { seen.extremes() } -> std::same_as<Extremes>;
};

// One for which a step may go along any direction: quadratic(d) is d' G d for a direction d of size() numbers.
template <class B>
concept DirectionBlock = SteppingBlock<B> && requires(B block, const double* d) {
  { block.quadratic(d) } -> std::same_as<double>;
};

// Steps between pairs of planes until the best and the worst used plane differ by at most `precision`, or by at most
// the share `relative` of their difference on entry. With `overstep` above 1 there is one step, so many times too long.
template <SteppingBlock Block>
Ascent ascend_capped(Block& block, double precision, double relative, int max_steps, double overstep) {
  Ascent result;
  const int size = block.size();
  int next_newton = 8 * size;
  for (;; ++result.steps) {
    const auto [up, first_down, highest, lowest] = block.extremes();
    int down = first_down;
    const double left = down < 0 ? 0.0 : highest - lowest;
    if (result.steps == 0) result.violation = left, precision = std::max(precision, relative * left);
    result.left = left;
    if (!(left > precision) || result.steps >= max_steps) return result;
    if (size > kFewPlanes) {  // the partner of largest gain, not of largest slope: fewer steps on correlated planes
      double best = -1.0;
      for (int k = 0; k < size; ++k) {
        const double slope = highest - block.gradient(k);
        if (block.alpha(k) <= 0.0 || slope <= 0.0) continue;
        const double bend = block.curvature(up, k);
        const double length = bend > 0.0 ? std::min(slope / bend, block.alpha(k)) : block.alpha(k);
        const double gain = length * (slope - 0.5 * length * bend);
        if (gain > best) best = gain, down = k;
      }
    }
    if (result.steps >= next_newton) {
      const NewtonSteps newton = newton_steps(size, [&] { return newton_capped(block); });
      next_newton = result.steps + newton.wait;
      if (newton.moved) continue;
    }
    const double slope = highest - block.gradient(down);
    const double bend = block.curvature(up, down);
    const double available = block.alpha(down);
    const double length = overstep * slope;
    block.move(up, down, bend * available > length ? length / bend : available);
    if (overstep > 1.0) max_steps = 1;
  }
}

// Steps on single planes until every projected gradient is small in the same sense.
template <SteppingBlock Block>
Ascent ascend_free(Block& block, double precision, double relative, int max_steps) {
  Ascent result;
  const int size = block.size();
  int next_newton = 8 * size;
  for (;; ++result.steps) {
    int chosen = -1;
    double best = 0.0;
    result.left = 0.0;
    for (int k = 0; k < size; ++k) {
      const double gradient = block.gradient(k);
      const double slope = block.alpha(k) > 0.0 ? std::abs(gradient) : std::max(gradient, 0.0);
      result.left = std::max(result.left, slope);
      if (slope <= precision) continue;
      const double bend = block.curvature(k);
      if (!(bend > 0.0)) {
        if (gradient > 0.0) {
          result.unbounded = true;
          return result;
        }
        chosen = k;  // a zero plane with a negative right-hand side: its weight is wasted
        break;
      }
      const double gain = slope * slope / bend;
      if (gain > best) best = gain, chosen = k;
    }
    if (result.steps == 0) result.violation = result.left, precision = std::max(precision, relative * result.left);
    if (chosen < 0 || result.left <= precision || result.steps >= max_steps) return result;
    if (result.steps >= next_newton) {
      const NewtonSteps newton = newton_steps(size, [&] { return newton_free(block); });
      next_newton = result.steps + newton.wait;
      if (newton.moved) continue;
    }
    const double bend = block.curvature(chosen);
    const double length = bend > 0.0 ? block.gradient(chosen) / bend : -block.alpha(chosen);
    block.move(chosen, std::max(length, -block.alpha(chosen)));
  }
}

// The step of Frank and Wolfe: alpha moves towards cap * e_k by the exact line search.
template <DirectionBlock Block>
Ascent line_search_capped(Block& block, int k, double cap, std::vector<double>& direction) {
  Ascent result;
  const int size = block.size();
  direction.assign(static_cast<std::size_t>(size), 0.0);
  double slope = cap * block.gradient(k);
  for (int l = 0; l < size; ++l) {
    if (block.alpha(l) <= 0.0) continue;
    direction[l] = -block.alpha(l);
    slope -= block.alpha(l) * block.gradient(l);
  }
  direction[k] += cap;
  result.violation = slope / cap;
  if (!(slope > 0.0)) return result;
  const double bend = block.quadratic(direction.data());
  const double length = bend > slope ? slope / bend : 1.0;
  for (int l = 0; l < size; ++l) {
    if (l != k && block.alpha(l) > 0.0) {
      block.move(k, l, length < 1.0 ? length * block.alpha(l) : block.alpha(l));
      ++result.steps;
    }
  }
  return result;
}

// Without a cap: exact ascent on the scale of the present alpha and on plane k, in turn.
template <DirectionBlock Block>
Ascent line_search_free(Block& block, int k, double tolerance, std::vector<double>& direction) {
  Ascent result;
  const int size = block.size();
  for (int round = 0; round < 20; ++round) {
    const double bend = block.curvature(k);
    const double gradient = block.gradient(k);
    const double before = block.alpha(k) > 0.0 ? std::abs(gradient) : std::max(gradient, 0.0);
    if (round == 0) result.violation = before;
    if (gradient > tolerance && !(bend > 0.0)) {
      result.unbounded = true;
      return result;
    }
    if (before > tolerance && bend > 0.0) {
      block.move(k, std::max(gradient / bend, -block.alpha(k)));
      ++result.steps;
    }
    direction.assign(static_cast<std::size_t>(size), 0.0);
    double slope = 0.0;
    for (int l = 0; l < size; ++l) {
      direction[l] = block.alpha(l);
      if (block.alpha(l) > 0.0) slope += block.alpha(l) * block.gradient(l);
    }
    const double turn = block.quadratic(direction.data());
    if (!(turn > 0.0) || std::abs(slope) <= tolerance * tolerance) return result;
    const double factor = std::max(slope / turn, -1.0);
    for (int l = 0; l < size; ++l) {
      if (direction[l] > 0.0) block.move(l, factor * direction[l]);
    }
    ++result.steps;
    if (before <= tolerance) return result;
  }
  return result;
}

}  // namespace maxmargin
