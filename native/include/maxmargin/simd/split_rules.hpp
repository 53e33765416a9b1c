// Binary rules over all splits of a span, for the kernels of charts.
//
// A span [i, j) with symbol A is made of [i, k) with B and [k, j) with C by a rule A -> B C. For a start i and a symbol B the values of all
// [i, k) are consecutive in k, and so are those of all [k, j) for an end j and a symbol C; a bit per k tells where there is a value. A rule
// is tried only for left children that have a value at the start, and only at the splits where both bits are set: one by one, or in
// vectors where they are close together. Where a symbol has no value its row has the zero of the sum at hand.
#pragma once

#include <cstdint>
#include <vector>

namespace maxmargin {

// Rules in the order of their left child; their place in it is their position. Children are numbered among the left and the right ones.
struct SplitRules {
  std::vector<std::int32_t> first;          // by left child, and one more
  std::vector<std::int32_t> right, parent;  // by position
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
  std::int64_t stride;         // numbers per row, a multiple of 4
  const std::uint64_t *left_bits, *right_bits;
  int words;                   // of bits per row
  const std::int32_t* live;    // left children with a value at the start
  std::int64_t live_count;
  const double* score;         // by position
  int fields = 0;
  SplitField field[kMostFields] = {};
  int split_fields = 0;
  SplitField split_field[kMostFields] = {};  // `row` has `stride` numbers per block, by k
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
