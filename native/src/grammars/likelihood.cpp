#include "maxmargin/grammars/likelihood.hpp"

#include <vector>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/grammars/sums.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::grammars {

double tree_likelihood(const TreeTargets& targets, const double* weights, const double* sample_weight, std::int64_t begin, std::int64_t end, double* gradient,
                       int threads) {
  const Sentences& sentences = *targets.sentences;
  struct Part {
    double value = 0.0;
    std::vector<double> gradient;
  };
  std::vector<Part> parts(static_cast<std::size_t>(thread_count(end - begin, threads)));
  in_parallel(end - begin, threads, [&](int share, std::int64_t first, std::int64_t last) {
    Part& part = parts[static_cast<std::size_t>(share)];
    double* into = gradient;
    if (gradient != nullptr && share > 0) {
      part.gradient.assign(static_cast<std::size_t>(sentences.weights), 0.0);
      into = part.gradient.data();
    }
    SentenceScorer scorer;
    Chart chart;
    ChartSums sums;
    for (std::int64_t i = begin + first; i < begin + last; ++i) {
      const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (weight == 0.0) continue;
      chart.best(*sentences.rules, sentences.words_of(i), scorer.of(sentences, i, weights, 1.0));
      double value = sums.run(chart, sentences, i, nullptr, 0);
      for (const Anchored& each : targets.truth(i)) {
        value -= sentences.score(i, each, weights);
        if (into != nullptr) sentences.visit_features(i, each, [&](std::int64_t at, double x) { into[at] -= weight * x; });
      }
      part.value += weight * value;
      if (into != nullptr) SentenceScorer::spread(sentences, i, sums.counts(), weight, into);
    }
  });
  double value = 0.0;
  for (const Part& part : parts) {
    value += part.value;
    kernels().axpy(1.0, part.gradient.data(), gradient, std::ssize(part.gradient));
  }
  return value;
}

}  // namespace maxmargin::grammars
