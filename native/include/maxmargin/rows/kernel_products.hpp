// Products of a kernel matrix with coefficients, whose values are computed when they are needed and never stored: for rows of few
// columns that takes less time than to read them from memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

// K[r, c] = f(sum_k left[r, k] right[c, k]) in float32, f being a power or, where `power` is 0, the exponential function.
class KernelProducts {
 public:
  // `left` and `right` have `depth` numbers per row, and are copied.
  KernelProducts(std::span<const float> left, std::span<const float> right, std::int64_t depth, int power);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }

  // into[c, k] += sum_i K[rows[i], c] coefficients[i, k] for all columns c and k < labels
  void add(std::span<const std::int32_t> rows, const double* coefficients, std::int64_t labels, double* into) const;

 private:
  struct Chunk;  // some rows as a pass takes them

  std::int64_t depth_, rows_, columns_, panels_ = 0;
  int power_;
  std::vector<float> left_;
  WeightsOf<float> right_;  // panel after panel, the last one filled up with zeros
};

}  // namespace maxmargin
