#include "maxmargin/alignments/sums.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/alignments/grid_program.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::alignments {
namespace {

constexpr double kLog2 = 0.693147180559945309417;
constexpr double kMostPower = 0x1p51;  // float64 has all whole numbers up to it, and their sums

template <class T>
T* room(std::vector<T>& values, std::size_t count) {
  if (values.size() < count) values.resize(count);
  return values.data();
}

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
  const std::int32_t m = scores.m, n = scores.n;
  const std::int64_t rows = scores.row == nullptr ? m : *std::max_element(scores.row, scores.row + m) + 1;
  auto all_within = [&](double most) {
    const auto within = [&](const double* x, std::int64_t count) { return kernels().all_within(x, count, most); };
    return within(scores.match, rows * n) && within(scores.open_x, m) && within(scores.extend_x, m) && within(scores.open_y, n) &&
           within(scores.extend_y, n);
  };
  if (!all_within(kMostPower * kLog2 / (static_cast<double>(m) + n))) return find_as_program(scores, shape, expected);
  end_scores_.start(scores, shape);
  layout_.fill(end_scores_, shape, m, n, programs::kImpossible<double>);
  band_.fill(shape, m, n);
  grid_ = {m, n, scores.row, band_.begin, band_.end, {}, {}, {}, {}, end_scores_.alone()};
  for (int side = 0; side < 2; ++side) {
    grid_.paid_start_x[side] = layout_.before[side].x;
    grid_.paid_start_y[side] = layout_.before[side].y;
    grid_.paid_stop_x[side] = layout_.after[side].x;
    grid_.paid_stop_y[side] = layout_.after[side].y;
  }
  double log_sum = 0.0;
  if (!all_within(kModerateScore) || !find_fast(scores, expected, log_sum)) log_sum = find_wide(scores, expected);
  if (log_sum != programs::kImpossible<double>) add_uses(shape, std::exp(end_scores_.alone() - log_sum), expected);
  return log_sum;
}

bool AlignmentSums::find_fast(const GridScores& scores, Expected& expected, double& log_sum) {
  const std::int32_t m = scores.m, n = scores.n;
  auto is_finite = [](const double* x, std::int32_t count) { return std::all_of(x, x + count, [](double each) { return each >= -kModerateScore; }); };
  if (!is_finite(scores.open_x, m) || !is_finite(scores.extend_x, m) || !is_finite(scores.open_y, n) || !is_finite(scores.extend_y, n)) return false;
  const auto columns = static_cast<std::size_t>(n), padded = padded_rows(m);
  const std::int64_t rows = scores.row == nullptr ? m : *std::max_element(scores.row, scores.row + m) + 1;
  GridSumPass pass{};
  pass.grid = grid_;
  weights_.assign(scores.match, scores.match + rows * n);
  kernels().exp_all(weights_.data(), rows * n);
  zeros_.resize(columns, 0.0);
  pass.match = weights_.data();
  pass.zeros = zeros_.data();
  pass.next_open_x = by_row(m, next_open_x_, 0.0, [&](std::int32_t i) { return i == m - 1 ? 0.0 : std::exp(scores.open_x[i + 1]); });
  pass.next_extend_x = by_row(m, next_extend_x_, 0.0, [&](std::int32_t i) { return i == m - 1 ? 0.0 : std::exp(scores.extend_x[i + 1]); });
  pass.open_y = reversed(n, open_y_, 0.0, [&](std::int32_t j) { return std::exp(scores.open_y[j]); });
  pass.extend_y = reversed(n, extend_y_, 0.0, [&](std::int32_t j) { return std::exp(scores.extend_y[j]); });
  for (int side = 0; side < 2; ++side) pass.start[side] = layout_.start[side], pass.stop[side] = layout_.stop[side];
  pass.across_x = room(across_x_, columns + 1);
  pass.across_h = room(across_h_, columns + 1);
  pass.across_power = room(across_power_, columns + 1);
  pass.cells = room(cells_, 3 * padded * (columns + kMostStrip));
  const auto strip = static_cast<std::size_t>(kernels().grid_strip);
  pass.powers = room(powers_, padded / strip * ((columns + strip) / kSumBlock + 1));
  kernels().grid_sum_forward(pass);
  if (!pass.reliable) return false;
  pass.uses = cleared_uses(m, n, expected);
  kernels().grid_sum_backward(pass);
  log_sum = pass.log_sum;
  return true;
}

