// What the dynamic program of chains/trellis.hpp computes: the best path, and the k best. The best at each value of the loss is in
// chains/best_by_loss.hpp, sums over all paths are in chains/sums.hpp. Paths are found again by looking which predecessor explains a value.
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
    values_.resize(static_cast<std::size_t>(cells_before(trellis, trellis.length) * trellis.stride));
    from_.resize(static_cast<std::size_t>(trellis.labels));
    run_forward(trellis, *this);
  }

  void begin() { std::copy_n(trellis_->node(0), trellis_->stride, values_.data()); }
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
  Real* values(int t) { return values_.data() + cells_before(*trellis_, t) * trellis_->stride; }
  const Real* values(int t) const { return values_.data() + cells_before(*trellis_, t) * trellis_->stride; }
  Real cell(int t, std::int64_t s) const {
    return values_[static_cast<std::size_t>((cells_before(*trellis_, t) + s / trellis_->labels) * trellis_->stride + s % trellis_->labels)];
  }

  const Trellis<Real>* trellis_ = nullptr;
  std::vector<Real> values_, from_;
};

// The k best different paths.
template <class Real>
class BestPaths {
 public:
  explicit BestPaths(int k) : k_(k) {}

  void run(const Trellis<Real>& trellis) {
    trellis_ = &trellis;
    cells_.assign(static_cast<std::size_t>(cells_before(trellis, trellis.length) * trellis.labels * k_), Entry{});
    run_forward(trellis, *this);
  }

  void begin() {
    for (int y = 0; y < trellis_->labels; ++y) cell(0, y)[0] = Entry{trellis_->node(0)[y], 0, 0};
  }
  void merge(int t, std::int64_t g, Fan fan, const Real* table) {
    for (int y = 0; y < trellis_->labels; ++y) {
      Entry* into = cell(t, g * trellis_->labels + y);
      for (int j = 0; j < fan.count; ++j) {
        const std::int64_t s = g + j * fan.apart;
        const Entry* from = cell(t - 1, s);
        const Real step = table[s * trellis_->stride + y] + trellis_->node(t)[y];
        for (int rank = 0; rank < k_; ++rank) {
          if (!insert(into, Entry{from[rank].value + step, static_cast<std::int32_t>(s), rank})) break;
        }
      }
    }
  }
  void end(int) {}
  const Real* prepare(int, const Real* table) const { return table; }

  // Path number `rank` (0 the best) and its score; minus infinity if there are not so many.
  double path(int rank, std::int32_t* labels) {
    int t = trellis_->length - 1;
    const std::int64_t states = trellis_->rows(t) * trellis_->labels;
    std::vector<Entry> last(static_cast<std::size_t>(k_));
    for (std::int64_t s = 0; s < states; ++s) {
      for (int r = 0; r < k_; ++r) {
        if (!insert(last.data(), Entry{cell(t, s)[r].value, static_cast<std::int32_t>(s), r})) break;
      }
    }
    const Entry found = last[static_cast<std::size_t>(rank)];
    std::int64_t state = found.from;
    int at = found.rank;
    for (; t >= 0; --t) {
      labels[t] = static_cast<std::int32_t>(state % trellis_->labels);
      const Entry& entry = cell(t, state)[at];
      state = entry.from;
      at = entry.rank;
    }
    return static_cast<double>(found.value);
  }

 private:
  struct Entry {
    Real value = -std::numeric_limits<Real>::infinity();
    std::int32_t from = 0;
    std::int32_t rank = 0;
  };

  bool insert(Entry* best, const Entry& entry) const {
    if (!(entry.value > best[k_ - 1].value)) return false;
    int at = k_ - 1;
    for (; at > 0 && best[at - 1].value < entry.value; --at) best[at] = best[at - 1];
    best[at] = entry;
    return true;
  }
  Entry* cell(int t, std::int64_t s) {
    return cells_.data() + (cells_before(*trellis_, t) * trellis_->labels + s) * k_;
  }

  int k_;
  const Trellis<Real>* trellis_ = nullptr;
  std::vector<Entry> cells_;
};

}  // namespace maxmargin
