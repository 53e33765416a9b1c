// The most violated ranking of a group for measures that give credit to a row for the position where it is ranked.
//
// A ranking pi of the rows has, with M the number of pairs of unequal grade and i of the higher grade in each,
//
//     credit(pi) = sum over rows of gain[row] * weight[t - 1] * discount[p - 1]       row is t-th of its grade, at position p
//     value(pi)  = 1 - credit(pi) - 1/M * sum over pairs with j ranked before i of (score i - score j)
//
// and the ranking of the highest value is wanted; the gain is the same for all rows of one grade. Rows of one grade are
// in the order of their scores there, since exchanging two of them changes no credit. So a ranking is a way to interleave
// one sorted list a grade, found by dynamic programming over the numbers of rows of each grade that are ranked already.
// Behind the last position that has a discount, the remaining rows are in the order of their scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/rankings/pairs.hpp"

namespace maxmargin {

struct Credits {
  std::span<const double> gain;      // one per row
  std::span<const double> weight;    // by number within the grade; at least as many as rows of a grade
  std::span<const double> discount;  // by position; 0 behind the last
};

struct Rankings {
  std::vector<double> credit;  // one per group
  std::vector<double> net;     // one per row: swapped pairs of which it is the better row, less those of which it is the worse
};

// `pairs` is M of each group.
Rankings most_violated_rankings(const GradedRows& rows, std::span<const double> scores, const Credits& credits,
                                std::span<const double> pairs, int threads);

}  // namespace maxmargin
