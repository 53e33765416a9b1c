// The best path at each value of the loss: a semiring for chains/trellis.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/chains/trellis.hpp"

namespace maxmargin {

// What is kept of a sequence: the values after every token where they take little room, else those after every
// sqrt(length)-th token and those of one block of tokens between two of them; on the way back each block is computed again.
struct ByLossRoom {
  static constexpr std::int64_t kLittle = std::int64_t{64} << 20;  // bytes

  std::int64_t cells = 0;  // numbers kept after one token: states times values of the loss
  int spacing = 1;         // tokens from one that is kept to the next
  int kept = 0;

  ByLossRoom() = default;
  ByLossRoom(std::int64_t states, int losses, int length, int number_bytes) : cells(states * losses), spacing(length), kept(1) {
    if (bytes(number_bytes) <= kLittle) return;
    spacing = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(length))));
    kept = (length + spacing - 1) / spacing;
  }
  std::int64_t numbers() const { return (kept + spacing - 1) * cells; }
  std::int64_t bytes(int number_bytes) const { return numbers() * number_bytes; }
  std::int64_t place(int t) const { return (t % spacing == 0 ? t / spacing : kept + t % spacing - 1) * cells; }
  int block(int t) const { return t / spacing; }
};

// Losses are whole numbers of units; `units` are those of the labels of token t, (length, labels).
template <class Real>
class BestByLoss {
 public:
  void run(const Trellis<Real>& trellis, const std::vector<std::int32_t>& units) {
    trellis_ = &trellis;
    units_ = &units;
    most_.resize(static_cast<std::size_t>(trellis.length));
    int most = 0;
    for (int t = 0; t < trellis.length; ++t) {
      const auto first = units.begin() + static_cast<std::ptrdiff_t>(t) * trellis.labels;
      most_[static_cast<std::size_t>(t)] = most += *std::max_element(first, first + trellis.labels);
    }
    losses_ = wanted_ = most + 1;
    room_ = ByLossRoom(trellis.rows(trellis.length - 1) * trellis.labels, losses_, trellis.length, sizeof(Real));
    values_.resize(static_cast<std::size_t>(room_.numbers()));
    run_forward(trellis, *this);
    block_ = room_.block(trellis.length - 1);
  }

  int most() const { return losses_ - 1; }

  void begin() {
    for (int y = 0; y < trellis_->labels; ++y) {
      Real* into = cell(0, y);
      std::fill_n(into, most(0) + 1, kNone);
      into[unit(0, y)] = trellis_->node(0)[y];
    }
  }
  void merge(int t, std::int64_t g, Fan fan, const Real* table) {
    for (int y = 0; y < trellis_->labels; ++y) {
      const int shift = unit(t, y);
      const int count = std::min(most(t - 1) + 1, wanted_ - shift);
      Real* row = cell(t, g * trellis_->labels + y);
      std::fill_n(row, std::min(most(t) + 1, wanted_), kNone);
      Real* into = row + shift;
      const Real node = trellis_->node(t)[y];
      for (int j = 0; j < fan.count; ++j) {
        const std::int64_t s = g + j * fan.apart;
        const Real* from = cell(t - 1, s);
        const Real step = table[s * trellis_->stride + y] + node;
        for (int c = 0; c < count; ++c) into[c] = std::max(into[c], from[c] + step);
      }
    }
  }
  void end(int) {}
  const Real* prepare(int, const Real* table) const { return table; }

  // Score of the best path of each loss 0 .. most(), minus infinity where there is none; to be asked before `path`.
  std::vector<Real> scores() {
    const int t = trellis_->length - 1;
    std::vector<Real> best(static_cast<std::size_t>(losses_), kNone);
    for (std::int64_t s = 0; s < states(t); ++s) {
      const Real* values = cell(t, s);
      for (std::size_t c = 0; c < best.size(); ++c) best[c] = std::max(best[c], values[c]);
    }
    return best;
  }

  // The best path of a loss that has one.
  void path(int loss, std::int32_t* labels) {
    int t = trellis_->length - 1;
    hold(t, loss);
    std::int64_t state = 0;
    for (std::int64_t s = 1; s < states(t); ++s) {
      if (cell(t, s)[loss] > cell(t, state)[loss]) state = s;
    }
    for (; t > 0; --t) {
      labels[t] = static_cast<std::int32_t>(state % trellis_->labels);
      loss -= unit(t, labels[t]);
      hold(t - 1, loss);
      const Fan fan = fan_into(*trellis_, t);
      const std::int64_t first = state / trellis_->labels;
      Real highest = kNone;
      for (int j = 0; j < fan.count; ++j) {
        const std::int64_t s = first + j * fan.apart;
        const Real value = cell(t - 1, s)[loss] + trellis_->step(t, s, labels[t]);
        if (value > highest) highest = value, state = s;
      }
    }
    labels[0] = static_cast<std::int32_t>(state % trellis_->labels);
  }

 private:
  static constexpr Real kNone = -std::numeric_limits<Real>::infinity();

  // Computes the block of token t again if it is not there, up to a loss.
  void hold(int t, int loss) {
    const int block = room_.block(t);
    if (block == block_ && loss < wanted_) return;
    block_ = block;
    wanted_ = loss + 1;
    run_tokens(*trellis_, *this, block * room_.spacing + 1, std::min(trellis_->length, (block + 1) * room_.spacing));
  }
  int most(int t) const { return most_[static_cast<std::size_t>(t)]; }
  std::int64_t states(int t) const { return trellis_->rows(t) * trellis_->labels; }
  int unit(int t, int y) const { return (*units_)[static_cast<std::size_t>(t * trellis_->labels + y)]; }
  Real* cell(int t, std::int64_t s) { return values_.data() + room_.place(t) + s * losses_; }

  const Trellis<Real>* trellis_ = nullptr;
  const std::vector<std::int32_t>* units_ = nullptr;
  std::vector<int> most_;  // the highest loss after each token
  int losses_ = 1, wanted_ = 1, block_ = 0;
  ByLossRoom room_;
  std::vector<Real> values_;
};

}  // namespace maxmargin
