#include "maxmargin/grammars/likelihood.hpp"

#include "maxmargin/engine/summed_gradient.hpp"
#include "maxmargin/grammars/sums.hpp"

namespace maxmargin::grammars {
namespace {

class TreeLikelihood {  // keeps its memory from one sentence to the next
 public:
  explicit TreeLikelihood(const TreeTargets& targets) : targets_(targets) {}

  // The negative log-likelihood of tree i at factor * w; adds c times its gradient to `into`, which may be w itself, or null.
  double operator()(std::int64_t i, const double* w, double factor, double* into, double c) {
    const Sentences& sentences = *targets_.sentences;
    chart_.best(*sentences.rules, sentences.words_of(i), scorer_.of(sentences, i, w, factor));
    double value = sums_.run(chart_, sentences, i, nullptr);
    for (const Anchored& each : targets_.truth(i)) value -= factor * sentences.score(i, each, w);
    if (into == nullptr) return value;
    for (const Anchored& each : targets_.truth(i)) sentences.visit_features(i, each, [&](std::int64_t at, double x) { into[at] -= c * x; });
    SentenceScorer::spread(sentences, i, sums_.counts(), c, into);
    return value;
  }

 private:
  const TreeTargets& targets_;
  SentenceScorer scorer_;
  Chart chart_;
  ChartSums sums_;
};

}  // namespace

double tree_likelihood(const TreeTargets& targets, const double* weights, const double* sample_weight, std::int64_t begin, std::int64_t end, double* gradient,
                       int threads) {
  return summed_examples(begin, end, threads, targets.sentences->weights, weights, sample_weight, gradient, [&] { return TreeLikelihood(targets); });
}

double descend_trees(const TreeTargets& targets, const double* sample_weight, std::span<const std::int32_t> order, const StepSizes& sizes, ScaledWeights& weights) {
  return descend(order, sample_weight, sizes, weights, TreeLikelihood(targets));
}

}  // namespace maxmargin::grammars
