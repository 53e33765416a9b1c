#include "maxmargin/measures/binary_rows_oracle.hpp"

#include <algorithm>

#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

constexpr std::size_t kAhead = 8;

}  // namespace

void signed_slacks(const SignedData& data, const double* weights, std::span<double> slack, int threads) {
  in_shares(data.rows.n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) slack[static_cast<std::size_t>(i)] = std::max(0.0, data.value(i, weights));
  });
}

Cut signed_cut(const SignedData& data, const double* weights, const double* sample_weight, bool squared, std::span<double> slack, int threads) {
  std::vector<Cut> parts(static_cast<std::size_t>(share_count(data.rows.n, threads)));
  in_shares(data.rows.n, threads, [&](int share, std::int64_t begin, std::int64_t end) {
    Cut& part = parts[static_cast<std::size_t>(share)];
    part.a.assign(static_cast<std::size_t>(data.weight_count()), 0.0);
    const auto row_axpy = kernels().fine.row_axpy;
    for (std::int64_t i = begin; i < end; ++i) {
      const double xi = std::max(0.0, data.value(i, weights));
      slack[static_cast<std::size_t>(i)] = xi;
      const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (xi == 0.0 || weight == 0.0) continue;
      const CutTerm added = cut_term(1.0, data.margin, xi, weight, squared);
      part.b += added.b;
      row_axpy(data.rows[i], added.step * static_cast<double>(data.signs[i]), part.a.data());
    }
  });
  return add_up(std::move(parts));
}

std::int64_t signed_accumulate(const SignedData& data, double* v, double* late, std::span<const std::int32_t> examples,
                               const double* sample_weight, bool squared, std::int64_t first, std::int64_t done, double numerator) {
  const auto row_axpy = kernels().fine.row_axpy;
  std::int64_t added = 0;
  for (std::size_t at = 0; at < examples.size(); ++at) {
    if (at + kAhead < examples.size()) data.rows.prefetch(examples[at + kAhead]);
    const std::int64_t i = examples[at], step_number = done + static_cast<std::int64_t>(at);
    // w before step t + 1 is numerator / t times the sum of the first t planes; at t = 0 both are zero.
    const double factor = numerator == 0.0 ? 1.0 : numerator / static_cast<double>(std::max<std::int64_t>(1, first + step_number));
    const double value = data.margin - factor * (data.margin - data.value(i, v));
    const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
    if (weight == 0.0 || data.squared_norms[i] == 0.0 || (numerator == 0.0 ? value < 0.0 : value <= 0.0)) continue;  // for the perceptron a tie is a mistake
    const double step = cut_term(1.0, data.margin, value, weight, squared).step * static_cast<double>(data.signs[i]);
    row_axpy(data.rows[i], step, v);
    row_axpy(data.rows[i], static_cast<double>(step_number + 1) * step, late);
    ++added;
  }
  return added;
}

}  // namespace maxmargin
