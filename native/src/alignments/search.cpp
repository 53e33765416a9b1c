#include "maxmargin/alignments/search.hpp"

#include <algorithm>

#include "maxmargin/alignments/grid_program.hpp"

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

double GridSearch::sums(const GridScores& scores, const GridShape& shape, Expected& expected, std::span<const Pair> required) {
  const std::int32_t m = scores.m, n = scores.n;
  GridProgram program(m, n);
  program.edge_scores(scores, shape, scores_);
  if (!required.empty()) program.require(required, scores_);
  const double log_sum = sums_.run(program, scores_.data());
  uses_.resize(static_cast<std::size_t>(program.edges()));
  sums_.marginals(program, uses_);
  expected.match.assign(static_cast<std::size_t>(m) * static_cast<std::size_t>(n), 0.0);
  for (auto* list : {&expected.open_x, &expected.extend_x}) list->assign(static_cast<std::size_t>(m), 0.0);
  for (auto* list : {&expected.open_y, &expected.extend_y}) list->assign(static_cast<std::size_t>(n), 0.0);
  std::vector<double> before_x(expected.open_x), before_y(expected.open_y), after_x(expected.open_x), after_y(expected.open_y);
  const double* last = uses_.data() + program.first(program.goal());
  const double alone = *last++;
  for (std::int32_t i = 0; i < m; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (std::int32_t j = 0; j < n; ++j) {
      const auto column = static_cast<std::size_t>(j);
      const double* used = uses_.data() + program.pair_edge(i, j);
      expected.match[row * static_cast<std::size_t>(n) + column] = used[0] + used[1] + used[2] + used[3];
      expected.open_x[row] += used[4];
      expected.extend_x[row] += used[5];
      expected.open_y[column] += used[6] + used[7];
      expected.extend_y[column] += used[8];
      const Paid before = paid_before(shape, i, j), after = paid_after(shape, m - 1 - i, n - 1 - j);
      const double ends = last[static_cast<std::int64_t>(i) * n + j];
      before_x[row] += before.x ? used[0] : 0.0;
      before_y[column] += before.y ? used[0] : 0.0;
      after_x[row] += after.x ? ends : 0.0;
      after_y[column] += after.y ? ends : 0.0;
    }
  }
  spread_before(before_x, expected.open_x, expected.extend_x);
  spread_before(before_y, expected.open_y, expected.extend_y);
  spread_after(after_x, expected.open_x, expected.extend_x);
  spread_after(after_y, expected.open_y, expected.extend_y);
  visit_paid_runs(shape, m, n, {}, [&](bool in_x, std::int32_t begin, std::int32_t end) {
    std::vector<double>& open = in_x ? expected.open_x : expected.open_y;
    std::vector<double>& extend = in_x ? expected.extend_x : expected.extend_y;
    for (std::int32_t k = begin; k < end; ++k) (k == begin ? open : extend)[static_cast<std::size_t>(k)] += alone;
  });
  return log_sum;
}

}  // namespace maxmargin::alignments
