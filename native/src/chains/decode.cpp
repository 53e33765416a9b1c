#include "maxmargin/chains/decode.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "maxmargin/chains/best_by_loss.hpp"
#include "maxmargin/chains/kbest.hpp"
#include "maxmargin/chains/limits.hpp"
#include "maxmargin/chains/scores.hpp"
#include "maxmargin/chains/semirings.hpp"
#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {

LargestSearch largest_search(const ChainData& data, const ChainLoss& loss) {
  LargestSearch largest;
  if (loss.search != ChainSearch::by_loss) return largest;
  const int labels = data.shape.labels;
  auto most = [&](std::int32_t row) { return *std::max_element(loss.units + row * labels, loss.units + (row + 1) * labels); };
  for (std::int64_t i = 0; i < data.n; ++i) {
    const int length = data.length(i);
    int losses = 1;
    for (int t = 0; t < length; ++t) losses += most(loss.rows_of(data, i)[t]);
    const std::int64_t states = data.shape.power(std::min(length, data.shape.order));
    const std::int64_t bytes = ByLossRoom(states, losses, length, sizeof(double)).bytes(sizeof(double));
    if (bytes > largest.bytes) largest = {i, bytes};
  }
  return largest;
}

template <class Real>
std::int64_t chain_decode(const ChainData& data, const Real* weights, const ChainLimits& limits, int k, std::span<std::int32_t> labels,
                          std::span<double> scores, int threads) {
  const std::int64_t tokens = data.offsets[data.n];
  std::atomic<std::int64_t> impossible{data.n};
  in_parallel(data.n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    ChainScores<Real> scorer(data);
    scorer.read_steps(weights);
    LimitedTrellis<Real> limited(data, limits);
    BestPath<Real> best;
    BestPaths<Real> paths;
    for (std::int64_t i = begin; i < end; ++i) {
      double* score = scores.data() + i * k;
      if (data.length(i) == 0) {  // one labelling, which is empty
        std::fill(score + 1, score + k, -std::numeric_limits<double>::infinity());
        continue;
      }
      const Trellis<Real> trellis = limited.apply(i, scorer.open(i, weights));
      std::int32_t* into = labels.data() + data.offsets[i];
      if (k == 1) {
        best.run(trellis);
        score[0] = best.path(into);
      } else {
        paths.run(trellis);
        for (int rank = 0; rank < k; ++rank) score[rank] = paths.path(rank, into + rank * tokens);
      }
      if (score[0] == -std::numeric_limits<double>::infinity()) {
        std::int64_t first = impossible.load();
        while (i < first && !impossible.compare_exchange_weak(first, i)) {
        }
      }
    }
  });
  return impossible.load() == data.n ? -1 : impossible.load();
}

template std::int64_t chain_decode<double>(const ChainData&, const double*, const ChainLimits&, int, std::span<std::int32_t>,
                                           std::span<double>, int);
template std::int64_t chain_decode<float>(const ChainData&, const float*, const ChainLimits&, int, std::span<std::int32_t>,
                                          std::span<double>, int);

}  // namespace maxmargin
