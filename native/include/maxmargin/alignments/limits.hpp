// Scores under which only alignments that have all required pairs and no forbidden one are possible.
#pragma once

#include <span>
#include <vector>

#include "maxmargin/alignments/grid.hpp"

namespace maxmargin::alignments {

class LimitedScores {  // keeps the scores that it gives out
 public:
  // Required pairs rise; forbidden ones are in any order.
  GridScores limit(const GridScores& scores, std::span<const Pair> required, std::span<const Pair> forbidden);

 private:
  std::vector<double> match_, gaps_[4];
};

}  // namespace maxmargin::alignments
