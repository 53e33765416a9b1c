// Questions about many examples, written once for all structures: the slacks at a fixed w, the summed plane of the 1-slack
// form, and online passes. What a structure supplies is an asker, which finds the most violated output of one example after
// the other. Examples are divided among threads in fixed parts, so a result depends on the number of threads, not on timing.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

//   Output             an output is a list of these: the number of a class, the labels of a sequence
//   kAhead             `prefetch` is called for the example so many places further on; 0: never
//   kCollects          w is long and a plane touches little of it: threads collect outputs, and one thread adds their planes, so
//                      that no vector of the length of w is needed for each
//   at(w, factor)      from now on questions are asked at factor * w; to be called again when w has changed
//   ask(i)             finds the most violated output of example i; false where that is the truth. Its slack may be zero.
//   ask_first(i)       the same, but among outputs of equal value, the truth being one of them, it finds the one that a prediction
//                      would be
//   found(), truth(i)  the output found last, and that of an example
//   slack, b, scale    of the plane of the output found last: b - <a, w>, b, and r in a = r psi
//   add(i, y, c, v)    v += c psi of an output of example i, which is the one asked about last unless the asker collects
//   missed()           how many searches gave up: then a slack may be too small
template <class A>
concept Asker = requires(A asker, const A& seen, std::int64_t i, const double* w, double c, double* v, const typename A::Output* y) {
  { A::kAhead } -> std::convertible_to<int>;
  { A::kCollects } -> std::convertible_to<bool>;
  { seen.weight_count() } -> std::same_as<std::int64_t>;
  { seen.prefetch(i) } -> std::same_as<void>;
  { asker.at(w, c) } -> std::same_as<void>;
  { asker.ask(i) } -> std::same_as<bool>;
  { asker.ask_first(i) } -> std::same_as<bool>;
  { seen.found() } -> std::same_as<std::span<const typename A::Output>>;
  { seen.truth(i) } -> std::same_as<std::span<const typename A::Output>>;
  { seen.slack } -> std::convertible_to<double>;
  { seen.b } -> std::convertible_to<double>;
  { seen.scale } -> std::convertible_to<double>;
  { asker.add(i, y, c, v) } -> std::same_as<void>;
  { seen.missed() } -> std::same_as<std::int64_t>;
};

// `Make` gives an asker for a pass over so many examples.
template <class Make>
using AskerOf = std::invoke_result_t<const Make&, std::int64_t>;
template <class Make>
concept MakesAskers = Asker<AskerOf<Make>>;

template <class Output>
struct Worst {
  std::vector<double> slack;    // max(0, max_y b - <a, w>) of each example
  std::vector<Output> outputs;  // those that attain it, one after the other; the truth where it is zero
  std::int64_t missed = 0;
};

// What a plane (scale psi, b) of slack xi > 0 adds to a weighted sum: its factor on psi, and its share of b. For squared
// slack it is the plane of xi^2 / 2 at the present w.
struct CutTerm {
  double step = 0.0, b = 0.0;
};
inline CutTerm cut_term(double scale, double b, double xi, double weight, bool squared) {
  if (squared) return {weight * xi * scale, weight * (xi * b - 0.5 * xi * xi)};
  return {weight * scale, weight * b};
}

struct CutSums {
  double b = 0.0;
  std::vector<double> slack;
  std::int64_t missed = 0;
};

// An online pass starts after `done` steps; see ask_accumulate.
struct OnlinePass {
  std::int64_t first = 0, done = 0;
  double numerator = 0.0;
};

template <Asker A>
void look_ahead(const A& asker, std::span<const std::int32_t> examples, std::int64_t at) {
  if constexpr (A::kAhead > 0) {
    if (at + A::kAhead < std::ssize(examples)) asker.prefetch(examples[static_cast<std::size_t>(at + A::kAhead)]);
  }
}

// Outputs are left out where they are not wanted.
template <MakesAskers Make>
auto ask_worst(const Make& make, const double* weights, std::span<const std::int32_t> examples, bool want_outputs, int threads) {
  using Output = typename AskerOf<Make>::Output;
  const std::int64_t count = std::ssize(examples);
  Worst<Output> worst{std::vector<double>(examples.size()), {}, 0};
  std::vector<Worst<Output>> parts(static_cast<std::size_t>(thread_count(count, threads)));
  in_parallel(count, threads, [&](int thread, std::int64_t begin, std::int64_t end) {
    Worst<Output>& part = parts[static_cast<std::size_t>(thread)];
    auto asker = make(end - begin);
    asker.at(weights, 1.0);
    for (std::int64_t at = begin; at < end; ++at) {
      look_ahead(asker, examples, at);
      const std::int64_t i = examples[static_cast<std::size_t>(at)];
      const bool violated = asker.ask(i) && asker.slack > 0.0;
      worst.slack[static_cast<std::size_t>(at)] = violated ? asker.slack : 0.0;
      if (!want_outputs) continue;
      const std::span<const Output> output = violated ? asker.found() : asker.truth(i);
      part.outputs.insert(part.outputs.end(), output.begin(), output.end());
    }
    part.missed = asker.missed();
  });
  for (Worst<Output>& part : parts) {
    worst.missed += part.missed;
    if (worst.outputs.empty()) {
      worst.outputs = std::move(part.outputs);
    } else {
      worst.outputs.insert(worst.outputs.end(), part.outputs.begin(), part.outputs.end());
    }
  }
  return worst;
}

