// The true alignments of a set, and what other outputs cost.
//
// An output is a candidate and its alignment with x; the true one is candidate 0. Aligned pairs of candidate 0 are *hits* where they are near a
// true pair: those (i, j) with j in the window of position i. The loss of an alignment of candidate 0 is a function of its number of hits, and
// of its number of pairs where pairs are counted too; every output with another candidate has the same loss.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/alignments/features.hpp"
#include "maxmargin/engine/rescaled.hpp"
#include "maxmargin/programs/count_prices.hpp"

namespace maxmargin::alignments {

struct Window {
  std::int32_t begin = 0, end = 0;  // of positions of y; empty where the position of x has no true partner
  bool has(std::int32_t j) const { return j >= begin && j < end; }
};

struct AlignmentTargets {
  const AlignmentSet* set;
  std::vector<std::int64_t> first;  // (examples + 1)
  std::vector<Pair> pairs;
  std::vector<std::int64_t> first_window;  // (examples + 1)
  std::vector<Window> windows;             // by position of x

  std::span<const Pair> truth(std::int64_t i) const {
    return {pairs.data() + first[static_cast<std::size_t>(i)], pairs.data() + first[static_cast<std::size_t>(i) + 1]};
  }
  const Window* windows_of(std::int64_t i) const { return windows.data() + first_window[static_cast<std::size_t>(i)]; }
  std::int32_t hits(std::int64_t i, std::span<const Pair> y) const {
    std::int32_t count = 0;
    for (const Pair& pair : y) count += windows_of(i)[pair.i].has(pair.j);
    return count;
  }
  std::int64_t outside_band() const;  // the first example whose truth leaves the band, or -1
};

//   augmented    the best output by score and loss: margin rescaling with linear slack of a loss that falls by `unit` per hit
//   totals       the best output at each number of hits, or of hits and pairs: slack rescaling, squared slack, F1
//   second       the best output other than the truth: the zero-one loss, hard margins
//   prediction   the best output by its score: the perceptron
enum class AlignmentGoal : std::uint8_t { augmented, totals, second, prediction };

struct AlignmentLoss {
  AlignmentGoal goal = AlignmentGoal::augmented;
  bool counts_pairs = false;
  bool candidates_only = false;        // all alignments of candidate 0 are right: only other candidates are mistakes
  Rescaled other;                      // of outputs with another candidate, and of all where the loss is zero-one
  std::vector<double> unit;            // of each example: what a hit takes from a loss of 1
  std::vector<double> margin, scale;   // by total: hits, plus `stride` for each pair where pairs are counted
  std::vector<std::int64_t> first, stride;  // of each example
};

// What a search works on.
struct AlignmentProblem {
  const AlignmentTargets* targets;
  const AlignmentLoss* loss;

  Rescaled at_total(std::int64_t i, std::int64_t total) const {
    const auto at = static_cast<std::size_t>(loss->first[static_cast<std::size_t>(i)] + total);
    return {loss->margin[at], loss->scale[at]};
  }
  // The same table by hits and pairs.
  programs::CountTable counts(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(loss->first[static_cast<std::size_t>(i)]), size = static_cast<std::size_t>(most_total(i) + 1);
    const std::int64_t hits = std::ssize(targets->truth(i)), pairs = loss->counts_pairs ? most_pairs(i) : 0;
    return {{loss->margin.data() + at, size}, {loss->scale.data() + at, size}, hits + 1, pairs + 1, 1, stride(i)};
  }
  programs::Counts counts_at(std::int64_t i, std::int64_t total) const {
    if (!loss->counts_pairs) return {total, 0};
    return {total % stride(i), total / stride(i)};
  }
  std::int64_t stride(std::int64_t i) const { return loss->counts_pairs ? loss->stride[static_cast<std::size_t>(i)] : 0; }
  std::int64_t most_total(std::int64_t i) const { return std::ssize(targets->truth(i)) + stride(i) * most_pairs(i); }
  std::int64_t most_pairs(std::int64_t i) const {
    const AlignmentSet& set = *targets->set;
    return std::min(set.length(set.x[static_cast<std::size_t>(i)]), set.length(set.candidates_of(i).front()));
  }
  // Of an output other than the truth.
  Rescaled rescaled(std::int64_t i, std::int32_t candidate, std::span<const Pair> y) const {
    if (candidate != 0 || (loss->goal != AlignmentGoal::augmented && loss->goal != AlignmentGoal::totals)) return loss->other;
    const std::int64_t hits = targets->hits(i, y);
    if (loss->goal == AlignmentGoal::augmented) return {1.0 - loss->unit[static_cast<std::size_t>(i)] * static_cast<double>(hits), 1.0};
    return at_total(i, hits + stride(i) * std::ssize(y));
  }
};

}  // namespace maxmargin::alignments
