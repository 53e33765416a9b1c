// Pairs of rows of one group whose grades differ, and which of them a threshold on the difference of scores takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace maxmargin {

// Rows in groups: group g is rows offsets[g] to offsets[g + 1]. `grade` is 0, 1, 2, ... inside a group.
struct GradedRows {
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> grade;

  std::int64_t groups() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
};

// The different grades of each group numbered from 0, and how many pairs of its rows differ.
struct GradeRanks {
  std::vector<std::int32_t> rank;  // one per row
  std::vector<double> pairs;       // one per group
};
GradeRanks rank_grades(std::span<const double> grades, std::span<const std::int64_t> offsets);

// Row numbers of each group in ascending order of their scores, rows of equal score in their own order.
std::vector<std::int32_t> order_in_groups(std::span<const double> scores, std::span<const std::int64_t> offsets, int threads);

// The pairs (i, j) of a group with grade i > grade j and score i - score j < gap of the group, and `extra` more of those
// whose difference is equal to the gap: how many, and for every row in how many it is i, less those in which it is j.
struct TakenPairs {
  std::vector<std::int64_t> number;  // one per group
  std::vector<double> net;           // one per row
};

TakenPairs take_pairs(const GradedRows& rows, std::span<const double> scores, std::span<const std::int32_t> order,
                      std::span<const double> gap, std::span<const std::int64_t> extra, int threads);

}  // namespace maxmargin
