// Sums over all alignments by the vector passes of simd/grid_sum_pass.hpp: the fast ones where they are reliable, else the wide ones.
#pragma once

#include <cstdint>
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

// Numbers times powers of two.
class WideList {
 public:
  // exp(score) for each of them.
  WideNumbers fill(const double* scores, std::size_t count);
  WideNumbers fill_zeros(std::size_t count);
  WideRoom room(std::size_t count);

 private:
  std::vector<double> numbers_, powers_;
};

class AlignmentSums {  // keeps its memory from one grid to the next
 public:
  // log Z, minus infinity and all zeros where every alignment is forbidden.
  double find(const GridScores& scores, const GridShape& shape, Expected& expected);
  // The same as a program like any other, for scores whose sums exceed the whole numbers that float64 has; ten times slower than the wide
  // passes.
  double find_as_program(const GridScores& scores, const GridShape& shape, Expected& expected);

 private:
  // Probabilities of the rows and columns of first and last pairs, where what lies beyond them is paid for.
  struct Ends {
    std::vector<double> before_x, before_y, after_x, after_y;
  };
  // log Z, or nothing where the fast passes cannot tell.
  bool find_fast(const GridScores& scores, Expected& expected, double& log_sum);
  double find_wide(const GridScores& scores, Expected& expected);
  SumUses cleared_uses(std::int32_t m, std::int32_t n, Expected& expected);
  void add_uses(const GridShape& shape, double alone, Expected& expected);
  static void add_ends(const GridShape& shape, const Ends& ends, double alone, Expected& expected);

  SumGrid grid_{};
  EndScores end_scores_;
  EndLayout layout_;
  BandLayout band_;
  Ends ends_;
  std::vector<double> weights_, zeros_, next_open_x_, next_extend_x_, open_y_, extend_y_, across_x_, across_h_, cells_;
  WideList wide_[16];
  std::vector<double> uses_[4];
  std::vector<std::int32_t> across_power_, powers_;
  programs::Sums sums_;
  std::vector<double> edge_scores_, edge_uses_;
};

}  // namespace maxmargin::alignments
