// Sums over all alignments: by the vector passes of simd/grid_sum_pass.hpp, or as those of any program (programs/sums.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/alignments/grid.hpp"
#include "maxmargin/alignments/layout.hpp"
#include "maxmargin/programs/sums.hpp"
#include "maxmargin/simd/grid_sum_pass.hpp"

namespace maxmargin::alignments {

// p(alignment) = exp(score) / Z. Expected numbers of times that an alignment has a pair, or pays for a position that opens or extends a
// run: the gradient of log Z with respect to the scores.
struct Expected {
  std::vector<double> match;  // m x n, row-major
  std::vector<double> open_x, extend_x, open_y, extend_y;
};

class AlignmentSums {  // keeps its memory from one grid to the next
 public:
  // log Z, minus infinity and all zeros where every alignment is forbidden.
  double find(const GridScores& scores, const GridShape& shape, Expected& expected);
  // The same over the alignments that have the required pairs, for scores of any size: about 100 times slower.
  double find_as_program(const GridScores& scores, const GridShape& shape, std::span<const Pair> required, Expected& expected);

 private:
  // Probabilities of the rows and columns of first and last pairs, where what lies beyond them is paid for.
  struct Ends {
    std::vector<double> before_x, before_y, after_x, after_y;
  };
  bool weigh(const GridScores& scores);
  static void add_ends(const GridShape& shape, const Ends& ends, double alone, Expected& expected);

  GridSumPass pass_{};
  EndScores end_scores_;
  EndLayout layout_;
  BandLayout band_;
  Ends ends_;
  std::vector<double> weights_, zeros_, next_open_x_, next_extend_x_, open_y_, extend_y_, across_x_, across_h_, cells_;
  std::vector<double> uses_[4];
  std::vector<std::int32_t> across_power_, powers_;
  programs::Sums sums_;
  std::vector<double> edge_scores_, edge_uses_;
};

}  // namespace maxmargin::alignments
