// From weights to the trellis of one sequence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "maxmargin/chains/chain.hpp"
#include "maxmargin/chains/trellis.hpp"

namespace maxmargin {

// Reused from sequence to sequence. `Real` is the precision of the weights and of the scores.
template <class Real>
class ChainScores {
 public:
  explicit ChainScores(const ChainData& data) : data_(&data) {}

  // Reads the weights of the label n-grams; to be called whenever they changed. All scores are those at factor * weights.
  void read_steps(const Real* weights, double factor = 1.0) {
    const ChainShape& shape = data_->shape;
    const int stride = shape.stride();
    factor_ = static_cast<Real>(factor);
    const Real eta = static_cast<Real>(shape.eta * factor);
    for (int k = 1; k <= shape.order; ++k) {
      const Real* own = weights + shape.transition_row(k) * stride;
      if (k == 1 && eta == Real{1}) {
        trellis_.steps[0] = own;
        continue;
      }
      std::vector<Real>& table = steps_[k - 1];
      const std::int64_t rows = shape.power(k), shorter = shape.power(k - 1);
      table.resize(static_cast<std::size_t>(rows * stride));
      for (std::int64_t s = 0; s < rows; ++s) {
        Real* into = table.data() + s * stride;
        for (int y = 0; y < stride; ++y) into[y] = eta * own[s * stride + y];
        if (k == 1) continue;
        const Real* less = trellis_.steps[k - 2] + s % shorter * stride;  // the oldest label does not count there
        for (int y = 0; y < stride; ++y) into[y] += less[y];
      }
      trellis_.steps[k - 1] = table.data();
    }
  }

  // Scores of a sequence; `read_steps` has been called.
  const Trellis<Real>& open(std::int64_t i, const Real* weights) {
    const ChainShape& shape = data_->shape;
    const int stride = shape.stride(), length = data_->length(i);
    const std::int64_t first = data_->offsets[i];
    nodes_.resize(static_cast<std::size_t>(length) * stride);
    constexpr int kAhead = 2;  // tokens
    const std::int64_t bytes = stride * static_cast<std::int64_t>(sizeof(Real));
    for (int t = 0; t < std::min(kAhead, length); ++t) data_->tokens.prefetch_weights(first + t, weights, bytes);
    for (int t = 0; t < length; ++t) {
      if (t + kAhead < length) data_->tokens.prefetch_weights(first + t + kAhead, weights, bytes);
      row_scores(data_->tokens[first + t], weights, stride, nodes_.data() + static_cast<std::int64_t>(t) * stride);
    }
    if (factor_ != Real{1}) {
      for (Real& node : nodes_) node *= factor_;
    }
    if (data_->label_offset != nullptr) {
      for (int t = 0; t < length; ++t) {
        Real* node = nodes_.data() + static_cast<std::int64_t>(t) * stride;
        const double* offset = data_->offset_of(first + t);
        for (int y = 0; y < shape.labels; ++y) node[y] += static_cast<Real>(offset[y]) * factor_;
      }
    }
    if (shape.ends) {
      const Real eta = static_cast<Real>(shape.eta) * factor_;
      const Real* start = weights + shape.start_row() * stride;
      const Real* end = weights + shape.end_row() * stride;
      Real* last = nodes_.data() + static_cast<std::int64_t>(length - 1) * stride;
      for (int y = 0; y < stride; ++y) nodes_[static_cast<std::size_t>(y)] += eta * start[y];
      for (int y = 0; y < stride; ++y) last[y] += eta * end[y];
    }
    trellis_.pairs = nullptr;
    if (shape.pair_features > 0) {
      const int width = shape.labels * stride;
      pairs_.resize(static_cast<std::size_t>(length) * width);
      for (int t = 1; t < length; ++t) {
        row_scores(data_->pairs[first + t], weights + shape.pair_row() * stride, width, pairs_.data() + static_cast<std::int64_t>(t) * width);
      }
      if (factor_ != Real{1}) {
        for (Real& pair : pairs_) pair *= factor_;
      }
      trellis_.pairs = pairs_.data();
    }
    trellis_.length = length;
    trellis_.labels = shape.labels;
    trellis_.stride = stride;
    trellis_.order = shape.order;
    trellis_.nodes = nodes_.data();
    return trellis_;
  }

  const Trellis<Real>& trellis() const { return trellis_; }
  std::vector<Real>& nodes() { return nodes_; }

 private:
  const ChainData* data_;
  Trellis<Real> trellis_;
  Real factor_ = 1;
  std::vector<Real> nodes_, pairs_, steps_[kMaxOrder];
};

}  // namespace maxmargin
