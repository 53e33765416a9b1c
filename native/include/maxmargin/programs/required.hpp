// Derivations that have all of some edges, by forbidding the edges that lead to too few of them.
//
// A derivation has all R required edges if it has R of them in all, as long as it cannot have one twice. Let most(cell) be the largest
// number of required edges in a derivation of the cell. A derivation that reaches most(goal) = R reaches most(cell) at each of
// its cells, since a better part would make it better; so it uses exactly the edges with
//   [e is required] + most(tails) = most(head).
// All others are forbidden, and every query is then exact with the same scores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/programs/program.hpp"

namespace maxmargin::programs {

enum class Requirement { met, impossible, repeated };

struct Required {
  Requirement outcome;
  Edge edge;  // one that an output could have twice, where that is the outcome
};

// How many edges with a mark a derivation of each cell can have at most, -1 where nothing derives it; cell c at c + 1.
template <NumberedProgram P, class Mark>
void count_marked(const P& program, const double* scores, Mark&& mark, std::vector<std::int64_t>& most) {
  most.assign(static_cast<std::size_t>(program.cells()) + 1, -1);
  most[0] = 0;
  for (Cell cell = 0; cell < program.cells(); ++cell) {
    std::int64_t highest = -1;
    program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
      const std::int64_t left = most[static_cast<std::size_t>(a + 1)], right = most[static_cast<std::size_t>(b + 1)];
      if (scores[edge] != kImpossible<double> && left >= 0 && right >= 0) highest = std::max(highest, left + right + (mark(edge) ? 1 : 0));
    });
    most[static_cast<std::size_t>(cell) + 1] = highest;
  }
}

// Sets the scores of edges to minus infinity that are in no derivation of the goal with `wanted` marked edges, the most that one can
// have; of all edges, and false, where there is no such derivation.
template <NumberedProgram P, class Mark>
bool keep_marked(const P& program, std::int64_t wanted, Mark&& mark, double* scores) {
  std::vector<std::int64_t> most;
  count_marked(program, scores, mark, most);
  const bool met = most[static_cast<std::size_t>(program.goal()) + 1] == wanted;
  for (Cell cell = 0; cell < program.cells(); ++cell) {
    program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
      const std::int64_t left = most[static_cast<std::size_t>(a + 1)], right = most[static_cast<std::size_t>(b + 1)];
      const bool leads = left >= 0 && right >= 0 && left + right + (mark(edge) ? 1 : 0) == most[static_cast<std::size_t>(cell) + 1];
      if (!met || !leads) scores[edge] = kImpossible<double>;
    });
  }
  return met;
}

// The same for derivations that have all of the required edges.
template <NumberedProgram P>
Required require(const P& program, std::span<const Edge> required, double* scores) {
  std::vector<std::uint8_t> marked(static_cast<std::size_t>(program.edges()), 0);
  for (const Edge edge : required) marked[static_cast<std::size_t>(edge)] = 1;
  const std::int64_t wanted = std::count(marked.begin(), marked.end(), std::uint8_t{1});
  if constexpr (P::kTails == 2) {
    std::vector<std::int64_t> most;
    for (const Edge one : required) {
      count_marked(program, scores, [one](Edge edge) { return edge == one; }, most);
      if (most[static_cast<std::size_t>(program.goal()) + 1] > 1) return {Requirement::repeated, one};
    }
  }
  const bool met = keep_marked(program, wanted, [&](Edge edge) { return marked[static_cast<std::size_t>(edge)] != 0; }, scores);
  return {met ? Requirement::met : Requirement::impossible, -1};
}

}  // namespace maxmargin::programs
