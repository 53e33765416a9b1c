// Sums over the derivations of many inputs, those of one program with two tails side by side, one per lane of a vector.
//
// Alone, an input reads and writes single numbers wherever the tails of its edges are; side by side, whole vectors. The lanes have the
// arithmetic of `Sums` while it needs no powers (scores of a moderate size, sums from 2^-128 to 2^128), in the same order, so
// that answers are the same to the last bit whatever stands beside an input. Where a lane leaves that range, `Sums` is asked.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "maxmargin/programs/sums.hpp"
#include "maxmargin/programs/topology.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::programs {

inline constexpr int kMostInputs = 8;  // that any kernel takes at once

// An input, by place, and what is found of it.
struct SumsOfInput {
  const double* scores = nullptr;
  double* marginals = nullptr;  // expected uses of the edges; null: not wanted
  double log_sum = 0.0;
  bool found = false;
};

class LaneSums {  // keeps its memory from one program to the next
 public:
  // At most kernels().inputs of them, whose scores are at most Sums::kModerate in size, or minus infinity.
  void run(const Edges<2>& program, std::span<SumsOfInput> inputs) {
    const Kernels& table = kernels();
    const auto lanes = static_cast<std::size_t>(table.inputs);
    const auto cells = static_cast<std::size_t>(program.cells());
    std::array<const double*, kMostInputs> scores;
    for (std::size_t k = 0; k < lanes; ++k) scores[k] = inputs[std::min(k, inputs.size() - 1)].scores;  // lanes too many repeat the last
    chances_.resize(static_cast<std::size_t>(program.edges()) * lanes);
    table.weigh_lanes(scores.data(), program.edges(), chances_.data());

    const Cell* tails = program.tail_list(0);
    const std::size_t goal = (static_cast<std::size_t>(program.goal()) + 1) * lanes;
    by_cell_.resize((cells + 1) * lanes);
    std::fill_n(by_cell_.begin(), lanes, 1.0);  // below no tail
    std::array<double, kMostInputs> lowest, highest;
    table.sum_lanes(program.cells(), program.first_list(), tails, chances_.data(), by_cell_.data() + lanes, lowest.data(), highest.data());
    bool spread = false;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const double all = by_cell_[goal + k];
      inputs[k].found = lowest[k] >= Sums::kLowest && highest[k] <= Sums::kHighest;
      inputs[k].log_sum = all > 0.0 ? std::log(all) : kImpossible<double>;
      spread |= inputs[k].found && inputs[k].marginals != nullptr;
    }
    if (!spread) return;

    std::array<double*, kMostInputs> into;
    spare_.resize(static_cast<std::size_t>(program.edges()));
    for (std::size_t k = 0; k < lanes; ++k) into[k] = k < inputs.size() && inputs[k].marginals != nullptr ? inputs[k].marginals : spare_.data();
    by_cell_.assign((cells + 1) * lanes, 0.0);
    for (std::size_t k = 0; k < inputs.size(); ++k) by_cell_[goal + k] = inputs[k].log_sum != kImpossible<double> ? 1.0 : 0.0;
    table.spread_lanes(program.cells(), program.first_list(), tails, chances_.data(), by_cell_.data() + lanes, into.data());
  }

 private:
  std::vector<double, LineAllocator<double>> chances_, by_cell_;
  std::vector<double> spare_;  // marginals that nobody wants
};

// The sums of examples of a batch, in the order in which their topologies first occur. A batch has a
// `topology(i)`, `scores(i, room)` by place, `marginals(i, room)` where those go, by place (null: not wanted), and takes in what is
// `found(i, SumsOfInput)`; a room keeps what the batch puts there until then.
template <class Batch>
void sums_of_examples(Batch& batch, std::span<const std::int64_t> examples) {
  std::unordered_map<const Topology*, std::size_t> number;
  std::vector<std::vector<std::int64_t>> groups;
  for (const std::int64_t i : examples) {
    const auto [at, added] = number.try_emplace(&batch.topology(i), groups.size());
    if (added) groups.emplace_back();
    groups[at->second].push_back(i);
  }
  Sums sums;
  LaneSums lanes;
  std::array<std::vector<double>, kMostInputs> scores, marginals;
  std::array<std::int64_t, kMostInputs> example;
  std::array<SumsOfInput, kMostInputs> waiting;  // for others to stand beside
  for (const std::vector<std::int64_t>& group : groups) {
    batch.topology(group.front()).with_edges([&]<class P>(const P& program) {
      auto alone = [&](std::size_t k) {
        SumsOfInput& input = waiting[k];
        input.log_sum = sums.run(program, input.scores);
        if (input.marginals != nullptr) sums.marginals(program, {input.marginals, static_cast<std::size_t>(program.edges())});
        batch.found(example[k], input);
      };
      std::size_t count = 0;
      auto answer = [&] {
        if constexpr (P::kTails == 2) {
          if (count > 1) lanes.run(program, {waiting.data(), count});
        }
        for (std::size_t k = 0; k < count; ++k) {
          if (waiting[k].found) batch.found(example[k], waiting[k]);
          else alone(k);
        }
        count = 0;
      };
      for (const std::int64_t i : group) {
        example[count] = i;
        waiting[count] = {batch.scores(i, scores[count]), batch.marginals(i, marginals[count])};
        if (P::kTails == 1 || group.size() == 1 || !kernels().all_within(waiting[count].scores, program.edges(), Sums::kModerate)) alone(count);
        else if (static_cast<int>(++count) == kernels().inputs) answer();
      }
      answer();
    });
  }
}

}  // namespace maxmargin::programs
