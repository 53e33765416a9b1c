#include "maxmargin/programs/likelihood.hpp"

#include <vector>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/programs/sums.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::programs {

double program_likelihood(const ProgramTargets& targets, const double* weights, const double* sample_weight, std::int64_t begin,
                          std::int64_t end, double* gradient, int threads) {
  const ProgramSet& set = *targets.set;
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
    Sums sums;
    std::vector<double> scores, room, used;
    for (std::int64_t i = begin + first; i < begin + last; ++i) {
      const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (weight == 0.0) continue;
      set.scores(i, weights, 1.0, scores, room);
      used.resize(scores.size());
      double value = set.topology(i).with_edges([&](const auto& program) {
        const double log_sum = sums.run(program, scores.data());
        if (into != nullptr) sums.marginals(program, used);
        return log_sum;
      });
      for (const Edge edge : targets.truth(i)) {
        value -= scores[static_cast<std::size_t>(edge)];
        used[static_cast<std::size_t>(edge)] -= 1.0;
      }
      part.value += weight * value;
      if (into != nullptr) set.add_all(i, used.data(), weight, into, room);
    }
  });
  double value = 0.0;
  for (const Part& part : parts) {
    value += part.value;
    kernels().axpy(1.0, part.gradient.data(), gradient, std::ssize(part.gradient));
  }
  return value;
}

}  // namespace maxmargin::programs
