// What keeps w = sum alpha a: a policy of the dual engine.
//
// The engine never looks inside w. It asks for |w|^2, lets w start again from zero, and hands a *point* to its blocks, which read
// the values b - <a, w> of their planes through it and move w along their planes. The explicit vector is one policy, its point the address
// of the numbers. With a kernel it would be coefficients beta[row, label] of training rows: a point that scores row r by
// K[r, .] beta, moves by beta[r] += c, and keeps |w|^2 up to date on the way (tests/native/kernel_weights.cpp has one).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

//   Point, CoarsePoint           what blocks get: small, and copied freely
//   clear()                      w = 0, in full precision
//   point()                      w in full precision, if is_fine(): not before the first clear(), nor once it has gone coarse
//   coarse_point(), is_coarse()  the same in a precision that is faster, where there is one, from now until clear(); else that of point()
//   square()                     |w|^2
template <class W>
concept WeightsPolicy = requires(W weights, const W& seen) {
  { weights.clear() } -> std::same_as<void>;
  { weights.point() } -> std::same_as<typename W::Point>;
  { weights.coarse_point() } -> std::same_as<typename W::CoarsePoint>;
  { seen.is_fine() } -> std::same_as<bool>;
  { seen.is_coarse() } -> std::same_as<bool>;
  { seen.square() } -> std::same_as<double>;
};

// Weights that lie label by label, `apart` numbers each: a move along a dense row then touches those of the labels that it changes, not
// all of them.
template <class Real>
struct TurnedOf {
  Real* numbers;
  std::int64_t apart;
  Real* of(std::int64_t label) const { return numbers + label * apart; }
};
using TurnedWeights = TurnedOf<float>;

// A vector of float64, or of float32 in coarse visits. Who keeps one of the pointers keeps what it points to, which is dropped here when
// the other precision takes over.
class ExplicitWeights {
 public:
  using Point = double*;
  using CoarsePoint = float*;

  explicit ExplicitWeights(std::int64_t size) : size_(size) {}

  void clear() {
    coarse_.reset();
    if (fine_ && fine_.use_count() == 1) {
      std::fill(fine_->begin(), fine_->end(), 0.0);
    } else {
      fine_ = std::make_shared<WeightsOf<double>>(static_cast<std::size_t>(size_));
    }
  }
  Point point() { return fine_->data(); }
  CoarsePoint coarse_point() {
    if (!coarse_) {
      coarse_ = fine_ ? std::make_shared<WeightsOf<float>>(fine_->begin(), fine_->end())
                      : std::make_shared<WeightsOf<float>>(static_cast<std::size_t>(size_));
      fine_.reset();
    }
    return coarse_->data();
  }
  // From now on coarse weights lie label by label, `stride` of them for each of the columns, and turned_point() takes the place of
  // coarse_point().
  void turn(std::int64_t stride) {
    stride_ = stride;
    apart_ = (size_ / stride + kTurnedPad - 1) / kTurnedPad * kTurnedPad;
  }
  bool is_turned() const { return stride_ > 0; }
  TurnedWeights turned_point() {
    if (!coarse_) {
      coarse_ = std::make_shared<WeightsOf<float>>(static_cast<std::size_t>(stride_ * apart_));
      if (fine_) each_turned([this](std::size_t at, std::size_t turned) { (*coarse_)[turned] = static_cast<float>((*fine_)[at]); });
      fine_.reset();
    }
    return {coarse_->data(), apart_};
  }
  // After clear(): w in full precision is what add(point) adds to zeros that lie label by label.
  template <class Add>
  void sum_turned(Add&& add) {
    WeightsOf<double> sums(static_cast<std::size_t>(stride_ * apart_));
    add(TurnedOf<double>{sums.data(), apart_});
    each_turned([&](std::size_t at, std::size_t turned) { (*fine_)[at] = sums[turned]; });
  }
  // The coarse ones as they lie.
  WeightsOf<float>& numbers() { return *coarse_; }
  bool is_fine() const { return fine_ != nullptr; }
  bool is_coarse() const { return coarse_ != nullptr; }
  // The first `count` numbers are scores of rows, and as many after them the coefficients of these: their products add up to |w|^2
  // as far as it is that of a kernel (rows/kernel_patch.hpp).
  void pair(std::int64_t count) { paired_ = count; }
  bool is_paired() const { return paired_ > 0; }
  double square() const {
    if (paired_ > 0 && fine_) {
      const double* scores = fine_->data();
      const double* rest = scores + 2 * paired_;
      return kernels().dot(scores, scores + paired_, paired_) + kernels().dot(rest, rest, size_ - 2 * paired_);
    }
    if (coarse_) return kernels().coarse_square(coarse_->data(), static_cast<std::int64_t>(coarse_->size()));
    return fine_ ? kernels().dot(fine_->data(), fine_->data(), size_) : 0.0;
  }

  const std::shared_ptr<WeightsOf<double>>& fine() const { return fine_; }
  // In the order of the fine ones, a copy where that is another.
  std::shared_ptr<WeightsOf<float>> coarse() const {
    if (!is_turned() || !coarse_) return coarse_;
    auto straight = std::make_shared<WeightsOf<float>>(static_cast<std::size_t>(size_));
    each_turned([&](std::size_t at, std::size_t turned) { (*straight)[at] = (*coarse_)[turned]; });
    return straight;
  }

 private:
  // Calls each(place of a weight, its place where weights lie label by label).
  template <class Each>
  void each_turned(Each&& each) const {
    for (std::int64_t column = 0; column < size_ / stride_; ++column) {
      for (std::int64_t label = 0; label < stride_; ++label) each(static_cast<std::size_t>(column * stride_ + label), static_cast<std::size_t>(label * apart_ + column));
    }
  }

  std::int64_t size_, paired_ = 0, stride_ = 0, apart_ = 0;
  std::shared_ptr<WeightsOf<double>> fine_;  // one of the two, or neither before the first use
  std::shared_ptr<WeightsOf<float>> coarse_;
};

static_assert(WeightsPolicy<ExplicitWeights>);

}  // namespace maxmargin
