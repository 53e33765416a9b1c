// Binary rules over all splits of a span, for the kernels of charts.
//
// A span [i, j) with symbol A is made of [i, k) with B and [k, j) with C by a rule A -> B C. For a start i and a symbol B the values of all
// [i, k) are consecutive in k, and so are those of all [k, j) for an end j and a symbol C; a bit per k tells where there is a value, and
// where there is none the row has the zero of the sum at hand. Rules with the same two parts, a *pair*, share their splits: a pair that has
// a split where both bits are set is worked through in vectors over all splits of the span, so that no branch depends on where they are.
#pragma once

#include <cstdint>
#include <vector>

namespace maxmargin {

// Rules in the order of left child, right child and parent; their place in it is their position. Children are numbered among the left and
// the right ones.
struct SplitRules {
  std::vector<std::int32_t> first_pair;  // by left child, and one more
  std::vector<std::int32_t> right;       // by pair
  std::vector<std::int32_t> first_rule;  // by pair, and one more: positions
  std::vector<std::int32_t> parent;      // by position
};

// Further scores of rules: a row of numbers at the span, or with one row per split, and which of them each rule has.
struct SplitField {
  const double* row;
  const std::int32_t* block;  // by position; negative for none
};

inline constexpr int kMostFields = 8;

struct LiveRow {  // a left child with a value at the start, and the row of its values
  std::int32_t child, row;
};

struct SpanSplits {
  const SplitRules* rules;
  std::int32_t from, to;                       // the first split and one past the last
  const double *left, *right;                  // rows
  std::int64_t stride;                         // numbers per row, a multiple of 4
  const LiveRow* live;                         // of the start
  std::int64_t live_count;
  const std::int32_t *pairs, *pair_count;      // of each left child pairs to look at, from first_pair of the rules on, and how many
  const std::int32_t* right_row;               // of the end, by right child
  const std::uint64_t *left_bits, *right_bits;  // by row, and by right child of the end
  int words;                                   // of bits per row
  std::int32_t* room;                          // as many as a left child has pairs
  const double* score;                         // by position
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
