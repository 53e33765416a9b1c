// A sum over examples and its gradient, by threads.
#pragma once

#include <cstdint>
#include <vector>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

// The sum of work(first, last, into) over parts of the examples begin .. end - 1, one part per thread. `work` adds the gradient of its
// part to `into`, `weights` numbers: `gradient` itself for the first part, which may be null where none is wanted, else numbers of the
// thread's own that are added to it in the end.
template <class Work>
double summed_with_gradient(std::int64_t begin, std::int64_t end, int threads, std::int64_t weights, double* gradient, Work&& work) {
  struct Part {
    double value = 0.0;
    std::vector<double> gradient;
  };
  std::vector<Part> parts(static_cast<std::size_t>(thread_count(end - begin, threads)));
  in_parallel(end - begin, threads, [&](int number, std::int64_t first, std::int64_t last) {
    Part& part = parts[static_cast<std::size_t>(number)];
    double* into = gradient;
    if (gradient != nullptr && number > 0) {
      part.gradient.assign(static_cast<std::size_t>(weights), 0.0);
      into = part.gradient.data();
    }
    part.value = work(begin + first, begin + last, into);
  });
  double value = 0.0;
  for (const Part& part : parts) {
    value += part.value;
    kernels().axpy(1.0, part.gradient.data(), gradient, std::ssize(part.gradient));
  }
  return value;
}

// The same for single examples, each as often as its weight says: one = make() is of one thread, and one(i, weights, 1, into, c) answers f_i at the
// weights and adds c times its gradient to `into`, unless that is null.
template <class Make>
double summed_examples(std::int64_t begin, std::int64_t end, int threads, std::int64_t size, const double* weights, const double* sample_weight,
                       double* gradient, Make&& make) {
  return summed_with_gradient(begin, end, threads, size, gradient, [&](std::int64_t first, std::int64_t last, double* into) {
    auto one = make();
    double total = 0.0;
    for (std::int64_t i = first; i < last; ++i) {
      const double own = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (own != 0.0) total += own * one(i, weights, 1.0, into, own);
    }
    return total;
  });
}

}  // namespace maxmargin
