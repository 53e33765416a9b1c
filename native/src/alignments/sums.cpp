#include "maxmargin/alignments/sums.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/alignments/grid_program.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::alignments {
namespace {

// Runs from 0 to before k that are paid for with weight[k] have in all `open` at 0 and `extend` behind it.
void spread_before(const std::vector<double>& weight, std::vector<double>& open, std::vector<double>& extend) {
  double sum = 0.0;
  for (std::size_t k = weight.size() - 1; k > 0; --k) {
    sum += weight[k];
    (k == 1 ? open : extend)[k - 1] += sum;
  }
}

// Runs from behind k to the end.
void spread_after(const std::vector<double>& weight, std::vector<double>& open, std::vector<double>& extend) {
  double sum = 0.0;
  for (std::size_t k = 0; k + 1 < weight.size(); ++k) {
    open[k + 1] += weight[k];
    extend[k + 1] += sum;
    sum += weight[k];
  }
}

}  // namespace

double AlignmentSums::find(const GridScores& scores, const GridShape& shape, Expected& expected) {
  if (!weigh(scores)) return find_as_program(scores, shape, {}, expected);
  const std::int32_t m = scores.m, n = scores.n;
  const auto rows = static_cast<std::size_t>(m), columns = static_cast<std::size_t>(n), padded = padded_rows(m);
  end_scores_.start(scores, shape);
  layout_.fill(end_scores_, shape, m, n, programs::kImpossible<double>);
  band_.fill(shape, m, n);
  pass_.begin = band_.begin;
  pass_.end = band_.end;
  for (int side = 0; side < 2; ++side) {
    pass_.start[side] = layout_.start[side];
    pass_.stop[side] = layout_.stop[side];
    pass_.paid_start_x[side] = layout_.before[side].x;
    pass_.paid_start_y[side] = layout_.before[side].y;
    pass_.paid_stop_x[side] = layout_.after[side].x;
    pass_.paid_stop_y[side] = layout_.after[side].y;
  }
  auto room = [](auto& values, std::size_t count) {
    if (values.size() < count) values.resize(count);
    return values.data();
  };
  pass_.across_x = room(across_x_, columns + 1);
  pass_.across_h = room(across_h_, columns + 1);
  pass_.across_power = room(across_power_, columns + 1);
  pass_.cells = room(cells_, 3 * padded * (columns + kMostStrip));
  const auto strip = static_cast<std::size_t>(kernels().grid_strip);
  pass_.powers = room(powers_, padded / strip * ((columns + strip) / kSumBlock + 1));
  pass_.alone = end_scores_.alone();
  kernels().grid_sum_forward(pass_);

  expected.match.assign(rows * columns, 0.0);
  for (auto* list : {&expected.open_x, &expected.extend_x}) list->assign(rows, 0.0);
  for (auto* list : {&expected.open_y, &expected.extend_y}) list->assign(columns, 0.0);
  if (pass_.log_sum == programs::kImpossible<double>) return pass_.log_sum;
  for (int k = 0; k < 4; ++k) uses_[k].assign(k < 2 ? padded : columns + 1, 0.0);
  for (auto* list : {&ends_.before_x, &ends_.after_x}) list->assign(padded, 0.0);
  for (auto* list : {&ends_.before_y, &ends_.after_y}) list->assign(columns + 1, 0.0);
  pass_.pairs = expected.match.data();
  pass_.open_x = uses_[0].data();
  pass_.extend_x = uses_[1].data();
  pass_.open_y_uses = uses_[2].data();
  pass_.extend_y_uses = uses_[3].data();
  pass_.before_x = ends_.before_x.data();
  pass_.before_y = ends_.before_y.data();
  pass_.after_x = ends_.after_x.data();
  pass_.after_y = ends_.after_y.data();
  kernels().grid_sum_backward(pass_);
  std::copy_n(uses_[0].begin(), rows - 1, expected.open_x.begin() + 1);
  std::copy_n(uses_[1].begin(), rows - 1, expected.extend_x.begin() + 1);
  std::copy_n(uses_[2].begin(), columns, expected.open_y.begin());
  std::copy_n(uses_[3].begin(), columns, expected.extend_y.begin());
  for (auto* list : {&ends_.before_x, &ends_.after_x}) list->resize(rows);
  for (auto* list : {&ends_.before_y, &ends_.after_y}) list->resize(columns);
  add_ends(shape, ends_, std::exp(pass_.alone - pass_.log_sum), expected);
  return pass_.log_sum;
}

