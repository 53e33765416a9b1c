#include "maxmargin/grammars/likelihood.hpp"

#include "maxmargin/engine/summed_gradient.hpp"
#include "maxmargin/grammars/sums.hpp"

namespace maxmargin::grammars {

double tree_likelihood(const TreeTargets& targets, const double* weights, const double* sample_weight, std::int64_t begin, std::int64_t end, double* gradient,
                       int threads) {
  const Sentences& sentences = *targets.sentences;
  return summed_with_gradient(begin, end, threads, sentences.weights, gradient, [&](std::int64_t first, std::int64_t last, double* into) {
    double total = 0.0;
    SentenceScorer scorer;
    Chart chart;
    ChartSums sums;
    for (std::int64_t i = first; i < last; ++i) {
      const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (weight == 0.0) continue;
      chart.best(*sentences.rules, sentences.words_of(i), scorer.of(sentences, i, weights, 1.0));
      double value = sums.run(chart, sentences, i, nullptr, 0);
      for (const Anchored& each : targets.truth(i)) {
        value -= sentences.score(i, each, weights);
        if (into != nullptr) sentences.visit_features(i, each, [&](std::int64_t at, double x) { into[at] -= weight * x; });
      }
      total += weight * value;
      if (into != nullptr) SentenceScorer::spread(sentences, i, sums.counts(), weight, into);
    }
    return total;
  });
}

}  // namespace maxmargin::grammars
