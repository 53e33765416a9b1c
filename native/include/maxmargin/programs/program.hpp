// What a dynamic program is to the queries: cells in topological order, and the edges that lead into each of them.
//
// An edge leads from at most two tail cells, both before its head, to its head; an edge without tails starts a derivation. An
// output is a derivation of the goal: an edge into the goal, and a derivation of each of its tails.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace maxmargin::programs {

using Cell = std::int32_t;
using Edge = std::int32_t;

inline constexpr Cell kNoTail = -1;

struct Tails {
  Cell first, second;  // kNoTail: there is none
};

template <class Real>
inline constexpr Real kImpossible = -std::numeric_limits<Real>::infinity();

inline constexpr double kLargestScore = 1e300;  // sums of more edges than memory holds stay finite

// What derivations are looked for in, where a cell has a value that no edge gives it: only NaN is unequal to itself.
[[noreturn]] inline void refuse_scores() { throw std::domain_error("Scores of edges are NaN, or too large to add up."); }

struct VisitNothing {
  void operator()(Edge, Cell, Cell) const {}
};

// kTails is the most tails of an edge, 1 or 2; with 1 the second tail is always kNoTail. An edge is known by its head and a number, which
// differs among the edges into the same cell.
template <class P>
concept DynamicProgram = requires(const P& program, Cell cell, Edge edge, VisitNothing visit) {
  { P::kTails } -> std::convertible_to<int>;
  { program.cells() } -> std::same_as<std::int32_t>;
  { program.goal() } -> std::same_as<Cell>;
  { program.tails(cell, edge) } -> std::same_as<Tails>;
  program.incoming(cell, visit);  // visit(edge, first tail, second tail) for each edge into the cell, in order
};

// Edges are numbered head by head: those into cell c are first(c) .. first(c + 1) - 1, so that what is known of the edges of a cell is
// contiguous in an array by edge.
template <class P>
concept NumberedProgram = DynamicProgram<P> && requires(const P& program, Cell cell) {
  { program.edges() } -> std::same_as<std::int32_t>;
  { program.first(cell) } -> std::same_as<Edge>;
};

// Edges with one tail whose tails are in an array: vector code goes over all edges into a cell at once.
template <class P>
concept ListedPaths = NumberedProgram<P> && P::kTails == 1 && requires(const P& program, Cell cell, Edge edge) {
  { program.tail_list(edge) } -> std::same_as<const Cell*>;
  { program.run(cell) } -> std::same_as<Cell>;
};

}  // namespace maxmargin::programs
