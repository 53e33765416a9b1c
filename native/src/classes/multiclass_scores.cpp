#include "maxmargin/classes/multiclass_scores.hpp"

#include <algorithm>
#include <vector>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/rows/row_blocks.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kBlock = 64;  // rows at a time

}  // namespace

void multiclass_scores(const Rows& rows, const double* weights, std::int64_t classes, double* out, int threads) {
  const int stride = padded(classes);
  in_parallel(rows.n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<double> scores(static_cast<std::size_t>(kBlock * stride));
    for (std::int64_t from = begin; from < end; from += kBlock) {
      const std::int64_t n = std::min(kBlock, end - from);
      score_rows(rows, n, [from](std::int64_t r) { return from + r; }, weights, stride, scores.data());
      for (std::int64_t r = 0; r < n; ++r) std::copy_n(scores.data() + r * stride, classes, out + (from + r) * classes);
    }
  });
}

}  // namespace maxmargin
