// What the passes over a grid that add up all alignments read and fill.
//
// Two pairs of passes do the same. Weights, the exponentials of scores, are plain numbers in simd/grid_sum_kernels.inl. The sums of all
// alignments up to a place are numbers times 2^power there: every strip has a power for each kSumBlock of its steps. Numbers of one strip and
// block are within the range of float64 if scores of single pairs and gaps are at most kModerateScore in size and sums of neighbours are
// not too far apart, which the forward pass tells. On the way back the same powers, negative, scale what follows a place. In
// simd/grid_wide_kernels.inl every number has a power of its own: three times slower, and right for all scores.
#pragma once

#include <cstdint>

#include "maxmargin/simd/grid_pass.hpp"

namespace maxmargin {

inline constexpr std::int32_t kSumBlock = 16;
inline constexpr double kModerateScore = 25.0;

// What both read of the grid.
struct SumGrid {
  std::int32_t m, n;
  const std::int32_t* row;          // row of each position of x in the table of pairs; null: its own
  const std::int32_t *begin, *end;  // by row: columns in the band; null: all
  bool paid_start_x[2], paid_start_y[2], paid_stop_x[2], paid_stop_y[2];  // which of the ends belong to gaps that are paid for
  double alone;                                                           // the score of the alignment without pairs
};

// What both find: probabilities of pairs, m x n; expected uses of gaps between pairs, and, by the first and the last pair, of ends that are
// paid for.
struct SumUses {
  double* pairs;
  double *open_x, *extend_x, *open_y_uses, *extend_y_uses;  // by row (padded, shifted by one: of the row after), by column (n + 1)
  double *before_x, *before_y, *after_x, *after_y;          // by row (padded), by column (n + 1)
};

struct GridSumPass {
  SumGrid grid;
  const double* match;  // weights, rows of n numbers
  const double* zeros;  // n of them
  // Weights by row, padded: gaps of the row after each, 0 at the last one and in the padding.
  const double *next_open_x, *next_extend_x;
  // Weights by column, as in GridPass; 0 in the padding.
  const double *open_y, *extend_y;
  GridSide start[2], stop[2];   // logarithms; minus infinity in the padding
  double *across_x, *across_h;  // room for n + 1 numbers each: what goes from one strip to the next
  std::int32_t* across_power;   // room for n + 1: the powers of these
  double* cells;                // room for 3 (m rounded up to a strip) (n + kMostStrip)
  std::int32_t* powers;         // room for (strips) (n + kMostStrip) / kSumBlock + 1
  bool reliable;                // filled by the forward pass: whether it lost nothing; if not, it stopped
  double log_sum;               // of all, where it is reliable
  SumUses uses;                 // filled by the backward pass
};

// Numbers times powers of two, number * 2^power: numbers from 1 to below 2, powers whole; zero is a power of kNoWide or below.
struct WideNumbers {
  const double *number, *power;
};
struct WideRoom {
  double *number, *power;
};
struct WideSide {
  WideNumbers by_row, by_column;
};
inline constexpr double kNoWide = -1e200;

// As in GridSumPass; paddings are zero.
struct GridWidePass {
  SumGrid grid;
  WideNumbers match, zeros, next_open_x, next_extend_x, open_y, extend_y;
  WideSide start[2], stop[2];
  WideRoom across_x, across_h;
  double* cells;                // room for 6 (m rounded up to a strip) (n + kMostStrip)
  double sum_number, sum_power;  // of all alignments, filled by the forward pass; zero has a power below kNoWide / 2
  SumUses uses;
};

}  // namespace maxmargin
