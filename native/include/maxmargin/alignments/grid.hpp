// What an alignment of two sequences is worth: scores of pairs and of gaps, and what the ends cost.
//
// Sequences x (m positions) and y (n positions) are aligned by pairs (i, j) that rise strictly in both. Between two pairs the positions of
// x without a partner come first, then those of y, so that each list of pairs has one reading. Its score is
//   sum of match(i, j) over the pairs + open(p) for the first and extend(p) for each later position p of every run without partners.
// Ends are the runs before the first pair and after the last. Global alignments pay for them, local ones do not. Semi-global ones
// have ends that are free by sequence and side; where both sequences could be free on one side, the longer of the two runs is (x where
// they are equal), and the other one is paid: the path starts or stops at a border of the grid, as textbooks have it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace maxmargin::alignments {

struct Pair {
  std::int32_t i, j;
  bool operator==(const Pair&) const = default;
};

// Scores are below kLargestScore in size, or minus infinity for what must not be. Position i of x has row[i] of `match`, rows of n
// numbers, or row i where `row` is null: positions with one letter share a row.
struct GridScores {
  std::int32_t m = 0, n = 0;
  const double* match = nullptr;
  const double *open_x = nullptr, *extend_x = nullptr;  // m
  const double *open_y = nullptr, *extend_y = nullptr;  // n
  const std::int32_t* row = nullptr;                    // m
  // The first pair is at these positions or before, the last one at these or behind. There has to be a pair where `last` is one.
  Pair first{kAnywhere, kAnywhere}, last{-1, -1};
  static constexpr std::int32_t kAnywhere = 0x7fffffff;

  const double* match_row(std::int32_t i) const { return match + static_cast<std::int64_t>(row == nullptr ? i : row[i]) * n; }
};

enum class Mode : std::uint8_t { global, local, semi_global };

struct GridShape {
  Mode mode = Mode::global;
  bool free_x_begin = true, free_x_end = true, free_y_begin = true, free_y_end = true;  // of semi-global alignments
  // Pairs (i, j) and the positions between two pairs keep |i n / m - j| at most at the band; ends do not. Negative: no band.
  std::int32_t band = -1;
};

// Columns begin .. end - 1 of a row of the grid that lie in the band.
struct Columns {
  std::int32_t begin, end;
};
Columns columns_in_band(const GridShape& shape, std::int32_t m, std::int32_t n, std::int32_t i);

// Which of the runs of x and y at an end are paid for.
struct Paid {
  bool x, y;
};
Paid paid_before(const GridShape& shape, std::int32_t x_run, std::int32_t y_run);  // the first pair
Paid paid_after(const GridShape& shape, std::int32_t x_run, std::int32_t y_run);   // the last pair
Paid paid_alone(const GridShape& shape, std::int32_t m, std::int32_t n);           // where there is no pair

// Calls visit(in_x, begin, end) for each run of positions begin .. end - 1 that an alignment pays for.
template <class Visit>
void visit_paid_runs(const GridShape& shape, std::int32_t m, std::int32_t n, std::span<const Pair> pairs, Visit&& visit) {
  auto runs = [&](std::int32_t i, std::int32_t i_end, std::int32_t j, std::int32_t j_end, Paid paid) {
    if (paid.x && i < i_end) visit(true, i, i_end);
    if (paid.y && j < j_end) visit(false, j, j_end);
  };
  if (pairs.empty()) {
    runs(0, m, 0, n, paid_alone(shape, m, n));
    return;
  }
  runs(0, pairs.front().i, 0, pairs.front().j, paid_before(shape, pairs.front().i, pairs.front().j));
  for (std::size_t k = 1; k < pairs.size(); ++k) runs(pairs[k - 1].i + 1, pairs[k].i, pairs[k - 1].j + 1, pairs[k].j, {true, true});
  const Pair last = pairs.back();
  runs(last.i + 1, m, last.j + 1, n, paid_after(shape, m - 1 - last.i, n - 1 - last.j));
}

// The score of an alignment, whether it lies in the band or not.
double score_of(const GridScores& scores, const GridShape& shape, std::span<const Pair> pairs);

// Scores of the ends: of all that lies before a first pair, after a last pair, and of an alignment without pairs.
class EndScores {  // keeps its memory from one grid to the next
 public:
  void start(const GridScores& scores, const GridShape& shape);

  double before(std::int32_t i, std::int32_t j) const {
    const Paid paid = paid_before(shape_, i, j);
    return before_x(i, paid.x) + before_y(j, paid.y);
  }
  double after(std::int32_t i, std::int32_t j) const {
    const Paid paid = paid_after(shape_, m_ - 1 - i, n_ - 1 - j);
    return after_x(i, paid.x) + after_y(j, paid.y);
  }
  // Of the run of all positions before or after one, or zero where it is not paid for; minus infinity where no first or last pair may be.
  double before_x(std::int32_t i, bool paid) const { return i > first_.i ? kNever : paid ? before_x_[static_cast<std::size_t>(i)] : 0.0; }
  double before_y(std::int32_t j, bool paid) const { return j > first_.j ? kNever : paid ? before_y_[static_cast<std::size_t>(j)] : 0.0; }
  double after_x(std::int32_t i, bool paid) const { return i < last_.i ? kNever : paid ? after_x_[static_cast<std::size_t>(i)] : 0.0; }
  double after_y(std::int32_t j, bool paid) const { return j < last_.j ? kNever : paid ? after_y_[static_cast<std::size_t>(j)] : 0.0; }
  double alone() const { return alone_; }

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();
  GridShape shape_;
  Pair first_{}, last_{};
  std::int32_t m_ = 0, n_ = 0;
  double alone_ = 0.0;
  std::vector<double> before_x_, before_y_, after_x_, after_y_;
};

}  // namespace maxmargin::alignments
