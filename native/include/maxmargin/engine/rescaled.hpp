// What a formulation makes of an output other than the truth: the plane (scale psi, b).
#pragma once

#include <cstdint>
#include <limits>

namespace maxmargin {

struct Rescaled {
  double b = 0.0, scale = 0.0;
};

// Chooses among outputs that are the best of their stratum, by number, the one whose plane is violated most: by more than `highest`.
struct MostViolated {
  double highest = 0.0;
  std::int64_t stratum = -1;

  // `own` is the score of the truth; a stratum without an output has a score of minus infinity.
  void offer(std::int64_t number, Rescaled plane, double own, double score) {
    if (score == -std::numeric_limits<double>::infinity()) return;
    const double value = plane.b - plane.scale * (own - score);
    if (value > highest) highest = value, stratum = number;
  }
};

}  // namespace maxmargin
