// What the dynamic program of chains/trellis.hpp computes: the best path. The k best are in chains/kbest.hpp, the best at each value of the
// loss in chains/best_by_loss.hpp, sums over all paths in chains/sums.hpp. Paths are found again by looking which predecessor explains a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/chains/trellis.hpp"

namespace maxmargin {

// Where the rows of states after token t begin.
template <class Real>
std::int64_t cells_before(const Trellis<Real>& trellis, int t) {
  std::int64_t rows = 0;
  const int growing = std::min(t, trellis.order - 1);
  for (int earlier = 0; earlier < growing; ++earlier) rows += trellis.rows(earlier);
  if (t > growing) rows += (t - growing) * trellis.rows(trellis.order - 1);
  return rows;
}

template <class Real>
class BestPath {
 public:
  void run(const Trellis<Real>& trellis) {
    trellis_ = &trellis;
    values_.resize(static_cast<std::size_t>(cells_before(trellis, trellis.length) * trellis.stride) + 2);
    from_.resize(static_cast<std::size_t>(trellis.labels));
    run_forward(trellis, *this);
  }

  void begin() { std::copy_n(trellis_->node(0), trellis_->stride, values(0)); }
  void merge(int t, std::int64_t g, Fan fan, const Real* table) {
    const Real* from = values(t - 1);
    if (trellis_->order > 1) {
      for (int j = 0; j < fan.count; ++j) from_[static_cast<std::size_t>(j)] = cell(t - 1, g + j * fan.apart);
      from = from_.data();
    }
    kernels_for(from).max_plus(from, fan.count, table + g * trellis_->stride, fan.apart * trellis_->stride, trellis_->node(t),
                               trellis_->stride, values(t) + g * trellis_->stride);
  }
  void end(int) {}
  const Real* prepare(int, const Real* table) const { return table; }

  // The values of all cells in the order of chains/kbest.hpp: 0 before them, and that of the best path after them.
  const Real* all_values() {
    values_.front() = Real{0};
    values_.back() = cell(trellis_->length - 1, last());
    return values_.data() + 1;
  }

  // Of the best path; minus infinity if none is allowed.
  double score() const { return static_cast<double>(cell(trellis_->length - 1, last())); }

  // Fills in the labels of the best path and returns its score.
  double path(std::int32_t* labels) const {
    int t = trellis_->length - 1;
    std::int64_t state = last();
    const double score = static_cast<double>(cell(t, state));
    for (; t > 0; --t) {
      const int y = static_cast<int>(state % trellis_->labels);
      labels[t] = y;
      const Fan fan = fan_into(*trellis_, t);
      const std::int64_t first = state / trellis_->labels;
      const Real* before = values(t - 1);
      if (trellis_->order == 1) {
        state = best_of(fan.count, [&](std::int64_t s) { return before[s] + trellis_->step(t, s, y); });
      } else {
        state = first + fan.apart * best_of(fan.count, [&](std::int64_t j) {
                  const std::int64_t s = first + j * fan.apart;
                  return before[s / trellis_->labels * trellis_->stride + s % trellis_->labels] + trellis_->step(t, s, y);
                });
      }
    }
    labels[0] = static_cast<std::int32_t>(state % trellis_->labels);
    return score;
  }

 private:
  // The first place of the largest of `count` values, without branches: it cannot be foreseen.
  template <class Value>
  static std::int64_t best_of(std::int64_t count, Value&& value) {
    Real highest = value(0);
    std::int64_t best = 0;
    for (std::int64_t s = 1; s < count; ++s) {
      const Real now = value(s);
      best = now > highest ? s : best;
      highest = now > highest ? now : highest;
    }
    return best;
  }
  std::int64_t last() const {
    const int t = trellis_->length - 1;
    const Real* row = values(t);
    if (trellis_->rows(t) == 1) return best_of(trellis_->labels, [row](std::int64_t s) { return row[s]; });
    return best_of(trellis_->rows(t) * trellis_->labels, [this, t](std::int64_t s) { return cell(t, s); });
  }
  Real* values(int t) { return values_.data() + 1 + cells_before(*trellis_, t) * trellis_->stride; }
  const Real* values(int t) const { return values_.data() + 1 + cells_before(*trellis_, t) * trellis_->stride; }
  Real cell(int t, std::int64_t s) const {
    return values_[static_cast<std::size_t>((cells_before(*trellis_, t) + s / trellis_->labels) * trellis_->stride + s % trellis_->labels) + 1];
  }

  const Trellis<Real>* trellis_ = nullptr;
  std::vector<Real> values_;  // one of no state before the first, one of the end after the last
  std::vector<Real> from_;
};

}  // namespace maxmargin
