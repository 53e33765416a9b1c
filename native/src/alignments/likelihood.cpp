#include "maxmargin/alignments/likelihood.hpp"

#include "maxmargin/engine/summed_gradient.hpp"

namespace maxmargin::alignments {

namespace {

class AlignmentLikelihood {  // keeps its memory from one example to the next
 public:
  explicit AlignmentLikelihood(const AlignmentTargets& targets) : targets_(targets) {}

  // The negative log-likelihood of alignment i at factor * w; adds c times its gradient to `into`, which may be w itself, or null.
  double operator()(std::int64_t i, const double* w, double factor, double* into, double c) {
    const AlignmentSet& set = *targets_.set;
    const std::int32_t x = set.x[static_cast<std::size_t>(i)], y = set.candidates_of(i).front();
    const GridScores scores = set.scores(x, y, w, factor, room_, false);
    const double value = search_.sums(scores, set.shape, expected_) - score_of(scores, set.shape, targets_.truth(i));
    if (into == nullptr) return value;
    set.add_expected(x, y, expected_, c, into, room_);
    set.add(x, y, targets_.truth(i), -c, into);
    return value;
  }

 private:
  const AlignmentTargets& targets_;
  GridSearch search_;
  ScoreRoom room_;
  Expected expected_;
};

}  // namespace

double alignment_likelihood(const AlignmentTargets& targets, const double* weights, const double* sample_weight, std::int64_t begin,
                            std::int64_t end, double* gradient, int threads) {
  return summed_examples(begin, end, threads, targets.set->weights, weights, sample_weight, gradient, [&] { return AlignmentLikelihood(targets); });
}

double descend_alignments(const AlignmentTargets& targets, const double* sample_weight, std::span<const std::int32_t> order, const StepSizes& sizes,
                          ScaledWeights& weights) {
  return descend(order, sample_weight, sizes, weights, AlignmentLikelihood(targets));
}

TrueMoments true_moments(const AlignmentTargets& targets, const double* sample_weight) {
  const AlignmentSet& set = *targets.set;
  TrueMoments found;
  auto square = [](const Component& component, std::int64_t i, std::int64_t j) {
    double sum = 0.0;
    component.x.visit(i, [&](std::int32_t column, double value) {
      const Component::Row row = component.row(column);
      component.y.visit(j, [&](std::int32_t other, double also) {
        if (row.has(other)) sum += value * value * also * also;
      });
    });
    return sum;
  };
  for (std::int64_t i = 0; i < set.n(); ++i) {
    const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
    const std::int64_t x0 = set.first_position[static_cast<std::size_t>(set.x[static_cast<std::size_t>(i)])];
    const std::int64_t y0 = set.first_position[static_cast<std::size_t>(set.candidates_of(i).front())];
    for (const Pair& pair : targets.truth(i)) {
      found.pairs += weight;
      for (const Component& component : set.components) {
        if (component.value.empty()) found.squares += weight * square(component, x0 + pair.i, y0 + pair.j);
      }
    }
  }
  return found;
}

}  // namespace maxmargin::alignments
