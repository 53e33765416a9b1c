// Binary rules over all splits of a span, for the kernels of charts.
//
// A span [i, j) with symbol A is made of [i, k) with B and [k, j) with C by a rule A -> B C. For a start i and a symbol B the values of all
// [i, k) are consecutive in k, and so are those of all [k, j) for an end j and a symbol C; a bit per k tells where there is a value, and
// where there is none the row has the zero of the sum at hand. Rules with the same two parts, a *pair*, share their splits: pairs that have
// a split where both bits are set are listed, and then worked through in vectors over all splits of the span, several pairs at a time, so that no
// branch depends on where values are.
#pragma once

#include <cstdint>
#include <vector>

namespace maxmargin {

inline constexpr int kReadAhead = 8;  // lists are read and written so many at a time, past their ends
inline constexpr int kRulesPerPair = 4;  // rules of more parents are divided among several pairs with the same children
inline constexpr int kPairsPerList = 64;  // a bit for each of them

// Rules in the order of left child, right child and parent; their place in it is their position. Children are numbered among the left and
// the right ones.
struct SplitRules {
  std::vector<std::int32_t> first_pair;  // by list, and one more: at most kPairsPerList pairs with the same left child
  std::vector<std::int32_t> first_rule;  // by pair, and one more: positions
  std::vector<std::int32_t> parent;      // by position, and kReadAhead more
};

// Further scores of rules: a row of numbers at the span, or with one row per split, and which of them each rule has.
struct SplitField {
  const double* row;
  const std::int32_t* block;  // by position; negative for none
};

inline constexpr int kMostFields = 8;

struct LiveRow {  // a list of pairs whose left child has a value at the start, and the row of its values
  std::int32_t list, row;
};

struct EndPair {  // a pair whose right child has a value before the end, and the row of these values
  std::int32_t pair, row;
};

// Memory for the lists of one span.
struct SplitRoom {
  void resize(std::size_t rules, std::size_t pairs, std::size_t lists) {
    few.resize(lists + 1), many.resize(lists + 1);
    pair.resize(pairs + kReadAhead), left.resize(pairs + kReadAhead), sum.resize(pairs + kReadAhead), parent.resize(rules + kReadAhead), value.resize(rules + kReadAhead);
  }
  std::vector<LiveRow> few, many;    // with few pairs at the end, and with many
  std::vector<EndPair> pair;         // that have a split
  std::vector<std::int32_t> left;    // rows of their left children
  std::vector<double> sum;           // of the splits of each pair
  std::vector<std::int32_t> parent;  // of the rules of all pairs
  std::vector<double> value;         // what they give their parents
};

struct SpanSplits {
  const SplitRules* rules;
  std::int32_t from, to;                        // the first split and one past the last
  const double *left, *right;                   // rows, of the right ones those of the end
  std::int64_t stride, right_stride;            // numbers per row, multiples of 4
  const LiveRow* live;                          // of the start
  std::int64_t live_count;
  const EndPair* pairs;                         // of each list those of the end, from first_pair on, and kReadAhead more
  const std::int32_t* pairs_end;                // by list
  const std::uint64_t* possible;                // by list, a bit per pair: those with a parent that can begin at the start
  const std::uint64_t *left_bits, *right_bits;  // by row
  int words;                                    // of bits per row
  SplitRoom* room;
  const double* score;                          // by position, and kReadAhead more
  int fields = 0;
  SplitField field[kMostFields];  // the first ones
  int split_fields = 0;
  SplitField split_field[kMostFields];  // the first ones; `row` has `stride` numbers per block, by k
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
