#include "maxmargin/alignments/likelihood.hpp"

#include "maxmargin/engine/summed_gradient.hpp"

namespace maxmargin::alignments {

double alignment_likelihood(const AlignmentTargets& targets, const double* weights, const double* sample_weight, std::int64_t begin,
                            std::int64_t end, double* gradient, int threads) {
  const AlignmentSet& set = *targets.set;
  return summed_with_gradient(begin, end, threads, set.weights, gradient, [&](std::int64_t first, std::int64_t last, double* into) {
    double value = 0.0;
    GridSearch search;
    ScoreRoom room;
    Expected expected;
    for (std::int64_t i = first; i < last; ++i) {
      const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (weight == 0.0) continue;
      const std::int32_t x = set.x[static_cast<std::size_t>(i)], y = set.candidates_of(i).front();
      const GridScores scores = set.scores(x, y, weights, 1.0, room, false);
      value += weight * (search.sums(scores, set.shape, expected) - score_of(scores, set.shape, targets.truth(i)));
      if (into == nullptr) continue;
      set.add_expected(x, y, expected, weight, into, room);
      set.add(x, y, targets.truth(i), -weight, into);
    }
    return value;
  });
}

TrueMoments true_moments(const AlignmentTargets& targets, const double* sample_weight) {
  const AlignmentSet& set = *targets.set;
  TrueMoments found;
  auto square = [](const PositionRows& rows, std::int64_t position) {
    double sum = 0.0;
    rows.visit(position, [&](std::int32_t, double value) { sum += value * value; });
    return sum;
  };
  for (std::int64_t i = 0; i < set.n(); ++i) {
    const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
    const std::int64_t x0 = set.first_position[static_cast<std::size_t>(set.x[static_cast<std::size_t>(i)])];
    const std::int64_t y0 = set.first_position[static_cast<std::size_t>(set.candidates_of(i).front())];
    for (const Pair& pair : targets.truth(i)) {
      found.pairs += weight;
      for (const Component& component : set.components) found.squares += weight * square(component.x, x0 + pair.i) * square(component.y, y0 + pair.j);
    }
  }
  return found;
}

}  // namespace maxmargin::alignments
