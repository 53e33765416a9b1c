// What the passes over a grid that add up all alignments read and fill; simd/grid_sum_kernels.inl has the passes.
//
// Weights are exponentials of scores. The sums of all alignments up to a place are numbers times 2^power: every strip has a power for each
// kSumBlock of its steps, so that numbers of one strip and block are within the range of float64 if scores of single pairs and gaps are at
// most kModerateScore in size, whatever whole alignments are worth. On the way back the same powers, negative, scale what follows a place.
#pragma once

#include <cstdint>

#include "maxmargin/simd/grid_pass.hpp"

namespace maxmargin {

inline constexpr std::int32_t kSumBlock = 16;
inline constexpr double kModerateScore = 25.0;

struct GridSumPass {
  std::int32_t m, n;
  const double* match;      // weights, rows of n numbers
  const double* zeros;      // n of them
  const std::int32_t* row;  // row of each position of x; null: its own
  // Weights by row, padded: gaps of the row after each, 0 at the last one and in the padding.
  const double *next_open_x, *next_extend_x;
  // Weights by column, as in GridPass; 0 in the padding.
  const double *open_y, *extend_y;
  GridSide start[2], stop[2];       // logarithms; minus infinity in the padding
  bool paid_start_x[2], paid_start_y[2], paid_stop_x[2], paid_stop_y[2];  // which of them belong to gaps that are paid for
  const std::int32_t *begin, *end;  // by row: columns in the band; null: all
  double *across_x, *across_h;      // room for n + 1 numbers each: what goes from one strip to the next
  std::int32_t* across_power;       // room for n + 1: the powers of these
  double* cells;                    // room for 3 (m rounded up to a strip) (n + kMostStrip)
  std::int32_t* powers;             // room for (strips) (n + kMostStrip) / kSumBlock + 1
  double alone, log_sum;            // of the alignment without pairs; of all: filled by the forward pass
  // Filled by the backward pass: probabilities of pairs, m x n; expected uses of gaps between pairs, and, by the first and the last pair, of
  // ends that are paid for.
  double* pairs;
  double *open_x, *extend_x, *open_y_uses, *extend_y_uses;  // by row (padded, shifted by one: of the row after), by column (n + 1)
  double *before_x, *before_y, *after_x, *after_y;          // by row (padded), by column (n + 1)
};

}  // namespace maxmargin
