#include "maxmargin/classes/multiclass_scores.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/rows/row_blocks.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kBlock = 64;  // rows at a time

}  // namespace

void multiclass_scores(const Rows& rows, const double* weights, std::int64_t classes, std::span<const std::int32_t> examples,
                       std::span<double> out, int threads) {
  const int stride = padded(classes);
  in_parallel(std::ssize(out) / classes, threads, [&](int, std::int64_t begin, std::int64_t end) {
    const auto row_at = [&](std::int64_t m) { return examples.empty() ? m : examples[static_cast<std::size_t>(m)]; };
    std::vector<double> scores(static_cast<std::size_t>(kBlock * stride));
    for (std::int64_t from = begin; from < end; from += kBlock) {
      const std::int64_t n = std::min(kBlock, end - from);
      score_rows(rows, n, [&](std::int64_t r) { return row_at(from + r); }, weights, stride, scores.data());
      for (std::int64_t r = 0; r < n; ++r) std::copy_n(scores.data() + r * stride, classes, out.data() + (from + r) * classes);
    }
  });
}

}  // namespace maxmargin