double AlignmentSums::find_wide(const GridScores& scores, Expected& expected) {
  constexpr double kNever = programs::kImpossible<double>;
  const std::int32_t m = scores.m, n = scores.n;
  const auto columns = static_cast<std::size_t>(n), padded = padded_rows(m), wide = columns + 2 * kMostStrip;
  const std::int64_t rows = scores.row == nullptr ? m : *std::max_element(scores.row, scores.row + m) + 1;
  GridWidePass pass{};
  pass.grid = grid_;
  WideList* list = wide_;
  // Of arrays by column, which begin behind their padding.
  auto reversed_of = [&](const double* logarithms) {
    const WideNumbers found = (list++)->fill(logarithms - kMostStrip, wide);
    return WideNumbers{found.number + kMostStrip, found.power + kMostStrip};
  };
  auto by_row_of = [&](const double* logarithms) { return (list++)->fill(logarithms, padded); };
  pass.match = (list++)->fill(scores.match, static_cast<std::size_t>(rows * n));
  pass.zeros = (list++)->fill_zeros(columns);
  pass.next_open_x = by_row_of(by_row(m, next_open_x_, kNever, [&](std::int32_t i) { return i == m - 1 ? kNever : scores.open_x[i + 1]; }));
  pass.next_extend_x = by_row_of(by_row(m, next_extend_x_, kNever, [&](std::int32_t i) { return i == m - 1 ? kNever : scores.extend_x[i + 1]; }));
  pass.open_y = reversed_of(reversed(n, open_y_, kNever, [&](std::int32_t j) { return scores.open_y[j]; }));
  pass.extend_y = reversed_of(reversed(n, extend_y_, kNever, [&](std::int32_t j) { return scores.extend_y[j]; }));
  for (int side = 0; side < 2; ++side) {
    pass.start[side] = {by_row_of(layout_.start[side].by_row), reversed_of(layout_.start[side].by_column)};
    pass.stop[side] = {by_row_of(layout_.stop[side].by_row), reversed_of(layout_.stop[side].by_column)};
  }
  pass.across_x = (list++)->room(columns + 1);
  pass.across_h = (list++)->room(columns + 1);
  pass.cells = room(cells_, 6 * padded * (columns + kMostStrip));
  kernels().grid_wide_forward(pass);
  pass.uses = cleared_uses(m, n, expected);
  if (pass.sum_power < kNoWide / 2) return kNever;
  kernels().grid_wide_backward(pass);
  return std::log(pass.sum_number) + pass.sum_power * kLog2;
}

SumUses AlignmentSums::cleared_uses(std::int32_t m, std::int32_t n, Expected& expected) {
  const auto rows = static_cast<std::size_t>(m), columns = static_cast<std::size_t>(n), padded = padded_rows(m);
  expected.match.assign(rows * columns, 0.0);
  for (auto* list : {&expected.open_x, &expected.extend_x}) list->assign(rows, 0.0);
  for (auto* list : {&expected.open_y, &expected.extend_y}) list->assign(columns, 0.0);
  for (int k = 0; k < 4; ++k) uses_[k].assign(k < 2 ? padded : columns + 1, 0.0);
  for (auto* list : {&ends_.before_x, &ends_.after_x}) list->assign(padded, 0.0);
  for (auto* list : {&ends_.before_y, &ends_.after_y}) list->assign(columns + 1, 0.0);
  return {expected.match.data(),  uses_[0].data(),        uses_[1].data(),       uses_[2].data(),      uses_[3].data(),
          ends_.before_x.data(), ends_.before_y.data(), ends_.after_x.data(), ends_.after_y.data()};
}

void AlignmentSums::add_uses(const GridShape& shape, double alone, Expected& expected) {
  const std::size_t rows = expected.open_x.size(), columns = expected.open_y.size();
  std::copy_n(uses_[0].begin(), rows - 1, expected.open_x.begin() + 1);
  std::copy_n(uses_[1].begin(), rows - 1, expected.extend_x.begin() + 1);
  std::copy_n(uses_[2].begin(), columns, expected.open_y.begin());
  std::copy_n(uses_[3].begin(), columns, expected.extend_y.begin());
  for (auto* list : {&ends_.before_x, &ends_.after_x}) list->resize(rows);
  for (auto* list : {&ends_.before_y, &ends_.after_y}) list->resize(columns);
  add_ends(shape, ends_, alone, expected);
}

WideNumbers WideList::fill(const double* scores, std::size_t count) {
  constexpr double kWholes = 0x1.8p52;  // added and taken away again, it leaves the nearest whole number
  constexpr double kHigh = 0x1.62e42feep-1, kLow = 0x1.a39ef35793c76p-33;  // their sum is log 2; kHigh has few digits
  const WideRoom into = room(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double score = scores[k] == programs::kImpossible<double> ? 0.0 : scores[k];
    const double power = (score * (1.0 / kLog2) + kWholes) - kWholes;
    into.power[k] = power;
    into.number[k] = (score - power * kHigh) - power * kLow;
  }
  kernels().exp_all(into.number, static_cast<std::int64_t>(count));
  for (std::size_t k = 0; k < count; ++k) {
    const bool below = into.number[k] < 1.0, none = scores[k] == programs::kImpossible<double>;
    into.number[k] = none ? 1.0 : below ? 2.0 * into.number[k] : into.number[k];
    into.power[k] = none ? kNoWide : into.power[k] - (below ? 1.0 : 0.0);
  }
  return {into.number, into.power};
}

WideNumbers WideList::fill_zeros(std::size_t count) {
  const WideRoom into = room(count);
  std::fill_n(into.number, count, 1.0);
  std::fill_n(into.power, count, kNoWide);
  return {into.number, into.power};
}

WideRoom WideList::room(std::size_t count) {
  return {alignments::room(numbers_, count), alignments::room(powers_, count)};
}

double AlignmentSums::find_as_program(const GridScores& scores, const GridShape& shape, Expected& expected) {
  const std::int32_t m = scores.m, n = scores.n;
  GridProgram program(m, n);
  program.edge_scores(scores, shape, edge_scores_);
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
