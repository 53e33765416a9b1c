// The best derivation of a program: the largest sum of the scores of its edges.
//
// The pass over the edges keeps values only; which edge gave the value of a cell is found again on the way back, for the cells of
// one derivation. Of edges with equal values the first wins.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

#include "maxmargin/programs/program.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::programs {

template <class Real>
class Best {  // keeps its memory from one program to the next
 public:
  // Values of all cells; answers that of the goal, minus infinity where nothing derives it. Scores are by edge, and may be minus infinity.
  template <NumberedProgram P>
  Real run(const P& program, const Real* scores) {
    values_.resize(static_cast<std::size_t>(program.cells()) + 1);
    values_[0] = Real{0};  // of no tail
    Real* values = values_.data() + 1;
    for (Cell cell = 0; cell < program.cells(); ++cell) {
      values[cell] = highest(program, cell, scores, values);
    }
    return values[program.goal()];
  }

  const Real* values() const { return values_.data() + 1; }  // by cell, and 0 at -1 for no tail

  // The edges of the best derivation, after `run` with a finite answer; each edge before those of its tails.
  template <NumberedProgram P>
  void derivation(const P& program, const Real* scores, std::vector<Edge>& edges) {
    edges.clear();
    open_.assign(1, program.goal());
    const Real* values = values_.data() + 1;
    while (!open_.empty()) {
      const Cell cell = open_.back();
      open_.pop_back();
      Edge found = -1;
      program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
        if (found < 0 && value<P>(values, scores[edge], a, b) == values[cell]) found = edge;
      });
      if (found < 0) refuse_scores();
      edges.push_back(found);
      const Tails from = program.tails(cell, found);
      if (from.second != kNoTail) open_.push_back(from.second);
      if (from.first != kNoTail) open_.push_back(from.first);
    }
  }

 private:
  template <class P>
  static Real highest(const P& program, Cell cell, const Real* scores, const Real* values) {
    if constexpr (ListedPaths<P> && std::same_as<Real, double>) {
      const Edge first = program.first(cell);
      const std::int64_t count = program.first(cell + 1) - first;
      const Cell run = program.run(cell);
      if (run != P::kNoRun) return kernels().max_sum(scores + first, values + run, count);
      return kernels().max_sum_at(scores + first, values, program.tail_list(first), count);
    }
    Real most = kImpossible<Real>;
    program.incoming(cell, [&](Edge edge, Cell a, Cell b) { most = std::max(most, value<P>(values, scores[edge], a, b)); });
    return most;
  }

  template <class P>
  static Real value(const Real* values, Real score, Cell a, Cell b) {
    if constexpr (P::kTails == 1) return score + values[a];
    return score + values[a] + values[b];
  }

  std::vector<Real> values_;
  std::vector<Cell> open_;
};

}  // namespace maxmargin::programs
