// A trellis in which what is not allowed scores minus infinity.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/chains/decode.hpp"
#include "maxmargin/chains/trellis.hpp"

namespace maxmargin {

template <class Real>
class LimitedTrellis {
 public:
  LimitedTrellis(const ChainData& data, const ChainLimits& limits) : data_(data), limits_(limits) {}

  // Valid until the next call, and as long as the trellis given.
  Trellis<Real> apply(std::int64_t i, Trellis<Real> trellis) {
    constexpr Real kNever = -std::numeric_limits<Real>::infinity();
    const int labels = trellis.labels, stride = trellis.stride, length = trellis.length;
    if (limits_.labels == nullptr && limits_.steps == nullptr) return trellis;
    nodes_.assign(trellis.nodes, trellis.nodes + static_cast<std::int64_t>(length) * stride);
    if (limits_.labels != nullptr) {
      const std::uint8_t* allowed = limits_.labels + data_.offsets[i] * labels;
      for (int t = 0; t < length; ++t) {
        for (int y = 0; y < labels; ++y) {
          if (!allowed[t * labels + y]) nodes_[static_cast<std::size_t>(t * stride + y)] = kNever;
        }
      }
    }
    if (limits_.steps != nullptr) {
      const std::uint8_t* start = limits_.steps + labels * (labels + 1);
      for (int y = 0; y < labels; ++y) {
        if (!start[y]) nodes_[static_cast<std::size_t>(y)] = kNever;
        if (!limits_.steps[y * (labels + 1) + labels]) nodes_[static_cast<std::size_t>((length - 1) * stride + y)] = kNever;
      }
      limit_steps(trellis);
    }
    trellis.nodes = nodes_.data();
    return trellis;
  }

 private:
  void limit_steps(Trellis<Real>& trellis) {
    const int labels = trellis.labels, stride = trellis.stride;
    for (int k = 1; k <= trellis.order; ++k) {
      const std::int64_t rows = trellis.power(k);
      if (steps_[k - 1].empty()) {  // the same for all sequences
        steps_[k - 1].assign(trellis.steps[k - 1], trellis.steps[k - 1] + rows * stride);
        for (std::int64_t s = 0; s < rows; ++s) {
          const std::uint8_t* allowed = limits_.steps + s % labels * (labels + 1);
          for (int y = 0; y < labels; ++y) {
            if (!allowed[y]) steps_[k - 1][static_cast<std::size_t>(s * stride + y)] = -std::numeric_limits<Real>::infinity();
          }
        }
      }
      trellis.steps[k - 1] = steps_[k - 1].data();
    }
  }

  const ChainData& data_;
  ChainLimits limits_;
  std::vector<Real> nodes_, steps_[kMaxOrder];
};

}  // namespace maxmargin
