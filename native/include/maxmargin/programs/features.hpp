// Features of the edges of many programs, as one part of the weights: an edge has sums of rows of a matrix, in the columns of a block.
//
// Weight base + f * blocks + b belongs to column f in block b. Rows of all examples are stacked in one CSR matrix, whose values may be
// left out where all are one; entries are sorted by example and place. The scores of all edges take one product of the rows of
// an example with the weights; where entries have ranges of rows, sums of the scores from the first row on make a range cost
// what a row costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/programs/program.hpp"

namespace maxmargin::programs {

// An edge, by place, and how often it counts.
struct EdgeTerm {
  Edge place;
  double coefficient;
  friend bool operator==(const EdgeTerm&, const EdgeTerm&) = default;
};

class FeaturePart {
 public:
  std::int64_t columns = 0, base = 0;
  std::int32_t blocks = 1;
  const std::int64_t* starts = nullptr;  // of the rows of all examples
  const std::int32_t* indices = nullptr;
  const double* values = nullptr;                   // null: all are one
  std::vector<std::int64_t> first_row, first_entry;  // (examples + 1)
  std::vector<Edge> place;                           // of the entries of all examples
  std::vector<std::int32_t> from, until;             // row * blocks + block of the first row and of that after the last; no until: one row

  std::int64_t weight_count() const { return columns * blocks; }

  // out[place] += factor * score, for all edges of example i at w.
  template <class Real>
  void add_scores(std::int64_t i, const Real* weights, double factor, double* out, std::vector<double>& room) const {
    const auto [table, rows] = emptied(i, room);
    const Real* own = weights + base;
    for (std::int64_t r = 0; r < rows; ++r) {
      double* line = table + r * blocks;
      for (std::int64_t at = starts[first_row[i] + r]; at < starts[first_row[i] + r + 1]; ++at) {
        const double x = factor * (values == nullptr ? 1.0 : values[at]);
        const Real* w = own + static_cast<std::int64_t>(indices[at]) * blocks;
        for (std::int32_t b = 0; b < blocks; ++b) line[b] += x * static_cast<double>(w[b]);
      }
    }
    if (until.empty()) {
      for (std::int64_t k = first_entry[i]; k < first_entry[i + 1]; ++k) out[place[k]] += table[from[k]];
      return;
    }
    sum_up_before(table, rows);
    for (std::int64_t k = first_entry[i]; k < first_entry[i + 1]; ++k) out[place[k]] += table[until[k]] - table[from[k]];
  }

  // v += c * sum over all edges of example i of coefficient[place] * features.
  void add_all(std::int64_t i, const double* coefficient, double c, double* v, std::vector<double>& room) const {
    const auto [table, rows] = emptied(i, room);
    for (std::int64_t k = first_entry[i]; k < first_entry[i + 1]; ++k) {
      table[from[k]] += coefficient[place[k]];
      if (!until.empty()) table[until[k]] -= coefficient[place[k]];
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      double* line = table + r * blocks;
      for (std::int32_t b = 0; !until.empty() && r > 0 && b < blocks; ++b) line[b] += line[b - blocks];
      for (std::int64_t at = starts[first_row[i] + r]; at < starts[first_row[i] + r + 1]; ++at) {
        const double x = c * (values == nullptr ? 1.0 : values[at]);
        double* w = v + base + static_cast<std::int64_t>(indices[at]) * blocks;
        for (std::int32_t b = 0; b < blocks; ++b) w[b] += x * line[b];
      }
    }
  }

  // Calls visit(index of a weight, value) for the features of one edge of example i; an index may come more than once.
  template <class Visit>
  void visit_features(std::int64_t i, Edge edge, Visit&& visit) const {
    for (std::int64_t k = entry_of(i, edge); k < first_entry[i + 1] && place[k] == edge; ++k) {
      const std::int64_t row = from[k] / blocks, stop = until.empty() ? row + 1 : until[k] / blocks;
      const std::int64_t shift = base + from[k] % blocks;
      for (std::int64_t at = starts[first_row[i] + row]; at < starts[first_row[i] + stop]; ++at) {
        visit(shift + static_cast<std::int64_t>(indices[at]) * blocks, values == nullptr ? 1.0 : values[at]);
      }
    }
  }

  bool has_features(std::int64_t i, Edge edge) const {
    const std::int64_t k = entry_of(i, edge);
    return k < first_entry[i + 1] && place[k] == edge;
  }

 private:
  struct Table {
    double* cells;
    std::int64_t rows;
  };

  // A table of zeros with a line per row of the example and one more.
  Table emptied(std::int64_t i, std::vector<double>& room) const {
    const std::int64_t rows = first_row[i + 1] - first_row[i];
    room.assign(static_cast<std::size_t>((rows + 1) * blocks), 0.0);
    return {room.data(), rows};
  }
  // Line r becomes the sum of the lines before it.
  void sum_up_before(double* table, std::int64_t rows) const {
    for (std::int32_t b = 0; b < blocks; ++b) {
      double sum = 0.0;
      for (std::int64_t r = 0; r <= rows; ++r) sum += std::exchange(table[r * blocks + b], sum);
    }
  }
  std::int64_t entry_of(std::int64_t i, Edge edge) const {
    return std::lower_bound(place.begin() + first_entry[i], place.begin() + first_entry[i + 1], edge) - place.begin();
  }
};

}  // namespace maxmargin::programs
