#include "maxmargin/alignments/best.hpp"

#include <algorithm>

#include "maxmargin/alignments/layout.hpp"
#include "maxmargin/programs/program.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::alignments {
double BestAlignment::find(const GridScores& scores, const GridShape& shape, std::vector<Pair>& pairs) {
  pass_.m = scores.m;
  pass_.n = scores.n;
  pass_.match = scores.match;
  pass_.row = scores.row;
  ends_.start(scores, shape);
  fill_gaps(scores);
  band_.fill(shape, scores.m, scores.n);
  pass_.begin = band_.begin;
  pass_.end = band_.end;
  fill_ends(scores, shape);
  above_x_.resize(static_cast<std::size_t>(scores.n) + 1);
  above_h_.resize(static_cast<std::size_t>(scores.n) + 1);
  pass_.above_x = above_x_.data();
  pass_.above_h = above_h_.data();
  const std::size_t room = padded_rows(scores.m) * static_cast<std::size_t>(scores.n + kMostStrip);
  if (choices_.size() < room) choices_.resize(room);
  pass_.choices = choices_.data();
  kernels().grid_forward(pass_);
  pairs.clear();
  if (pass_.ends != GridEnds::border && ends_.alone() >= pass_.value) return ends_.alone();
  if (pass_.ends == GridEnds::border) pass_.value = std::max(pass_.value, ends_.alone());
  if (pass_.value != programs::kImpossible<double>) trace(pairs);
  return pass_.value;
}

void BestAlignment::fill_gaps(const GridScores& scores) {
  const std::int32_t last = scores.m - 1;
  pass_.next_open_x = by_row(scores.m, next_open_x_, 0.0, [&](std::int32_t i) { return i == last ? 0.0 : scores.open_x[i + 1]; });
  pass_.next_extend_x = by_row(scores.m, next_extend_x_, 0.0, [&](std::int32_t i) { return i == last ? 0.0 : scores.extend_x[i + 1]; });
  pass_.open_y = reversed(scores.n, open_y_, 0.0, [&](std::int32_t j) { return scores.open_y[j]; });
  pass_.extend_y = reversed(scores.n, extend_y_, 0.0, [&](std::int32_t j) { return scores.extend_y[j]; });
}

void BestAlignment::fill_ends(const GridScores& scores, const GridShape& shape) {
  const std::int32_t m = pass_.m, n = pass_.n;
  if (shape.mode == Mode::local && scores.last.i < 0) {
    pass_.ends = GridEnds::zero;
    return;
  }
  if (shape.mode == Mode::global && shape.band < 0) {
    pass_.ends = GridEnds::border;
    border_x_.resize(static_cast<std::size_t>(m) + 1);
    border_y_.resize(static_cast<std::size_t>(n));
    double sum = border_x_[0] = 0.0;
    for (std::int32_t i = 0; i < m; ++i) border_x_[static_cast<std::size_t>(i) + 1] = sum += i == 0 ? scores.open_x[0] : scores.extend_x[i];
    for (std::int32_t j = 0; j < n; ++j) border_y_[static_cast<std::size_t>(j)] = ends_.before_y(j, true);
    pass_.border_x = border_x_.data();
    pass_.border_y = border_y_.data();
    return;
  }
  pass_.ends = GridEnds::scored;
  layout_.fill(ends_, shape, m, n, 0.0);
  for (int side = 0; side < 2; ++side) {
    pass_.start[side] = layout_.start[side];
    pass_.stop[side] = layout_.stop[side];
  }
}

void BestAlignment::trace(std::vector<Pair>& pairs) const {
  const int strip = kernels().grid_strip;
  int lanes[kMostStrip];
  for (int r = 0; r < strip; ++r) lanes[r] = kernels().grid_lane(r);
  auto choice = [&](std::int32_t i, std::int32_t j) {
    const std::int32_t of = i / strip, r = i % strip;
    return choices_[static_cast<std::size_t>((static_cast<std::int64_t>(of) * (pass_.n + strip) + j + r) * strip + lanes[r])];
  };
  enum { pair, run_of_x, run_of_y } state = pair;
  auto best = [&](std::uint32_t chosen) { return chosen & kRunOfY ? run_of_y : chosen & kRunOfX ? run_of_x : pair; };
  std::int32_t i = pass_.i, j = pass_.j;
  if (pass_.ends == GridEnds::border) state = best(choice(i, j));
  while (i >= 0 && j >= 0) {
    switch (state) {
      case pair:
        pairs.push_back({i, j});
        if (pass_.ends != GridEnds::border && choice(i, j) & kStarts) i = 0;
        --i, --j;
        if (i >= 0 && j >= 0) state = best(choice(i, j));
        break;
      case run_of_x:
        --i;
        if (i >= 0) state = choice(i, j) & kExtendsX ? run_of_x : pair;
        break;
      case run_of_y: {
        const bool extends = choice(i, j) & kExtendsY;
        --j;
        if (j >= 0) state = extends ? run_of_y : choice(i, j) & kRunOfX ? run_of_x : pair;
        break;
      }
    }
  }
  std::reverse(pairs.begin(), pairs.end());
}

}  // namespace maxmargin::alignments
