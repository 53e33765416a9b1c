// A sum of rows (features, labels) that is sparse in the features: sum_t phi_t (x) d_t of one sequence, in time linear in its tokens.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

class SummedRows {
 public:
  SummedRows(std::int64_t columns, int stride) : stride_(stride), columns_(columns) {}

  // Adds phi (x) change, `change` of `stride` numbers.
  void add(const Row& row, const double* change) {
    if (sums_.empty()) {  // only where it is used
      sums_.assign(static_cast<std::size_t>(columns_ * stride_), 0.0);
      seen_.assign(static_cast<std::size_t>(columns_), 0);
    }
    for (std::int64_t c = 0; c < row.count; ++c) touch(row.column(c));
    if (row.bias != 0.0) touch(row.width);
    row_update(row, sums_.data(), stride_, change);
  }

  bool empty() const { return touched_.empty(); }

  double square() const {
    double total = 0.0;
    for (std::int64_t column : touched_) total += kernels().dot(sums_.data() + column * stride_, sums_.data() + column * stride_, stride_);
    return total;
  }

  // Calls into(column, sums of the labels) for every column that is not zero.
  template <class Into>
  void each(Into&& into) const {
    for (std::int64_t column : touched_) into(column, sums_.data() + column * stride_);
  }

  void clear() {
    for (std::int64_t column : touched_) {
      std::fill_n(sums_.begin() + static_cast<std::ptrdiff_t>(column * stride_), stride_, 0.0);
      seen_[static_cast<std::size_t>(column)] = 0;
    }
    touched_.clear();
  }

 private:
  void touch(std::int64_t column) {
    if (seen_[static_cast<std::size_t>(column)]) return;
    seen_[static_cast<std::size_t>(column)] = 1;
    touched_.push_back(column);
  }

  int stride_;
  std::int64_t columns_;
  std::vector<double> sums_;
  std::vector<char> seen_;
  std::vector<std::int64_t> touched_;
};

}  // namespace maxmargin
