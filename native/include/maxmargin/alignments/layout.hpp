// Arrays by row and by column as the vector passes read them (simd/grid_pass.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "maxmargin/alignments/grid.hpp"
#include "maxmargin/simd/grid_pass.hpp"

namespace maxmargin::alignments {

inline std::size_t padded_rows(std::int32_t m) { return static_cast<std::size_t>((m + kMostStrip - 1) / kMostStrip * kMostStrip); }

// By column, the last first, with padding on both sides; answers where the numbers of the grid begin.
template <class Value>
const double* reversed(std::int32_t n, std::vector<double>& into, double padding, Value&& value) {
  into.assign(static_cast<std::size_t>(n) + 2 * kMostStrip, padding);
  for (std::int32_t j = 0; j < n; ++j) into[static_cast<std::size_t>(kMostStrip + n - 1 - j)] = value(j);
  return into.data() + kMostStrip;
}

template <class Value>
const double* by_row(std::int32_t m, std::vector<double>& into, double padding, Value&& value) {
  into.assign(padded_rows(m), padding);
  for (std::int32_t i = 0; i < m; ++i) into[static_cast<std::size_t>(i)] = value(i);
  return into.data();
}

// Scores of ends on either side of the diagonal that divides them.
class EndLayout {
 public:
  void fill(const EndScores& ends, const GridShape& shape, std::int32_t m, std::int32_t n, double padding) {
    for (int side = 0; side < 2; ++side) {
      // Runs of which that of x is the longer or the shorter one.
      const std::int32_t of_x = side == 0 ? 1 : 0, of_y = 1 - of_x;
      const Paid first = before[side] = paid_before(shape, of_x, of_y), last = after[side] = paid_after(shape, of_x, of_y);
      start[side].by_row = by_row(m, rows_[0][side], padding, [&](std::int32_t i) { return ends.before_x(i, first.x); });
      start[side].by_column = reversed(n, columns_[0][side], padding, [&](std::int32_t j) { return ends.before_y(j, first.y); });
      stop[side].by_row = by_row(m, rows_[1][side], padding, [&](std::int32_t i) { return ends.after_x(i, last.x); });
      stop[side].by_column = reversed(n, columns_[1][side], padding, [&](std::int32_t j) { return ends.after_y(j, last.y); });
    }
  }
  GridSide start[2], stop[2];
  Paid before[2], after[2];

 private:
  std::vector<double> rows_[2][2], columns_[2][2];
};

// Columns in the band, by row; null where there is none.
class BandLayout {
 public:
  void fill(const GridShape& shape, std::int32_t m, std::int32_t n) {
    begin = end = nullptr;
    if (shape.band < 0) return;
    begins_.resize(static_cast<std::size_t>(m));
    ends_.resize(static_cast<std::size_t>(m));
    for (std::int32_t i = 0; i < m; ++i) {
      const Columns inside = columns_in_band(shape, m, n, i);
      begins_[static_cast<std::size_t>(i)] = inside.begin;
      ends_[static_cast<std::size_t>(i)] = inside.end;
    }
    begin = begins_.data();
    end = ends_.data();
  }
  const std::int32_t *begin = nullptr, *end = nullptr;

 private:
  std::vector<std::int32_t> begins_, ends_;
};

}  // namespace maxmargin::alignments
