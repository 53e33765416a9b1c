// Steps among a few planes of a block of many classes. A step changes the scores of all classes, and with thousands of them
// that costs far more than the step; so the planes in use and the most violated others are taken out, their products are
// kept, and the steps see nothing else. What they do to the other planes shows at the next visit.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "maxmargin/engine/ascent.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

inline constexpr int kManyClasses = 64;  // above which steps see a few planes only
inline constexpr std::size_t kFresh = 24;  // planes among these that are not in use

// A block (engine/ascent.hpp) of some planes of `Block`, which gives alpha, gradient, and product(k, l), an entry of its Gram
// matrix. Room is kept from one use to the next.
template <class Block>
class ShortBlock {
 public:
  void take(const Block& block, const std::vector<std::int32_t>& planes) {
    block_ = &block, planes_ = &planes;
    const std::size_t m = planes.size();
    alpha_.resize(m), start_.resize(m), gradient_.resize(m), own_.resize(m), products_.resize(m * m);
    known_.assign(m, 0);
    for (std::size_t k = 0; k < m; ++k) {
      alpha_[k] = start_[k] = block.alpha(planes[k]);
      gradient_[k] = block.gradient(planes[k]);
      own_[k] = block.product(planes[k], planes[k]);
    }
  }

  int size() const { return static_cast<int>(alpha_.size()); }
  double alpha(int k) const { return alpha_[at(k)]; }
  double gradient(int k) const { return gradient_[at(k)]; }
  double change(int k) const { return alpha_[at(k)] - start_[at(k)]; }
  double curvature(int k) const { return own_[at(k)]; }
  double curvature(int k, int l) { return std::max(0.0, own_[at(k)] + own_[at(l)] - 2.0 * row(k)[l]); }

  void move(int k, double t) {
    alpha_[at(k)] += t;
    kernels().axpy(-t, row(k), gradient_.data(), size());
  }
  void move(int k, int l, double t) {
    move(k, t);
    move(l, -t);
  }

  Extremes extremes() const {
    Extremes found{0, -1, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (int k = 0; k < size(); ++k) {
      if (gradient(k) > found.highest) found.highest = gradient(k), found.up = k;
      if (alpha(k) > 0.0 && gradient(k) < found.lowest) found.lowest = gradient(k), found.down = k;
    }
    return found;
  }

  double quadratic(const double* d) {
    double sum = 0.0;
    for (int k = 0; k < size(); ++k) {
      if (d[k] == 0.0) continue;
      const double* products = row(k);
      for (int l = 0; l < size(); ++l) sum += d[k] * d[l] * products[l];
    }
    return sum;
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  // Row k of the Gram matrix, made when it is first asked for.
  const double* row(int k) {
    double* products = products_.data() + at(k) * alpha_.size();
    if (!known_[at(k)]) {
      known_[at(k)] = 1;
      for (std::size_t l = 0; l < alpha_.size(); ++l) products[l] = block_->product((*planes_)[at(k)], (*planes_)[l]);
    }
    return products;
  }

  const Block* block_ = nullptr;
  const std::vector<std::int32_t>* planes_ = nullptr;
  std::vector<double> alpha_, start_, gradient_, own_, products_;
  std::vector<char> known_;
};

// Adds the planes of largest gradient to those given, at most kFresh of them and only above `least`; -infinity marks a plane
// out of reach.
template <class Block>
void add_most_violated(const Block& block, std::vector<std::int32_t>& planes, double least = -std::numeric_limits<double>::infinity()) {
  using Found = std::pair<double, std::int32_t>;
  const auto in_use = planes.begin() + static_cast<std::ptrdiff_t>(planes.size());
  std::array<Found, 4 * kFresh> found;  // where it is full, the best stay
  std::size_t count = 0;
  const auto keep_best = [&] {
    if (count <= kFresh) return;
    const auto last = found.begin() + static_cast<std::ptrdiff_t>(kFresh - 1);
    std::nth_element(found.begin(), last, found.begin() + static_cast<std::ptrdiff_t>(count), [](const Found& a, const Found& b) { return a.first > b.first; });
    count = kFresh;
    least = last->first;
  };
  for (std::int32_t k = 0; k < block.size(); ++k) {
    const double gradient = block.gradient(k);
    if (!(gradient > least) || std::find(planes.begin(), in_use, k) != in_use) continue;
    found[count++] = {gradient, k};
    if (count == found.size()) keep_best();
  }
  keep_best();
  for (std::size_t i = 0; i < count; ++i) planes.push_back(found[i].second);
}

}  // namespace maxmargin
