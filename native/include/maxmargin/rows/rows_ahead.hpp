// Dense rows whose weights lie label by label: scores of the next few rows at once, and moves along them.
//
// The scores of one row are bound by the cache that the weights come from, those of several rows at a time are not. So the rows that will
// be opened next are scored together, and a move along one of them is added to the scores of those after it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/engine/weights.hpp"
#include "maxmargin/rows/rows.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

class RowsAhead {
 public:
  static constexpr std::size_t kMost = kTurnedRows;

  RowsAhead(const Rows& rows, int stride) : rows_(rows), stride_(stride) {}

  // Scores the rows that will be opened next, the first kMost of these; the next looks will be for those after them.
  void look(std::span<const std::int32_t> rows, TurnedWeights weights) {
    const std::size_t some = std::min(rows.size(), kMost);
    ahead_.assign(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(some));
    const float* soon[kMost];
    int count = 0;
    for (std::int32_t row : rows.subspan(some, std::min(rows.size() - some, kMost))) {
      if (rows_[row].single) {
        soon[count++] = static_cast<const float*>(rows_[row].values);
      } else {
        rows_.prefetch(row);
      }
    }
    opened_ = 0;
    for (std::size_t at = 0; at < ahead_.size(); ++at) write_out(ahead_[at], weights.apart, at);
    scores_.resize(kMost * static_cast<std::size_t>(stride_));
    kernels().turned_scores(cells_.data(), static_cast<int>(ahead_.size()), weights.numbers, weights.apart, stride_, scores_.data(), soon, count);
  }

  // The scores of a row, which is looked at alone unless it is the next of those ahead.
  const float* open(std::int64_t row, TurnedWeights weights) {
    const std::int32_t alone[] = {static_cast<std::int32_t>(row)};
    if (opened_ >= ahead_.size() || ahead_[opened_] != alone[0]) look(alone, weights);
    return scores_of(opened_++);
  }

  // W[:, k] += coefficient[k] x for the row x opened last
  void move(const double* coefficient, TurnedWeights weights) {
    const std::size_t own = opened_ - 1;
    add(own, coefficient, weights);
    if (opened_ == ahead_.size()) return;
    float products[kMost];
    const std::size_t first = opened_ / kPad * kPad;
    const float* others = cells_.data() + static_cast<std::int64_t>(first) * weights.apart;
    const float* x = cells_.data() + static_cast<std::int64_t>(own) * weights.apart;
    kernels().turned_scores(x, 1, others, weights.apart, padded(static_cast<std::int64_t>(ahead_.size() - first)), products, nullptr, 0);
    for (std::size_t later = opened_; later < ahead_.size(); ++later) {
      float* scores = scores_of(later);
      for (int k = 0; k < stride_; ++k) scores[k] += static_cast<float>(coefficient[k]) * products[later - first];
    }
  }
  // The same for any row, after which none is ahead.
  void move(std::int64_t row, const double* coefficient, TurnedWeights weights) {
    ahead_.clear();
    write_out(row, weights.apart, 0);
    add(0, coefficient, weights);
  }

 private:
  float* scores_of(std::size_t at) { return scores_.data() + at * static_cast<std::size_t>(stride_); }

  // A row with its constant, filled up with zeros.
  void write_out(std::int64_t i, std::int64_t apart, std::size_t at) {
    const Row row = rows_[i];
    cells_.resize(kMost * static_cast<std::size_t>(apart));
    float* out = cells_.data() + static_cast<std::int64_t>(at) * apart;
    if (row.single) {
      std::copy_n(static_cast<const float*>(row.values), row.width, out);
    } else {
      std::copy_n(static_cast<const double*>(row.values), row.width, out);
    }
    if (row.bias != 0.0) out[row.width] = static_cast<float>(row.bias);
  }
  void add(std::size_t at, const double* coefficient, TurnedWeights weights) const {
    const float* cells = cells_.data() + static_cast<std::int64_t>(at) * weights.apart;
    for (int k = 0; k < stride_; ++k) {
      if (coefficient[k] != 0.0) kernels().turned_update(static_cast<float>(coefficient[k]), cells, weights.of(k), weights.apart);
    }
  }

  Rows rows_;
  int stride_;
  std::vector<std::int32_t> ahead_;
  std::size_t opened_ = 0;  // of those ahead
  std::vector<float> scores_;
  WeightsOf<float> cells_;
};

}  // namespace maxmargin
