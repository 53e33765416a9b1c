// Sums over all derivations of a program, with p(derivation) = exp(sum of scores) / Z.
//
// The pass upwards finds the logarithm of the sum below each cell and, for each edge, its chance among the edges into its head:
//   chance(e) = exp(score(e) + inside(tails)) / sum over the edges into the same head.
// All else follows from the chances, without a further exponential: derivations are drawn from the goal downwards, cell by cell, so the
// expected number of times that edge e is used is reach(head) chance(e), and reach(cell) sums it up over the edges that have
// the cell as tail. Chances are of numbers at most 1 relative to the largest, so scores of any size are safe.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/programs/program.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::programs {

class Sums {  // keeps its memory from one program to the next
 public:
  // log Z, minus infinity where nothing derives the goal; fills chances().
  template <NumberedProgram P>
  double run(const P& program, const double* scores) {
    inside_.resize(static_cast<std::size_t>(program.cells()) + 1);
    inside_[0] = 0.0;  // of no tail
    chances_.resize(static_cast<std::size_t>(program.edges()));
    double* inside = inside_.data() + 1;
    const auto softmax = kernels().softmax;
    for (Cell cell = 0; cell < program.cells(); ++cell) {
      program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
        double term = scores[edge] + inside[a];
        if constexpr (P::kTails == 2) term += inside[b];
        chances_[static_cast<std::size_t>(edge)] = term;
      });
      const Edge first = program.first(cell);
      inside[cell] = softmax(chances_.data() + first, program.first(cell + 1) - first);
    }
    return inside[program.goal()];
  }

  // After `run`: p(edge | its head is used), by edge.
  std::span<const double> chances() const { return chances_; }

  // The expected number of times that each edge is used: its marginal, where no derivation can use it twice.
  template <NumberedProgram P>
  void marginals(const P& program, std::span<double> marginals) {
    reach_.assign(static_cast<std::size_t>(program.cells()) + 1, 0.0);
    double* reach = reach_.data() + 1;
    if (inside_[static_cast<std::size_t>(program.goal()) + 1] != kImpossible<double>) reach[program.goal()] = 1.0;
    for (Cell cell = program.cells() - 1; cell >= 0; --cell) {
      const double here = reach[cell];
      program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
        const double used = here * chances_[static_cast<std::size_t>(edge)];
        marginals[static_cast<std::size_t>(edge)] = used;
        reach[a] += used;
        if constexpr (P::kTails == 2) reach[b] += used;
      });
    }
  }

 private:
  std::vector<double> inside_, reach_, chances_;
};

// -sum p log p over derivations, from chances and marginals: the sum of the entropies of the choices, each as often as it is made.
inline double entropy(std::span<const double> chances, std::span<const double> marginals) {
  double sum = 0.0;
  for (std::size_t edge = 0; edge < chances.size(); ++edge) {
    if (marginals[edge] > 0.0) sum -= marginals[edge] * std::log(chances[edge]);
  }
  return sum;
}

}  // namespace maxmargin::programs
