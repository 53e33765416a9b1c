#include "maxmargin/rows/products.hpp"

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kAhead = 8;

std::int64_t row_at(std::span<const std::int32_t> examples, std::int64_t m) {
  return examples.empty() ? m : examples[static_cast<std::size_t>(m)];
}

}  // namespace

void row_products(const Rows& rows, const double* weights, std::span<const std::int32_t> examples, std::span<double> out, int threads) {
  in_parallel(static_cast<std::int64_t>(out.size()), threads, [&](int, std::int64_t begin, std::int64_t end) {
    const auto row_dot = kernels().fine.row_dot;
    for (std::int64_t m = begin; m < end; ++m) {
      if (!examples.empty() && m + kAhead < end) rows.prefetch(row_at(examples, m + kAhead));
      out[static_cast<std::size_t>(m)] = row_dot(rows[row_at(examples, m)], weights);
    }
  });
}

std::vector<double> combine_rows(const Rows& rows, std::span<const double> coefficient, std::span<const std::int32_t> examples, int threads) {
  const auto count = static_cast<std::int64_t>(coefficient.size());
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(thread_count(count, threads)));
  in_parallel(count, threads, [&](int thread, std::int64_t begin, std::int64_t end) {
    std::vector<double>& sum = parts[static_cast<std::size_t>(thread)];
    sum.assign(static_cast<std::size_t>(rows.columns()), 0.0);
    const auto row_axpy = kernels().fine.row_axpy;
    for (std::int64_t m = begin; m < end; ++m) {
      const double c = coefficient[static_cast<std::size_t>(m)];
      if (c != 0.0) row_axpy(rows.stored(row_at(examples, m)), c, sum.data());
    }
  });
  for (std::size_t share = 1; share < parts.size(); ++share) kernels().axpy(1.0, parts[share].data(), parts.front().data(), rows.columns());
  return std::move(parts.front());
}

}  // namespace maxmargin
