// Predictions for a batch of programs: best outputs and probabilities of edges, with edges that outputs must or must not have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/programs/program_set.hpp"

namespace maxmargin::programs {

// Lists of edges of each example, by place; empty where there are none at all.
struct EdgeLists {
  std::vector<std::int64_t> first;
  std::vector<Edge> places;

  std::span<const Edge> operator[](std::int64_t i) const {
    if (first.empty()) return {};
    return {places.data() + first[static_cast<std::size_t>(i)], places.data() + first[static_cast<std::size_t>(i) + 1]};
  }
};

struct EdgeLimits {
  EdgeLists forbidden, required;
};

// What edges are worth: their scores at w over a temperature, or numbers by edge number, one program after the other.
struct EdgeWorth {
  const double* weights = nullptr;
  double temperature = 1.0;
  const double* flat = nullptr;
  std::vector<std::int64_t> first;  // of the edges of each program
};

struct Outputs {
  std::vector<std::int64_t> first{0};  // of the edges of each output
  std::vector<Edge> edges;             // numbers; each before those of its tails
  std::vector<double> scores;
  std::vector<std::int64_t> ends{0};  // of the outputs of each example
  std::int64_t impossible = -1;       // the first example that the limits leave without an output
};

struct Marginals {
  std::vector<double> used;      // expected number of times that an output has an edge, by edge number, one program after the other
  std::vector<double> log_sums, entropies;
  std::int64_t impossible = -1;
};

// Throws std::invalid_argument where an edge is required that an output may have several times.
Outputs best_outputs(const ProgramSet& set, const EdgeWorth& worth, const EdgeLimits& limits, int threads);
// The k best of each example, best first; fewer where there are fewer.
Outputs best_lists(const ProgramSet& set, const EdgeWorth& worth, int k, const EdgeLimits& limits, int threads);
// Exact samples, `count` of each example; they depend on the seed and the example, not on the number of threads.
Outputs sampled_outputs(const ProgramSet& set, const EdgeWorth& worth, int count, std::uint64_t seed, const EdgeLimits& limits, int threads);
Marginals edge_marginals(const ProgramSet& set, const EdgeWorth& worth, const EdgeLimits& limits, int threads);

}  // namespace maxmargin::programs
