// The best alignment, and sums over all alignments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/alignments/best.hpp"
#include "maxmargin/alignments/grid.hpp"
#include "maxmargin/programs/sums.hpp"

namespace maxmargin::alignments {

// p(alignment) = exp(score) / Z. Expected numbers of times that an alignment has a pair, or pays for a position that opens or extends a
// run: the gradient of log Z with respect to the scores.
struct Expected {
  std::vector<double> match;  // m x n, row-major
  std::vector<double> open_x, extend_x, open_y, extend_y;
};

class GridSearch {  // keeps its memory from one grid to the next
 public:
  // The score of the best alignment, whose pairs it lists; minus infinity and none where all are forbidden.
  double best(const GridScores& scores, const GridShape& shape, std::vector<Pair>& pairs) { return best_.find(scores, shape, pairs); }
  // log Z, minus infinity and all zeros where every alignment is forbidden. All alignments, or those that have the required pairs.
  double sums(const GridScores& scores, const GridShape& shape, Expected& expected, std::span<const Pair> required = {});

 private:
  BestAlignment best_;
  programs::Sums sums_;
  std::vector<double> scores_, uses_;
};

}  // namespace maxmargin::alignments
