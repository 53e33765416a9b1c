// What a pass over values of a kernel reads and fills; simd/value_kernels.inl has the pass.
//
// A value of the kernel is a function of a sum of `depth` products, of a number of a row with one of a column. Columns are in panels
// of as many as two vectors hold, number after number; rows in groups of as many as the registers have sums for, number after
// number too, so that both are read from end to end.
#pragma once

#include <cstdint>

namespace maxmargin {

inline constexpr std::int64_t kPassRows = 192;  // rows at once: their values for a panel stay in the first cache; a multiple of every group

struct KernelPass {
  const float* panel;         // (depth, columns of a panel)
  const float* groups;        // (groups, depth, rows of a group)
  std::int64_t depth, count;  // rows, a multiple of a group and at most kPassRows
  int power;                  // of the sum of products; 0: that power of 2
  // Coefficient c of label k, for first[k] <= c < first[k + 1], is `coefficients[c]`, that of row `place[c]`.
  std::int64_t labels;
  const std::int32_t *first, *place;
  const float* coefficients;
  float* sums;  // (labels, columns of a panel), to which the sums of coefficients times values are added
};

}  // namespace maxmargin
