// Products of a kernel matrix with coefficients, whose values are computed when they are needed and never stored: for rows of few
// columns that takes less time than to read them from memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

// The columns of a matrix of values K[r, c] = f(sum_k row[r, k] column[c, k]) in float32 as passes take them, f being a power or, where
// `power` is 0, the exponential function.
class KernelColumns {
 public:
  // `columns` has `depth` numbers per column, and is copied.
  KernelColumns(std::span<const float> columns, std::int64_t depth, int power);

  std::int64_t count() const { return count_; }
  std::int64_t depth() const { return depth_; }
  std::int64_t panels() const { return panels_; }
  int power() const { return power_; }
  const float* panel(std::int64_t at) const { return numbers_.data() + at * depth_ * kernels().value_columns; }

 private:
  std::int64_t depth_, count_, panels_;
  int power_;
  WeightsOf<float> numbers_;  // panel after panel, the last one filled up with zeros
};

// Products with coefficients of some rows.
class KernelProducts {
 public:
  // `left` and `right` have `depth` numbers per row, and are copied.
  KernelProducts(std::span<const float> left, std::span<const float> right, std::int64_t depth, int power);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return right_.count(); }

  // into[c, k] += sum_i K[rows[i], c] coefficients[i, k] for all columns c and k < labels
  void add(std::span<const std::int32_t> rows, const double* coefficients, std::int64_t labels, double* into) const;

 private:
  struct Chunk;  // some rows as a pass takes them

  std::int64_t rows_;
  std::vector<float> left_;
  KernelColumns right_;
};

// out[r, k] = sum_c K[r, c] factor[c, k] for all rows, each of as many numbers as columns have, and k < width; no more than a few values are
// kept at a time. With `upper` only c <= k counts, the factor being zero elsewhere.
void kernel_features(std::span<const float> rows, const KernelColumns& columns, const float* factor, std::int64_t width, bool upper, float* out);

}  // namespace maxmargin
