// The hinge loss of all pairs of rows of unequal grade in a group, and a smooth form of it, from the scores of the rows.
//
//   loss(u) = max(0, u)  with  u = 1 - (s_i - s_j)  for grade i > grade j;  its slope, smoothed over a band of width h,
//   is alpha(u) = min(1, max(0, u / h + 1/2)).
//
// Pairs are never listed. The rows of a group stand in segments, one per grade, each in the order of the scores, so that what a row
// meets in another segment is a few windows, and sums over windows are differences of prefix sums: O(n g) for g grades.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

struct PairRows {
  Rows rows;
  std::span<const std::int32_t> members;  // row numbers, group after group; empty where they are all rows
  std::span<const std::int64_t> offsets;  // of the groups
  std::span<const std::int32_t> grade;    // of each member, 0, 1, 2, ... inside a group

  std::int64_t groups() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t row(std::int64_t member) const { return members.empty() ? member : members[static_cast<std::size_t>(member)]; }
};

// Means over the pairs of each group.
struct PairLosses {
  std::vector<double> hinge;        // of max(0, u), one per group
  std::vector<double> slope;        // of alpha, one per group
  std::vector<double> coefficient;  // sum of alpha where a member is i, less where it is j, over the number of pairs
};

class SortedPairs {
 public:
  SortedPairs(const PairRows& data, int threads);

  // Takes the scores of the members in.
  void sort(std::span<const double> scores);
  // Where all scores are equal, in a band of at most 2: no row is above another.
  void assess_equal(PairLosses& out) const;
  // At `scale` times the scores, scale > 0, of groups 0, stride, 2 stride, ...; those of other groups are 0.
  void assess(double scale, double band, std::int64_t stride, PairLosses& out) const;
  // out[a * d + b] += sum over groups of weight / pairs * sum over pairs with |u| < band / 2 of z_a z_b, b <= a, with z = x_i - x_j; an infinite
  // band takes all pairs. Only groups 0, stride, 2 stride, ... are looked at.
  void add_gram(double band, std::span<const double> weight, std::int64_t stride, std::vector<double>& out) const;

 private:
  template <class Visit>
  void each_segment_pair(std::int64_t group, Visit&& visit) const;
  class Gram;
  struct Scratch {
    std::vector<double> z, sums, v;
    std::vector<std::pair<std::int64_t, std::int64_t>> listed;
  };
  void add_all(std::int64_t group, double weight, Scratch& scratch, Gram& gram) const;
  bool add_listed(std::int64_t group, double half, double weight, Scratch& scratch, Gram& gram) const;
  void add_rows(std::int64_t group, double half, double weight, Scratch& scratch, Gram& gram) const;

  PairRows data_;
  int threads_;
  std::vector<std::int32_t> at_;          // members in the order of group, grade and score
  std::vector<double> score_;             // of these, less that of the first of the group
  std::vector<std::int64_t> segments_;    // places where segments begin, group after group, each group's last end included
  std::vector<std::int64_t> first_;       // of a group in segments_
  std::vector<double> pairs_;             // of each group
};

}  // namespace maxmargin
