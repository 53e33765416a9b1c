#include "maxmargin/alignments/likelihood.hpp"

#include <vector>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::alignments {

double alignment_likelihood(const AlignmentTargets& targets, const double* weights, const double* sample_weight, std::int64_t begin,
                            std::int64_t end, double* gradient, int threads) {
  const AlignmentSet& set = *targets.set;
  struct Part {
    double value = 0.0;
    std::vector<double> gradient;
  };
  std::vector<Part> parts(static_cast<std::size_t>(thread_count(end - begin, threads)));
  in_parallel(end - begin, threads, [&](int share, std::int64_t first, std::int64_t last) {
    Part& part = parts[static_cast<std::size_t>(share)];
    double* into = gradient;
    if (gradient != nullptr && share > 0) {
      part.gradient.assign(static_cast<std::size_t>(set.weights), 0.0);
      into = part.gradient.data();
    }
    GridSearch search;
    ScoreRoom room;
    Expected expected;
    for (std::int64_t i = begin + first; i < begin + last; ++i) {
      const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (weight == 0.0) continue;
      const std::int32_t x = set.x[static_cast<std::size_t>(i)], y = set.candidates_of(i).front();
      const GridScores scores = set.scores(x, y, weights, 1.0, room, false);
      part.value += weight * (search.sums(scores, set.shape, expected) - score_of(scores, set.shape, targets.truth(i)));
      if (into == nullptr) continue;
      set.add_expected(x, y, expected, weight, into, room);
      set.add(x, y, targets.truth(i), -weight, into);
    }
  });
  double value = 0.0;
  for (const Part& part : parts) {
    value += part.value;
    kernels().axpy(1.0, part.gradient.data(), gradient, std::ssize(part.gradient));
  }
  return value;
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