// Adds to `into` the sum over the examples of weight * a of the most violated plane; for squared slack the plane of slack^2 / 2.
template <MakesAskers Make>
CutSums ask_cut(const Make& make, const double* weights, std::span<const std::int32_t> examples, const double* sample_weight,
                bool squared, double* into, int threads) {
  using A = AskerOf<Make>;
  struct Found {
    std::int64_t example;
    CutTerm term;
    std::size_t first;  // of its output
  };
  struct Part {
    double b = 0.0;
    std::vector<double> a;
    std::vector<Found> found;
    std::vector<typename A::Output> outputs;
    std::int64_t missed = 0;
  };
  const std::int64_t count = std::ssize(examples);
  CutSums sums{0.0, std::vector<double>(examples.size()), 0};
  std::vector<Part> parts(static_cast<std::size_t>(thread_count(count, threads)));
  in_parallel(count, threads, [&](int thread, std::int64_t begin, std::int64_t end) {
    Part& part = parts[static_cast<std::size_t>(thread)];
    A asker = make(end - begin);
    asker.at(weights, 1.0);
    const bool collects = A::kCollects && thread > 0;
    if (thread > 0 && !collects) part.a.assign(static_cast<std::size_t>(asker.weight_count()), 0.0);
    double* sum = thread > 0 ? part.a.data() : into;
    for (std::int64_t at = begin; at < end; ++at) {
      look_ahead(asker, examples, at);
      const std::int64_t i = examples[static_cast<std::size_t>(at)];
      const bool violated = asker.ask(i) && asker.slack > 0.0;
      sums.slack[static_cast<std::size_t>(at)] = violated ? asker.slack : 0.0;
      const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (!violated || weight == 0.0) continue;
      const CutTerm term = cut_term(asker.scale, asker.b, asker.slack, weight, squared);
      const std::span<const typename A::Output> output = asker.found();
      if (collects) {
        part.found.push_back({i, term, part.outputs.size()});
        part.outputs.insert(part.outputs.end(), output.begin(), output.end());
      } else {
        part.b += term.b;
        asker.add(i, output.data(), term.step, sum);
      }
    }
    part.missed = asker.missed();
  });
  for (const Part& part : parts) {
    sums.b += part.b;
    sums.missed += part.missed;
    kernels().axpy(1.0, part.a.data(), into, std::ssize(part.a));
    if (part.found.empty()) continue;
    A asker = make(0);
    for (const Found& found : part.found) {
      sums.b += found.term.b;
      asker.add(found.example, part.outputs.data() + found.first, found.term.step, into);
    }
  }
  return sums;
}

// Online pass: v += weight * a for the most violated plane of each example in turn, found at w = numerator / t * v with t
// counting on from first + done (the subgradient steps of Pegasos), or at w = v where the numerator is zero (the perceptron).
// late += k weight * a with k counting on from done + 1. Returns the number of planes added.
//
// The perceptron makes a step wherever the prediction is not the truth. Where the truth has the highest score and shares it with
// other outputs, the prediction decides, as `predict` would: the first of the classes, no positive row at a score of zero, for
// sequences and label vectors what their search finds.
template <MakesAskers Make>
std::int64_t ask_accumulate(const Make& make, double* v, double* late, std::span<const std::int32_t> examples,
                            const double* sample_weight, bool squared, const OnlinePass& pass) {
  auto asker = make(0);
  const bool perceptron = pass.numerator == 0.0;
  std::int64_t added = 0;
  for (std::int64_t at = 0; at < std::ssize(examples); ++at) {
    look_ahead(asker, examples, at);
    const std::int64_t i = examples[static_cast<std::size_t>(at)], step_number = pass.done + at;
    const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
    if (weight == 0.0) continue;
    // w before step t + 1 is numerator / t times the sum of the first t planes; at t = 0 both are zero.
    asker.at(v, perceptron ? 1.0 : pass.numerator / static_cast<double>(std::max<std::int64_t>(1, pass.first + step_number)));
    if (!asker.ask_first(i) || (!perceptron && asker.slack <= 0.0)) continue;
    const double step = cut_term(asker.scale, asker.b, asker.slack, weight, squared).step;
    const std::span<const typename AskerOf<Make>::Output> output = asker.found();
    asker.add(i, output.data(), step, v);
    asker.add(i, output.data(), static_cast<double>(step_number + 1) * step, late);
    ++added;
  }
  return added;
}

}  // namespace maxmargin
