// What a pass over a grid of alignments reads and fills; simd/grid_kernels.inl has the passes.
//
// Rows of the grid are gone through in strips of 2 W, W the numbers of a vector: row r of a strip is at column t - r in step t, so that no
// lane waits for another one of the same step. Arrays by column are reversed and padded, which makes the columns of the lanes of a
// step consecutive in memory.
#pragma once

#include <cstdint>

namespace maxmargin {

inline constexpr std::int32_t kMostStrip = 8;  // rows

// How the choices at a place of the grid are kept, one bit each.
enum GridChoice : std::uint32_t {
  kRunOfX = 1,    // the run of x beats the pair
  kRunOfY = 2,    // the run of y beats both
  kExtendsX = 4,  // the run of x in the next row, same column, goes on with this one
  kExtendsY = 8,  // the run of y goes on with that of the column before
  kStarts = 16    // the pair is the first one
};

// border: both ends are paid for, as runs along the border of the grid. zero: both are free. scored: by sums of a number per row and
// one per column, which differ on the two sides of a diagonal.
enum class GridEnds : std::uint8_t { border, zero, scored };

struct GridSide {  // score = by_row[i] + by_column[j], in one array by row and a reversed one by column
  const double *by_row, *by_column;
};

struct GridPass {
  std::int32_t m, n;
  const double* match;      // rows of n numbers
  const std::int32_t* row;  // row of each position of x; null: its own
  // By row, padded to a multiple of kMostStrip: gaps of the row after each.
  const double *next_open_x, *next_extend_x;
  // By column: element -k - 1 + n is that of column k, with kMostStrip numbers before and behind.
  const double *open_y, *extend_y;
  GridEnds ends;
  const double *border_x, *border_y;  // border: score of the run of all positions before one, m + 1 and n numbers
  GridSide start[2], stop[2];         // scored: [0] where j <= i, [1] elsewhere; for stop [0] where j - i >= n - m
  const std::int32_t *begin, *end;    // by row, padded: columns in the band; null: all
  double *above_x, *above_h;          // room for n + 1 numbers each
  std::uint32_t* choices;             // room for (m rounded up to a strip) (n + kMostStrip) numbers
  // Filled: the largest value of an alignment, and its last pair; with a border the corner of the grid.
  double value;
  std::int32_t i, j;
};

}  // namespace maxmargin
