#include "maxmargin/programs/likelihood.hpp"

#include <vector>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/programs/lane_sums.hpp"
#include "maxmargin/simd/kernels.hpp"

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

}  // namespace

double program_likelihood(const ProgramTargets& targets, const double* weights, const double* sample_weight, std::int64_t begin,
                          std::int64_t end, double* gradient, int threads) {
  struct Part {
    double value = 0.0;
    std::vector<double> gradient;
  };
  std::vector<Part> parts(static_cast<std::size_t>(thread_count(end - begin, threads)));
  in_parallel(end - begin, threads, [&](int number, std::int64_t first, std::int64_t last) {
    Part& part = parts[static_cast<std::size_t>(number)];
    double* into = gradient;
    if (gradient != nullptr && number > 0) {
      part.gradient.assign(static_cast<std::size_t>(targets.set->weights), 0.0);
      into = part.gradient.data();
    }
    Share share{targets, weights, sample_weight, into};
    std::vector<std::int64_t> examples;
    for (std::int64_t i = begin + first; i < begin + last; ++i) {
      if (share.weight(i) != 0.0) examples.push_back(i);
    }
    sums_of_examples(share, examples);
    part.value = share.value;
  });
  double value = 0.0;
  for (const Part& part : parts) {
    value += part.value;
    kernels().axpy(1.0, part.gradient.data(), gradient, std::ssize(part.gradient));
  }
  return value;
}

}  // namespace maxmargin::programs
