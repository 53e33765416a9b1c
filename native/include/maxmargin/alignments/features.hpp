// Sequences, what their positions have, and how that becomes the scores of a grid.
//
// A component is a bilinear form between features of a position of x and features of a position of y:
//   match(i, j) = sum over components of phi(x, i)' W phi(y, j),
// where W[a, b] is the weight number `index[a * y_columns + b]` times `value[a * y_columns + b]`, so that entries may share a weight, or have none
// (-1). Scores of gaps are linear in features of the position that is left out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/alignments/search.hpp"

namespace maxmargin::alignments {

// Sparse features of all positions of all sequences, one sequence after the other. Without `starts` each position has one, without `values`
// all are 1.
struct PositionRows {
  const std::int64_t* starts = nullptr;
  const std::int32_t* indices = nullptr;
  const double* values = nullptr;

  bool is_code() const { return starts == nullptr && values == nullptr; }  // one feature of value 1 per position

  // Calls visit(column, value).
  template <class Visit>
  void visit(std::int64_t position, Visit&& each) const {
    const std::int64_t begin = starts == nullptr ? position : starts[position], end = starts == nullptr ? position + 1 : starts[position + 1];
    for (std::int64_t k = begin; k < end; ++k) each(indices[k], values == nullptr ? 1.0 : values[k]);
  }
};

struct Component {
  PositionRows x, y;
  std::int32_t x_columns = 0, y_columns = 0;
  std::vector<std::int32_t> index;  // (x_columns, y_columns)
  std::vector<double> value;        // (x_columns, y_columns); empty where all are 1

  // The entries W[column, .] as a function of a column of y, by their weight and what it is multiplied by.
  struct Row {
    const std::int32_t* index;
    const double* value;
    bool has(std::int32_t other) const { return index[other] >= 0; }
    double times(std::int32_t other) const { return value == nullptr ? 1.0 : value[other]; }
  };
  Row row(std::int32_t column) const {
    const std::int64_t first = static_cast<std::int64_t>(column) * y_columns;
    return {index.data() + first, value.empty() ? nullptr : value.data() + first};
  }
};

// Weights of columns: for the first position of a run, and for each later one, with what they are multiplied by.
struct GapSide {
  PositionRows rows;
  std::vector<std::int32_t> open, extend;
  double open_value = 1.0, extend_value = 1.0;
};
struct GapPart {
  GapSide x, y;
};

// Scores of one grid; keeps its memory from one to the next.
struct ScoreRoom {
  std::vector<double> match, open_x, extend_x, open_y, extend_y;
  std::vector<double> profile;      // of the columns of x in use: their scores against all positions of y
  std::vector<std::int32_t> place;  // of a column in the profile; -1 where it is not in use
  std::vector<std::int32_t> row;    // of a position of x in `match`, where rows are shared
};

// An example is a sequence x with candidates, one of which is to be aligned with it.
struct AlignmentSet {
  std::vector<std::int64_t> first_position;  // of each sequence, and where the last one ends
  std::vector<Component> components;
  std::vector<GapPart> gaps;
  std::int64_t weights = 0;
  GridShape shape;
  std::vector<std::int32_t> x;                // of each example
  std::vector<std::int64_t> first_candidate;  // (examples + 1)
  std::vector<std::int32_t> candidates;

  std::int64_t n() const { return static_cast<std::int64_t>(x.size()); }
  std::int32_t length(std::int32_t sequence) const {
    return static_cast<std::int32_t>(first_position[static_cast<std::size_t>(sequence) + 1] - first_position[static_cast<std::size_t>(sequence)]);
  }
  std::span<const std::int32_t> candidates_of(std::int64_t i) const {
    return {candidates.data() + first_candidate[static_cast<std::size_t>(i)], candidates.data() + first_candidate[static_cast<std::size_t>(i) + 1]};
  }

  // The grid of two sequences at factor * w; what it points to is in the room. Positions of x that have the same features may share a row of
  // scores, unless each is to have its `own`: row i of room.match.
  GridScores scores(std::int32_t x, std::int32_t y, const double* weights, double factor, ScoreRoom& room, bool own) const;
  // Calls visit(weight, value) for the terms of c Psi of an alignment; a weight may have several.
  template <class Visit>
  void visit_features(std::int32_t x, std::int32_t y, std::span<const Pair> pairs, double c, Visit&& visit) const {
    const std::int64_t x0 = first_position[static_cast<std::size_t>(x)], y0 = first_position[static_cast<std::size_t>(y)];
    for (const Component& component : components) {
      for (const Pair& pair : pairs) {
        component.x.visit(x0 + pair.i, [&](std::int32_t column, double value) {
          const Component::Row row = component.row(column);
          component.y.visit(y0 + pair.j, [&](std::int32_t other, double also) {
            if (row.has(other)) visit(row.index[other], c * value * also * row.times(other));
          });
        });
      }
    }
    if (gaps.empty()) return;
    visit_paid_runs(shape, length(x), length(y), pairs, [&](bool in_x, std::int32_t begin, std::int32_t end) {
      for (const GapPart& part : gaps) {
        const GapSide& side = in_x ? part.x : part.y;
        for (std::int32_t p = begin; p < end; ++p) {
          const std::vector<std::int32_t>& index = p == begin ? side.open : side.extend;
          const double times = c * (p == begin ? side.open_value : side.extend_value);
          side.rows.visit((in_x ? x0 : y0) + p, [&](std::int32_t column, double value) { visit(index[static_cast<std::size_t>(column)], times * value); });
        }
      }
    });
  }
  // v += c Psi of an alignment
  void add(std::int32_t x, std::int32_t y, std::span<const Pair> pairs, double c, double* v) const {
    visit_features(x, y, pairs, c, [&](std::int32_t weight, double value) { v[weight] += value; });
  }
  // v += c times the sum of the features of all pairs and gaps, each as often as it is used
  void add_expected(std::int32_t x, std::int32_t y, const Expected& use, double c, double* v, ScoreRoom& room) const;
};

}  // namespace maxmargin::alignments
