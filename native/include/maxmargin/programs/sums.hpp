// Sums over all derivations of a program, with p(derivation) = exp(sum of scores) / Z.
//
// The pass upwards finds the logarithm of the sum below each cell and, for each edge, its chance among the edges into its head:
//   chance(e) = exp(score(e) + inside(tails)) / sum over the edges into the same head.
// All else follows from the chances, without a further exponential: derivations are drawn from the goal downwards, cell by cell, so the
// expected number of times that edge e is used is reach(head) chance(e), and reach(cell) sums it up over the edges that have
// the cell as tail. Chances are of numbers at most 1 relative to the largest, so scores of any size are safe.
//
// Where edges have two tails, many of them only join what is below, with score 0. If all scores are of a moderate size, which one pass over
// them tells, the sum below a cell is then kept as a number times a power of 2^256 instead of a logarithm: edges are multiplied and
// added, and only those with a score other than 0 take an exponential.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/programs/program.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::programs {

class Sums {  // keeps its memory from one program to the next
 public:
  static constexpr double kModerate = 100.0;                      // the size of scores up to which exponentials are multiplied
  static constexpr double kLowest = 0x1p-128, kHighest = 0x1p128;  // a number is multiplied by a power of 2^256 to be in between

  // log Z, minus infinity where nothing derives the goal; fills chances().
  template <NumberedProgram P>
  double run(const P& program, const double* scores) {
    inside_.resize(static_cast<std::size_t>(program.cells()) + 1);
    inside_[0] = 0.0;  // of no tail
    chances_.resize(static_cast<std::size_t>(program.edges()));
    double* inside = inside_.data() + 1;
    if constexpr (P::kTails == 2) {
      if (weigh(program.edges(), scores)) return inside[program.goal()] = scaled(program);
    }
    const auto softmax = kernels().softmax;
    for (Cell cell = 0; cell < program.cells(); ++cell) {
      const Edge first = program.first(cell);
      const std::int64_t count = program.first(cell + 1) - first;
      double* terms = chances_.data() + first;
      if (const double* run = run_into(program, cell, inside); run != nullptr) {
        for (std::int64_t k = 0; k < count; ++k) terms[k] = scores[first + k] + run[k];
      } else {
        program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
          terms[edge - first] = scores[edge] + inside[a];
          if constexpr (P::kTails == 2) terms[edge - first] += inside[b];
        });
      }
      inside[cell] = softmax(terms, count);
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
      if (double* run = run_into(program, cell, reach); run != nullptr) {
        const Edge first = program.first(cell), count = program.first(cell + 1) - first;
        spread(here, count, chances_.data() + first, marginals.data() + first, run);
        continue;
      }
      program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
        const double used = here * chances_[static_cast<std::size_t>(edge)];
        marginals[static_cast<std::size_t>(edge)] = used;
        reach[a] += used;
        if constexpr (P::kTails == 2) reach[b] += used;
      });
    }
  }

 private:
  // Where the numbers of the tails of a cell's edges begin, if they follow each other; else null.
  template <class P, class T>
  static T* run_into(const P& program, Cell cell, T* by_cell) {
    if constexpr (ListedPaths<P>) {
      if (program.run(cell) != P::kNoRun) return by_cell + program.run(cell);
    }
    return nullptr;
  }
  static void spread(double here, std::int64_t count, const double* __restrict chances, double* __restrict marginals, double* __restrict reach) {
    for (std::int64_t k = 0; k < count; ++k) {
      const double used = here * chances[k];
      marginals[k] = used;
      reach[k] += used;
    }
  }

  struct Scaled {  // number * 2^(256 power), number from kLowest to kHighest, or 0
    double number = 1.0;
    std::int32_t power = 0;
  };
  static constexpr std::int32_t kNever = -(1 << 29);  // the power of 0 among others: far below all of them
  static constexpr std::int32_t kBlock = 512;

  // Fills chances_ with exp(scores), by blocks that stay in the cache; false if a score is too large in size for that.
  bool weigh(std::int32_t edges, const double* scores) {
    double packed[kBlock];
    Edge scored[kBlock];
    for (std::int32_t begin = 0; begin < edges; begin += kBlock) {
      const std::int32_t end = std::min(edges, begin + kBlock);
      std::int32_t count = 0;
      for (std::int32_t edge = begin; edge < end; ++edge) {
        packed[count] = scores[edge];
        scored[count] = edge;
        count += scores[edge] != 0.0;
      }
      for (std::int32_t k = 0; k < count; ++k)
        if (!(std::abs(packed[k]) <= kModerate) && packed[k] != kImpossible<double>) return false;
      kernels().exp_all(packed, count);
      std::fill(chances_.begin() + begin, chances_.begin() + end, 1.0);
      for (std::int32_t k = 0; k < count; ++k) chances_[static_cast<std::size_t>(scored[k])] = packed[k];
    }
    return true;
  }

  template <class P>
  double scaled(const P& program) {
    below_.resize(static_cast<std::size_t>(program.cells()) + 1);
    below_[0] = {};  // of no tail
    Scaled* below = below_.data() + 1;
    double* chances = chances_.data();
    bool plain = true;  // the powers of all cells up to here are 0
    for (Cell cell = 0; cell < program.cells(); ++cell) {
      const Edge first = program.first(cell), last = program.first(cell + 1);
      if (plain) {
        double sum = 0.0;
        program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
          const double number = chances[edge] * below[a].number * below[b].number;
          chances[edge] = number;
          sum += number;
        });
        if (sum > 0.0) divide(chances + first, last - first, sum);
        below[cell] = sum > 0.0 ? normal(sum, 0) : Scaled{0.0, 0};
        plain = below[cell].power == 0;
        continue;
      }
      if (static_cast<std::size_t>(last - first) > powers_.size()) powers_.resize(static_cast<std::size_t>(last - first));
      std::int32_t highest = kNever, lowest = -kNever;
      double sum = 0.0;
      program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
        const double number = chances[edge] * below[a].number * below[b].number;
        const std::int32_t power = number > 0.0 ? below[a].power + below[b].power : kNever;  // a forbidden edge is below all
        chances[edge] = number;
        powers_[static_cast<std::size_t>(edge - first)] = power;
        highest = std::max(highest, power);
        lowest = std::min(lowest, power);
        sum += number;
      });
      if (last - first == 1 && sum > 0.0) {
        chances[first] = 1.0;
        below[cell] = normal(sum, highest);
        continue;
      }
      if (lowest < highest) {  // not all have one power: those far below the highest count nothing
        constexpr double kPowers[] = {1.0, 0x1p-256, 0x1p-512, 0x1p-768};
        sum = 0.0;
        for (Edge edge = first; edge < last; ++edge) {
          const std::int32_t lower = powers_[static_cast<std::size_t>(edge - first)] - highest;
          sum += chances[edge] *= lower < -3 ? 0.0 : kPowers[-lower];
        }
      }
      if (sum > 0.0) divide(chances + first, last - first, sum);
      below[cell] = sum > 0.0 ? normal(sum, highest) : Scaled{0.0, 0};
    }
    const Scaled all = below[program.goal()];
    return all.number > 0.0 ? std::log(all.number) + 256.0 * std::log(2.0) * all.power : kImpossible<double>;
  }

  // A sum has at least a term from 2^-400 up, so that its inverse is a normal number.
  static void divide(double* __restrict terms, std::int64_t count, double sum) {
    if (count == 1) {
      terms[0] = 1.0;
      return;
    }
    const double share = 1.0 / sum;
    for (std::int64_t k = 0; k < count; ++k) terms[k] *= share;
  }

  static Scaled normal(double number, std::int32_t power) {
    for (; number > kHighest; ++power) number *= 0x1p-256;
    for (; number < kLowest; --power) number *= 0x1p256;
    return {number, power};
  }

  std::vector<double> inside_, reach_, chances_;
  std::vector<Scaled> below_;
  std::vector<std::int32_t> powers_;  // of the edges into one cell
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
