// The grid of all alignments as a dynamic program (programs/program.hpp), which has every common query: k best, best by cost, samples.
//
// Place (i, j) has three cells: M, the pair (i, j); X, position i of x in a run, j the last position of y before; Y, position j of y in a
// run. Edges lead into
//   M(i, j)  from nothing (the first pair), M, X and Y of (i - 1, j - 1)
//   X(i, j)  from M (opens) and X (extends) of (i - 1, j)
//   Y(i, j)  from M and X (opens) and Y (extends) of (i, j - 1)
//   goal     from nothing (no pairs), and from M(i, j), the last pair, for all i and j
// Edges from outside the grid have no tail and are forbidden by their score, and so are those of cells outside the band.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/alignments/grid.hpp"
#include "maxmargin/programs/program.hpp"

namespace maxmargin::alignments {

class GridProgram {
 public:
  using Cell = programs::Cell;
  using Edge = programs::Edge;
  static constexpr int kTails = 1;
  // Cells and edges of a place, and the first edge into each of its cells.
  static constexpr std::int32_t kCells = 3, kEdges = 9;
  static constexpr Edge kFirst[kCells] = {0, 4, 6};
  static constexpr std::int64_t kMostPlaces = (std::int64_t{1} << 31) / (kEdges + 1) - 1;  // numbers of edges have 32 bits

  // Throws std::length_error where m n is more than kMostPlaces.
  GridProgram(std::int32_t m, std::int32_t n);

  std::int32_t cells() const { return kCells * places_ + 1; }
  std::int32_t edges() const { return (kEdges + 1) * places_ + 1; }
  Cell goal() const { return kCells * places_; }
  Edge first(Cell cell) const {
    if (cell > goal()) return edges();
    return kEdges * (cell / kCells) + kFirst[cell % kCells];
  }

  programs::Tails tails(Cell cell, Edge edge) const { return {tail(cell, edge - first(cell)), programs::kNoTail}; }
  template <class Visit>
  void incoming(Cell cell, Visit&& visit) const {
    const Edge begin = first(cell), end = first(cell + 1);
    for (Edge edge = begin; edge < end; ++edge) visit(edge, tail(cell, edge - begin), programs::kNoTail);
  }

  // The first of the four edges that have the pair (i, j).
  Edge pair_edge(std::int32_t i, std::int32_t j) const { return kEdges * (i * n_ + j); }
  // The pairs of a derivation, in order.
  void pairs_of(std::span<const Edge> edges, std::vector<Pair>& pairs) const;
  // Scores by edge.
  void edge_scores(const GridScores& scores, const GridShape& shape, std::vector<double>& by_edge);

 private:
  Cell tail(Cell cell, Edge number) const {
    if (cell == goal()) return number == 0 ? programs::kNoTail : kCells * (number - 1);
    const std::int32_t place = cell / kCells, i = place / n_, j = place - i * n_;
    switch (cell % kCells) {
      case 0: return number == 0 || i == 0 || j == 0 ? programs::kNoTail : kCells * (place - n_ - 1) + number - 1;
      case 1: return i == 0 ? programs::kNoTail : kCells * (place - n_) + number;
      default: return j == 0 ? programs::kNoTail : kCells * (place - 1) + number;
    }
  }

  std::int32_t m_, n_, places_;
  EndScores ends_;
};
static_assert(programs::NumberedProgram<GridProgram>);

}  // namespace maxmargin::alignments
