// The best alignment, and sums over all alignments.
#pragma once

#include <vector>

#include "maxmargin/alignments/best.hpp"
#include "maxmargin/alignments/sums.hpp"

namespace maxmargin::alignments {

class GridSearch {  // keeps its memory from one grid to the next
 public:
  // The score of the best alignment, whose pairs it lists; minus infinity and none where all are forbidden.
  double best(const GridScores& scores, const GridShape& shape, std::vector<Pair>& pairs) { return best_.find(scores, shape, pairs); }
  // log Z, minus infinity and all zeros where every alignment is forbidden.
  double sums(const GridScores& scores, const GridShape& shape, Expected& expected) { return sums_.find(scores, shape, expected); }

 private:
  BestAlignment best_;
  AlignmentSums sums_;
};

}  // namespace maxmargin::alignments
