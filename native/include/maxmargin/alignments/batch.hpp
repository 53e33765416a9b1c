// The best alignments of many pairs of sequences of letters, whose scores are in one table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/alignments/grid.hpp"

namespace maxmargin::alignments {

// Letters of all sequences, one after the other; sequence k has letters first[k] .. first[k + 1] - 1.
struct Letters {
  std::span<const std::int32_t> letters;
  std::span<const std::int64_t> first;

  std::int64_t count() const { return static_cast<std::int64_t>(first.size()) - 1; }
  std::span<const std::int32_t> operator[](std::int64_t k) const {
    const auto at = static_cast<std::size_t>(k);
    return letters.subspan(static_cast<std::size_t>(first[at]), static_cast<std::size_t>(first[at + 1] - first[at]));
  }
};

// Letters of x are rows of the table, letters of y its columns; gaps have the same scores at all positions.
struct LetterScores {
  const double* table = nullptr;
  std::int32_t rows = 0, columns = 0;
  double open_x = 0.0, extend_x = 0.0, open_y = 0.0, extend_y = 0.0;
};

struct Aligned {
  std::vector<double> scores;
  std::vector<std::int64_t> first{0};  // of the pairs of each alignment
  std::vector<Pair> pairs;
};

// Sequence k of x with sequence k of y; no sequence is empty.
Aligned best_alignments(const LetterScores& scores, const GridShape& shape, const Letters& x, const Letters& y, int threads);

}  // namespace maxmargin::alignments
