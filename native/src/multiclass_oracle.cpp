#include "maxmargin/multiclass_oracle.hpp"

#include <algorithm>

#include "maxmargin/shares.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kAhead = 4;

CutTerm term(const MulticlassData& data, int truth, int worst, double xi, double weight, bool squared) {
  const std::int64_t cell = truth * data.stride() + worst;
  return cut_term(data.scale[cell], data.margin[cell], xi, weight, squared);
}

// Adds x in the truth's columns and takes it from those of `worst`; `coefficient` is zero before and after.
void add_pair(const MulticlassData& data, std::int64_t i, int truth, int worst, double step, double* weights,
              std::vector<double>& coefficient) {
  coefficient[static_cast<std::size_t>(truth)] = step;
  coefficient[static_cast<std::size_t>(worst)] = -step;
  row_update(data.rows[i], weights, data.stride(), coefficient.data());
  coefficient[static_cast<std::size_t>(truth)] = coefficient[static_cast<std::size_t>(worst)] = 0.0;
}

void prefetch(const MulticlassData& data, std::span<const std::int32_t> examples, std::int64_t at) {
  if (at + kAhead < static_cast<std::int64_t>(examples.size())) data.rows.prefetch(examples[static_cast<std::size_t>(at + kAhead)]);
}

}  // namespace

void multiclass_worst(const MulticlassData& data, const double* weights, std::span<const std::int32_t> examples,
                      std::span<double> slack, std::span<std::int32_t> output, int threads) {
  in_shares(static_cast<std::int64_t>(examples.size()), threads, [&](int, std::int64_t begin, std::int64_t end) {
    MulticlassBlock block(data);
    for (std::int64_t at = begin; at < end; ++at) {
      prefetch(data, examples, at);
      block.open(examples[static_cast<std::size_t>(at)], weights);
      const int worst = block.worst();
      slack[static_cast<std::size_t>(at)] = block.gradient(worst);
      if (!output.empty()) output[static_cast<std::size_t>(at)] = worst;
    }
  });
}

Cut multiclass_cut(const MulticlassData& data, const double* weights, std::span<const std::int32_t> examples,
                   const double* sample_weight, bool squared, std::span<double> slack, int threads) {
  const std::int64_t count = static_cast<std::int64_t>(examples.size());
  std::vector<Cut> parts(static_cast<std::size_t>(share_count(count, threads)));
  in_shares(count, threads, [&](int share, std::int64_t begin, std::int64_t end) {
    Cut& part = parts[static_cast<std::size_t>(share)];
    part.a.assign(static_cast<std::size_t>(data.weight_count()), 0.0);
    std::vector<double> coefficient(static_cast<std::size_t>(data.stride()));
    MulticlassBlock block(data);
    for (std::int64_t at = begin; at < end; ++at) {
      prefetch(data, examples, at);
      const std::int64_t i = examples[static_cast<std::size_t>(at)];
      block.open(i, weights);
      const int worst = block.worst(), truth = block.zero();
      const double xi = block.gradient(worst);
      slack[static_cast<std::size_t>(at)] = xi;
      const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (worst == truth || weight == 0.0) continue;
      const CutTerm added = term(data, truth, worst, xi, weight, squared);
      part.b += added.b;
      add_pair(data, i, truth, worst, added.step, part.a.data(), coefficient);
    }
  });
  return add_up(std::move(parts));
}

std::int64_t multiclass_accumulate(const MulticlassData& data, double* v, double* late,
                                   std::span<const std::int32_t> examples, const double* sample_weight, bool squared,
                                   std::int64_t first, std::int64_t done, double numerator) {
  MulticlassBlock block(data);
  std::vector<double> coefficient(static_cast<std::size_t>(data.stride()));
  std::int64_t added = 0;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(examples.size()); ++at) {
    prefetch(data, examples, at);
    const std::int64_t i = examples[static_cast<std::size_t>(at)];
    // w before step t + 1 is numerator / t times the sum of the first t planes; at t = 0 both are zero.
    const double factor = numerator == 0.0 ? 1.0 : numerator / static_cast<double>(std::max<std::int64_t>(1, first + done + at));
    block.open(i, v, true, factor);
    const int worst = block.rival(), truth = block.zero();
    const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
    const double value = block.gradient(worst);
    if (weight == 0.0 || data.squared_norms[i] == 0.0 || (numerator == 0.0 ? value < 0.0 : value <= 0.0)) continue;  // for the perceptron a tie is a mistake
    const double step = term(data, truth, worst, block.gradient(worst), weight, squared).step;
    add_pair(data, i, truth, worst, step, v, coefficient);
    add_pair(data, i, truth, worst, static_cast<double>(done + at + 1) * step, late, coefficient);
    ++added;
  }
  return added;
}

void multiclass_scores(const Rows& rows, const double* weights, std::int64_t classes, double* out, int threads) {
  const int stride = padded(classes);
  in_shares(rows.n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<double> scores(static_cast<std::size_t>(stride));
    for (std::int64_t i = begin; i < end; ++i) {
      row_scores(rows[i], weights, stride, scores.data());
      std::copy_n(scores.data(), classes, out + i * classes);
    }
  });
}

}  // namespace maxmargin
