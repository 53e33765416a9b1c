// Binary rules over all splits of a span, for the kernels of charts.
//
// A span [i, j) with symbol A is made of [i, k) with B and [k, j) with C by a rule A -> B C. For a start i and a symbol B the values of all
// [i, k) are consecutive in k, and so are those of all [k, j) for an end j and a symbol C: a rule takes all its splits in vectors. Where a
// symbol has no value it has the zero of the sum at hand, so that vectors may begin and end beyond what is there.
#pragma once

#include <cstdint>
#include <vector>

namespace maxmargin {

// Sorted by parent, then by left child. Children are numbered among the left and among the right ones.
struct SplitRules {
  std::vector<std::int32_t> parent;       // symbols with rules
  std::vector<std::int32_t> first_group;  // (parents + 1)
  std::vector<std::int32_t> left;         // of a group of rules with one parent and one left child
  std::vector<std::int32_t> first_rule;   // (groups + 1)
  std::vector<std::int32_t> right;        // by position of a rule
};

struct SplitRange {
  std::int32_t from, to;  // the first and the last k; from > to where there is none
};

// Further scores of rules: a row of numbers at the span, or with one row per split, and which of them each rule has.
struct SplitField {
  const double* row;
  const std::int32_t* block;  // by position; negative for none
};

inline constexpr int kMostFields = 8;

struct SpanSplits {
  const SplitRules* rules;
  const double *left, *right;  // the rows of the start and those of the end
  const SplitRange *left_range, *right_range;
  std::int64_t stride;         // numbers per row, a multiple of 4
  const double* score;         // by position
  int fields = 0;
  SplitField field[kMostFields];
  int split_fields = 0;
  SplitField split_field[kMostFields];  // `row` has `stride` numbers per block, by k
};

// Where shares go: to the rows of the parts, to rules by position, and to fields as they are in SpanSplits.
struct SpanShares {
  const double* outside;  // by symbol
  double *left, *right;
  double* rule;
  double* field[kMostFields];
  double* split_field[kMostFields];
};

}  // namespace maxmargin
