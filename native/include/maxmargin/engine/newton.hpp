// Newton steps over the planes in use, for blocks where steps along one pair or one plane crawl: many planes that are
// nearly parallel, as the cuts of the 1-slack form are.
//
// Once they are needed they come often, and planes enter one by one between them, as in active-set methods.
//
// On the planes with alpha > 0 the dual is a quadratic function; its maximum is one linear system away. A step stops
// where the first alpha reaches zero, so it never leaves the feasible set and never lowers the dual.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace maxmargin {

// Solves L L' x = rhs, L of order n in rows.
inline void solve_factored(const double* l, std::vector<double>& rhs) {
  const std::size_t n = rhs.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) rhs[i] -= l[i * n + k] * rhs[k];
    rhs[i] /= l[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) rhs[i] -= l[k * n + i] * rhs[k];
    rhs[i] /= l[i * n + i];
  }
}

// Solves H x = rhs by Cholesky, H of order n in rows, overwritten by its factor; false if H is not positive definite.
inline bool solve_positive(std::vector<double>& h, std::vector<double>& rhs) {
  const std::size_t n = rhs.size();
  for (std::size_t j = 0; j < n; ++j) {
    double pivot = h[j * n + j];
    for (std::size_t k = 0; k < j; ++k) pivot -= h[j * n + k] * h[j * n + k];
    if (!(pivot > 0.0)) return false;
    const double root = std::sqrt(pivot);
    h[j * n + j] = root;
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = h[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= h[i * n + k] * h[j * n + k];
      h[i * n + j] = sum / root;
    }
  }
  solve_factored(h.data(), rhs);
  return true;
}

enum class Newton { none, stopped, whole };  // no step, one that ended at a bound, one to the maximum over the planes in use

// Newton steps until one is whole, each without the planes that the one before has emptied. `wait` is how many plain steps
// come before the next: as many as cost about the same, or more where this led nowhere.
struct NewtonSteps {
  bool moved;
  int wait;
};
template <class Step>
NewtonSteps newton_steps(int size, Step&& step) {
  Newton last = step();
  const bool moved = last != Newton::none;
  for (int k = 0; k < size && last == Newton::stopped; ++k) last = step();
  return {moved, last == Newton::whole ? std::min(size / 8, 64) * (size / 8) + 2 : 8 * size};
}

// With a cap: the sum stays, so every plane in use exchanges weight with the most used one. With |a_k - a_l|^2 known,
// <a_k - a_r, a_l - a_r> = (|a_k - a_r|^2 + |a_l - a_r|^2 - |a_k - a_l|^2) / 2.
template <class Block>
Newton newton_capped(Block& block) {
  int reference = 0;
  for (int k = 0; k < block.size(); ++k) {
    if (block.alpha(k) > block.alpha(reference)) reference = k;
  }
  std::vector<int> used;
  for (int k = 0; k < block.size(); ++k) {
    if (k != reference && block.alpha(k) > 0.0) used.push_back(k);
  }
  const std::size_t n = used.size();
  if (n == 0) return Newton::none;
  std::vector<double> h(n * n), step(n);
  double trace = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double own = block.curvature(used[i], reference);
    step[i] = block.gradient(used[i]) - block.gradient(reference);
    trace += h[i * n + i] = own;
    for (std::size_t j = 0; j < i; ++j) {
      h[i * n + j] = 0.5 * (own + block.curvature(used[j], reference) - block.curvature(used[i], used[j]));
    }
  }
  for (std::size_t i = 0; i < n; ++i) h[i * n + i] += 1e-13 * trace;
  if (!solve_positive(h, step)) return Newton::none;
  double length = 1.0, given = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    given += step[i];
    if (step[i] < 0.0) length = std::min(length, -block.alpha(used[i]) / step[i]);
  }
  if (given > 0.0) length = std::min(length, block.alpha(reference) / given);
  if (!(length > 0.0)) return Newton::none;
  // First all that gives weight to the reference, then all that takes: it never runs short on the way.
  for (std::size_t i = 0; i < n; ++i) {
    if (step[i] < 0.0) block.move(reference, used[i], std::min(-length * step[i], block.alpha(used[i])));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (step[i] > 0.0) block.move(used[i], reference, std::min(length * step[i], block.alpha(reference)));
  }
  return length < 1.0 ? Newton::stopped : Newton::whole;
}

// Without a cap: G_kl = (G_kk + G_ll - |a_k - a_l|^2) / 2, the ridge being part of G_kk and G_ll and so of G_kl.
template <class Block>
Newton newton_free(Block& block) {
  std::vector<int> used;
  for (int k = 0; k < block.size(); ++k) {
    if (block.alpha(k) > 0.0 && block.curvature(k) > 0.0) used.push_back(k);
  }
  const std::size_t n = used.size();
  if (n == 0) return Newton::none;
  std::vector<double> h(n * n), step(n);
  double trace = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    step[i] = block.gradient(used[i]);
    trace += h[i * n + i] = block.curvature(used[i]);
    for (std::size_t j = 0; j < i; ++j) {
      h[i * n + j] = 0.5 * (block.curvature(used[i]) + block.curvature(used[j]) - block.curvature(used[i], used[j]));
    }
  }
  for (std::size_t i = 0; i < n; ++i) h[i * n + i] += 1e-13 * trace;
  if (!solve_positive(h, step)) return Newton::none;
  double length = 1.0;
  for (std::size_t i = 0; i < n; ++i) {
    if (step[i] < 0.0) length = std::min(length, -block.alpha(used[i]) / step[i]);
  }
  if (!(length > 0.0)) return Newton::none;
  for (std::size_t i = 0; i < n; ++i) block.move(used[i], std::max(length * step[i], -block.alpha(used[i])));
  return length < 1.0 ? Newton::stopped : Newton::whole;
}

}  // namespace maxmargin
