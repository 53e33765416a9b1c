#include "maxmargin/classes/multiclass_scores.hpp"

#include <algorithm>
#include <vector>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {

void multiclass_scores(const Rows& rows, const double* weights, std::int64_t classes, double* out, int threads) {
  const int stride = padded(classes);
  in_parallel(rows.n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<double> scores(static_cast<std::size_t>(stride));
    for (std::int64_t i = begin; i < end; ++i) {
      row_scores(rows[i], weights, stride, scores.data());
      std::copy_n(scores.data(), classes, out + i * classes);
    }
  });
}

}  // namespace maxmargin
