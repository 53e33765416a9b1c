#include "maxmargin/alignments/grid.hpp"

#include <algorithm>

namespace maxmargin::alignments {
namespace {

// Where both could be free the longer one is.
Paid paid(bool x_free, bool y_free, std::int32_t x_run, std::int32_t y_run) {
  if (x_free && y_free) return {x_run < y_run, x_run >= y_run};
  return {!x_free, !y_free};
}

void runs_before(std::int32_t count, const double* open, const double* extend, std::vector<double>& scores) {
  scores.resize(static_cast<std::size_t>(count));
  double sum = 0.0;
  for (std::int32_t k = 0; k < count; ++k) {
    scores[static_cast<std::size_t>(k)] = sum;
    sum += k == 0 ? open[0] : extend[k];
  }
}

// The run after position k opens at k + 1.
void runs_after(std::int32_t count, const double* open, const double* extend, std::vector<double>& scores) {
  scores.resize(static_cast<std::size_t>(count));
  double rest = 0.0;  // of the positions from k + 2 on
  scores[static_cast<std::size_t>(count) - 1] = 0.0;
  for (std::int32_t k = count - 2; k >= 0; --k) {
    scores[static_cast<std::size_t>(k)] = open[k + 1] + rest;
    rest += extend[k + 1];
  }
}

double run_score(const double* open, const double* extend, std::int32_t begin, std::int32_t end) {
  double sum = open[begin];
  for (std::int32_t k = begin + 1; k < end; ++k) sum += extend[k];
  return sum;
}

}  // namespace

Columns columns_in_band(const GridShape& shape, std::int32_t m, std::int32_t n, std::int32_t i) {
  if (shape.band < 0) return {0, n};
  const std::int64_t centre = static_cast<std::int64_t>(i) * n, wide = static_cast<std::int64_t>(shape.band) * m;
  const std::int64_t first = centre <= wide ? 0 : (centre - wide + m - 1) / m, last = std::min<std::int64_t>(n - 1, (centre + wide) / m);
  return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last) + 1};
}

Paid paid_before(const GridShape& shape, std::int32_t x_run, std::int32_t y_run) {
  if (shape.mode != Mode::semi_global) return {shape.mode == Mode::global, shape.mode == Mode::global};
  return paid(shape.free_x_begin, shape.free_y_begin, x_run, y_run);
}

Paid paid_after(const GridShape& shape, std::int32_t x_run, std::int32_t y_run) {
  if (shape.mode != Mode::semi_global) return {shape.mode == Mode::global, shape.mode == Mode::global};
  return paid(shape.free_x_end, shape.free_y_end, x_run, y_run);
}

Paid paid_alone(const GridShape& shape, std::int32_t m, std::int32_t n) {
  if (shape.mode != Mode::semi_global) return {shape.mode == Mode::global, shape.mode == Mode::global};
  // One of them before all of the other.
  if ((shape.free_x_begin && shape.free_y_end) || (shape.free_y_begin && shape.free_x_end)) return {false, false};
  return paid(shape.free_x_begin || shape.free_x_end, shape.free_y_begin || shape.free_y_end, m, n);
}

double score_of(const GridScores& scores, const GridShape& shape, std::span<const Pair> pairs) {
  double sum = 0.0;
  for (const Pair& pair : pairs) sum += scores.match_row(pair.i)[pair.j];
  visit_paid_runs(shape, scores.m, scores.n, pairs, [&](bool in_x, std::int32_t begin, std::int32_t end) {
    sum += in_x ? run_score(scores.open_x, scores.extend_x, begin, end) : run_score(scores.open_y, scores.extend_y, begin, end);
  });
  return sum;
}

void EndScores::start(const GridScores& scores, const GridShape& shape) {
  shape_ = shape;
  first_ = scores.first;
  last_ = scores.last;
  m_ = scores.m;
  n_ = scores.n;
  runs_before(m_, scores.open_x, scores.extend_x, before_x_);
  runs_before(n_, scores.open_y, scores.extend_y, before_y_);
  runs_after(m_, scores.open_x, scores.extend_x, after_x_);
  runs_after(n_, scores.open_y, scores.extend_y, after_y_);
  alone_ = last_.i >= 0 ? kNever : score_of(scores, shape, {});
}

}  // namespace maxmargin::alignments
