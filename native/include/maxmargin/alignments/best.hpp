// The best alignment by the vector pass of simd/grid_pass.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "maxmargin/alignments/grid.hpp"
#include "maxmargin/alignments/layout.hpp"
#include "maxmargin/simd/grid_pass.hpp"

namespace maxmargin::alignments {

class BestAlignment {  // keeps its memory from one grid to the next
 public:
  // The score of the best alignment, whose pairs it lists; minus infinity and none where all are forbidden. Of equal ones it is the one
  // that programs/best.hpp would find in the program of the grid, except that global ones without a band may differ.
  double find(const GridScores& scores, const GridShape& shape, std::vector<Pair>& pairs);

 private:
  void fill_gaps(const GridScores& scores);
  void fill_ends(const GridScores& scores, const GridShape& shape);
  void trace(std::vector<Pair>& pairs) const;

  GridPass pass_{};
  EndScores ends_;
  EndLayout layout_;
  BandLayout band_;
  std::vector<double> next_open_x_, next_extend_x_, open_y_, extend_y_, border_x_, border_y_, above_x_, above_h_;
  std::vector<std::uint32_t> choices_;
};

}  // namespace maxmargin::alignments
