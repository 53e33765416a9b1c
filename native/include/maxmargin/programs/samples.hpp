// Exact samples of derivations, p = exp(score) / Z, from the chances that programs/sums.hpp finds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "maxmargin/programs/program.hpp"

namespace maxmargin::programs {

template <NumberedProgram P>
class Sampler {
 public:
  // The goal must have a derivation.
  Sampler(const P& program, std::span<const double> chances, std::uint64_t seed) : program_(&program), sums_(chances.size()), random_(seed) {
    for (Cell cell = 0; cell < program.cells(); ++cell) {
      double sum = 0.0;
      for (Edge edge = program.first(cell); edge < program.first(cell + 1); ++edge) {
        sums_[static_cast<std::size_t>(edge)] = sum += chances[static_cast<std::size_t>(edge)];
      }
    }
  }

  // Appends the edges of one derivation; each edge before those of its tails.
  void draw(std::vector<Edge>& edges) {
    open_.assign(1, program_->goal());
    while (!open_.empty()) {
      const Cell cell = open_.back();
      open_.pop_back();
      const Edge edge = choose(cell);
      edges.push_back(edge);
      const Tails from = program_->tails(cell, edge);
      if (from.second != kNoTail) open_.push_back(from.second);
      if (from.first != kNoTail) open_.push_back(from.first);
    }
  }

 private:
  Edge choose(Cell cell) {
    const double* begin = sums_.data() + program_->first(cell);
    const double* end = sums_.data() + program_->first(cell + 1);
    const double uniform = static_cast<double>(random_() >> 11) * 0x1p-53;
    const double* at = std::upper_bound(begin, end, uniform * end[-1]);
    if (at == end) at = std::lower_bound(begin, end, end[-1]);  // rounding: the last edge that can be chosen
    return static_cast<Edge>(at - sums_.data());
  }

  const P* program_;
  std::vector<double> sums_;  // of the chances of the edges into the same cell, up to each
  std::mt19937_64 random_;
  std::vector<Cell> open_;
};

}  // namespace maxmargin::programs
