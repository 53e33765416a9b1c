#include "maxmargin/programs/likelihood.hpp"

#include <vector>

#include "maxmargin/engine/summed_gradient.hpp"
#include "maxmargin/programs/lane_sums.hpp"

namespace maxmargin::programs {
namespace {

// The examples of one thread, for sums_of_examples.
struct Share {
  const ProgramTargets& targets;
  const double* weights;
  const double* sample_weight;
  double* gradient;  // null: not wanted
  double value = 0.0;
  std::vector<double> table{};

  double weight(std::int64_t i) const { return sample_weight == nullptr ? 1.0 : sample_weight[i]; }

  const Topology& topology(std::int64_t i) const { return targets.set->topology(i); }
  const double* scores(std::int64_t i, std::vector<double>& room) {
    targets.set->scores(i, weights, 1.0, room, table);
    return room.data();
  }
  double* marginals(std::int64_t i, std::vector<double>& room) const {
    if (gradient == nullptr) return nullptr;
    room.resize(static_cast<std::size_t>(topology(i).edges()));
    return room.data();
  }
  void found(std::int64_t i, const SumsOfInput& sums) {
    double more = sums.log_sum;
    for (const Edge edge : targets.truth(i)) {
      more -= sums.scores[edge];
      if (gradient != nullptr) sums.marginals[edge] -= 1.0;
    }
    value += weight(i) * more;
    if (gradient != nullptr) targets.set->add_all(i, sums.marginals, weight(i), gradient, table);
  }
};

// The same of one example after the other, at factor * w; adds c times the gradient to `into`, which may be w itself.
class ProgramLikelihood {  // keeps its memory
 public:
  explicit ProgramLikelihood(const ProgramTargets& targets) : targets_(targets) {}

  double operator()(std::int64_t i, const double* w, double factor, double* into, double c) {
    const ProgramSet& set = *targets_.set;
    set.scores(i, w, factor, scores_, table_);
    marginals_.resize(scores_.size());
    double value = set.topology(i).with_edges([&](const auto& program) {
      const double log_sum = sums_.run(program, scores_.data());
      sums_.marginals(program, marginals_);
      return log_sum;
    });
    for (const Edge edge : targets_.truth(i)) {
      value -= scores_[static_cast<std::size_t>(edge)];
      marginals_[static_cast<std::size_t>(edge)] -= 1.0;
    }
    set.add_all(i, marginals_.data(), c, into, table_);
    return value;
  }

 private:
  const ProgramTargets& targets_;
  Sums sums_;
  std::vector<double> scores_, marginals_, table_;
};

}  // namespace

double program_likelihood(const ProgramTargets& targets, const double* weights, const double* sample_weight, std::int64_t begin,
                          std::int64_t end, double* gradient, int threads) {
  return summed_with_gradient(begin, end, threads, targets.set->weights, gradient, [&](std::int64_t first, std::int64_t last, double* into) {
    Share share{targets, weights, sample_weight, into};
    std::vector<std::int64_t> examples;
    for (std::int64_t i = first; i < last; ++i) {
      if (share.weight(i) != 0.0) examples.push_back(i);
    }
    sums_of_examples(share, examples);
    return share.value;
  });
}

double descend_programs(const ProgramTargets& targets, const double* sample_weight, std::span<const std::int32_t> order, const StepSizes& sizes,
                        ScaledWeights& weights) {
  return descend(order, sample_weight, sizes, weights, ProgramLikelihood(targets));
}

}  // namespace maxmargin::programs