// Fills the weights; false where a score is too large in size for them.
bool AlignmentSums::weigh(const GridScores& scores) {
  const std::int32_t m = scores.m, n = scores.n;
  std::int64_t rows = m;
  if (scores.row != nullptr) rows = *std::max_element(scores.row, scores.row + m) + 1;
  const auto moderate = [](const double* x, std::int64_t count) { return kernels().all_within(x, count, kModerateScore); };
  if (!moderate(scores.match, rows * n) || !moderate(scores.open_x, m) || !moderate(scores.extend_x, m) || !moderate(scores.open_y, n) ||
      !moderate(scores.extend_y, n)) {
    return false;
  }
  weights_.assign(scores.match, scores.match + rows * n);
  kernels().exp_all(weights_.data(), rows * n);
  zeros_.resize(static_cast<std::size_t>(n), 0.0);
  pass_.m = m;
  pass_.n = n;
  pass_.match = weights_.data();
  pass_.zeros = zeros_.data();
  pass_.row = scores.row;
  pass_.next_open_x = by_row(m, next_open_x_, 0.0, [&](std::int32_t i) { return i == m - 1 ? 0.0 : std::exp(scores.open_x[i + 1]); });
  pass_.next_extend_x = by_row(m, next_extend_x_, 0.0, [&](std::int32_t i) { return i == m - 1 ? 0.0 : std::exp(scores.extend_x[i + 1]); });
  pass_.open_y = reversed(n, open_y_, 0.0, [&](std::int32_t j) { return std::exp(scores.open_y[j]); });
  pass_.extend_y = reversed(n, extend_y_, 0.0, [&](std::int32_t j) { return std::exp(scores.extend_y[j]); });
  return true;
}

double AlignmentSums::find_as_program(const GridScores& scores, const GridShape& shape, std::span<const Pair> required, Expected& expected) {
  const std::int32_t m = scores.m, n = scores.n;
  GridProgram program(m, n);
  program.edge_scores(scores, shape, edge_scores_);
  if (!required.empty()) program.require(required, edge_scores_);
  const double log_sum = sums_.run(program, edge_scores_.data());
  edge_uses_.resize(static_cast<std::size_t>(program.edges()));
  sums_.marginals(program, edge_uses_);
  expected.match.assign(static_cast<std::size_t>(m) * static_cast<std::size_t>(n), 0.0);
  for (auto* list : {&expected.open_x, &expected.extend_x, &ends_.before_x, &ends_.after_x}) list->assign(static_cast<std::size_t>(m), 0.0);
  for (auto* list : {&expected.open_y, &expected.extend_y, &ends_.before_y, &ends_.after_y}) list->assign(static_cast<std::size_t>(n), 0.0);
  const double* last = edge_uses_.data() + program.first(program.goal());
  const double alone = *last++;
  for (std::int32_t i = 0; i < m; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (std::int32_t j = 0; j < n; ++j) {
      const auto column = static_cast<std::size_t>(j);
      const double* used = edge_uses_.data() + program.pair_edge(i, j);
      expected.match[row * static_cast<std::size_t>(n) + column] = used[0] + used[1] + used[2] + used[3];
      expected.open_x[row] += used[4];
      expected.extend_x[row] += used[5];
      expected.open_y[column] += used[6] + used[7];
      expected.extend_y[column] += used[8];
      const Paid before = paid_before(shape, i, j), after = paid_after(shape, m - 1 - i, n - 1 - j);
      const double stops = last[static_cast<std::int64_t>(i) * n + j];
      ends_.before_x[row] += before.x ? used[0] : 0.0;
      ends_.before_y[column] += before.y ? used[0] : 0.0;
      ends_.after_x[row] += after.x ? stops : 0.0;
      ends_.after_y[column] += after.y ? stops : 0.0;
    }
  }
  add_ends(shape, ends_, alone, expected);
  return log_sum;
}

void AlignmentSums::add_ends(const GridShape& shape, const Ends& ends, double alone, Expected& expected) {
  spread_before(ends.before_x, expected.open_x, expected.extend_x);
  spread_before(ends.before_y, expected.open_y, expected.extend_y);
  spread_after(ends.after_x, expected.open_x, expected.extend_x);
  spread_after(ends.after_y, expected.open_y, expected.extend_y);
  const auto m = static_cast<std::int32_t>(expected.open_x.size()), n = static_cast<std::int32_t>(expected.open_y.size());
  visit_paid_runs(shape, m, n, {}, [&](bool in_x, std::int32_t begin, std::int32_t end) {
    std::vector<double>& open = in_x ? expected.open_x : expected.open_y;
    std::vector<double>& extend = in_x ? expected.extend_x : expected.extend_y;
    for (std::int32_t k = begin; k < end; ++k) (k == begin ? open : extend)[static_cast<std::size_t>(k)] += alone;
  });
}

}  // namespace maxmargin::alignments
