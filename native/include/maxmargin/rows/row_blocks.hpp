// Products of many rows with the weights of all labels, some rows at a time: dense rows read each weight once for a few of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "maxmargin/rows/rows.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

inline constexpr int kRowsTogether = 8;
inline constexpr std::int64_t kRowsAhead = 4;  // rows that are asked for before they are needed

inline bool read_in_blocks(const Rows& rows) { return rows.kind == RowKind::dense && rows.kernel == nullptr; }

// Calls body(first, count, cells) for n dense rows in blocks; row_of(i) is the number of the i-th.
template <class RowOf, class Body>
void for_dense_blocks(const Rows& rows, std::int64_t n, RowOf&& row_of, Body&& body) {
  std::array<const void*, kRowsTogether> cells;
  for (std::int64_t first = 0; first < n; first += kRowsTogether) {
    const auto count = static_cast<int>(std::min<std::int64_t>(kRowsTogether, n - first));
    for (int r = 0; r < count; ++r) cells[static_cast<std::size_t>(r)] = rows.stored(row_of(first + r)).values;
    body(first, count, cells.data());
  }
}

// out[i, k] = <w_k, x> for the row x = row_of(i), i < n; out has `stride` numbers per row.
template <class RowOf>
void score_rows(const Rows& rows, std::int64_t n, RowOf&& row_of, const double* weights, int stride, double* out) {
  if (read_in_blocks(rows)) {
    for_dense_blocks(rows, n, row_of, [&](std::int64_t first, int count, const void* const* cells) {
      kernels().block_scores(cells, count, rows.single, rows.width, rows.bias, weights, stride, out + first * stride);
    });
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    if (i + kRowsAhead < n) rows.prefetch(row_of(i + kRowsAhead));
    row_scores(rows[row_of(i)], weights, stride, out + i * stride);
  }
}

// W[j, k] += sum_i x_i[j] coefficient[i, k] for the same rows.
template <class RowOf>
void add_rows(const Rows& rows, std::int64_t n, RowOf&& row_of, double* weights, int stride, const double* coefficient) {
  if (read_in_blocks(rows)) {
    for_dense_blocks(rows, n, row_of, [&](std::int64_t first, int count, const void* const* cells) {
      kernels().block_update(cells, count, rows.single, rows.width, rows.bias, weights, stride, coefficient + first * stride);
    });
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    if (i + kRowsAhead < n) rows.prefetch(row_of(i + kRowsAhead));
    row_update(rows[row_of(i)], weights, stride, coefficient + i * stride);
  }
}

// Rows whose weights are not zero, a block at a time: their numbers, and a table of `stride` numbers for each.
class RowBlock {
 public:
  static constexpr std::int64_t kMost = 64;
  using Numbers = std::array<double, kMost>;  // one per row

  explicit RowBlock(int stride) : table(static_cast<std::size_t>(kMost * stride)) {}

  // The next rows from `at` on, which goes on to the first that is not among them; false where none is left.
  template <class WeightOf>
  bool fill(WeightOf&& weight_of, std::int64_t& at, std::int64_t end) {
    for (count = 0; at < end && count < kMost; ++at) {
      if (weight_of(at) != 0.0) rows_[static_cast<std::size_t>(count++)] = at;
    }
    return count > 0;
  }
  std::int64_t operator()(std::int64_t r) const { return rows_[static_cast<std::size_t>(r)]; }

  std::int64_t count = 0;
  WeightsOf<double> table;

 private:
  std::array<std::int64_t, kMost> rows_;
};

}  // namespace maxmargin
