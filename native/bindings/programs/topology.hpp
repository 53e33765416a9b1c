// What the bindings of queries share: the Python face of a topology, and checks of what comes with it.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "maxmargin/programs/topology.hpp"

namespace maxmargin::bindings {

inline constexpr double kLargestScore = 1e300;  // sums of more edges than memory holds stay finite

// Scores of the edges of a program: numbers up to kLargestScore, or minus infinity.
template <class Real>
void check_scores(std::span<const Real> scores, std::int32_t edges) {
  if (static_cast<std::int64_t>(scores.size()) != edges) {
    throw nb::value_error(("The program has " + std::to_string(edges) + " edges, and there are " + std::to_string(scores.size()) + " scores.").c_str());
  }
  constexpr Real kMost = static_cast<Real>(std::min<double>(kLargestScore, std::numeric_limits<Real>::max() / 1e6));
  constexpr Real kForbidden = -std::numeric_limits<Real>::infinity();
  auto legal = [](Real score) { return (score <= kMost) & ((score >= -kMost) | (score == kForbidden)); };
  bool all = true;
  for (const Real score : scores) all &= legal(score);
  if (all) return;
  const auto at = static_cast<std::size_t>(std::find_if_not(scores.begin(), scores.end(), legal) - scores.begin());
  const std::string size = std::to_string(kMost < Real{1e38} ? 32 : 300);
  throw nb::value_error(("The score of edge " + std::to_string(at) + " is " + std::to_string(scores[at]) + "; scores are numbers of a size up to 1e" + size +
                         ", or -inf for an edge that must not be used.").c_str());
}

}  // namespace maxmargin::bindings
