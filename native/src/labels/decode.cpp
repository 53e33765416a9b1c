#include "maxmargin/labels/decode.hpp"

#include <numeric>

#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

std::int64_t sum(const std::vector<std::int64_t>& parts) { return std::accumulate(parts.begin(), parts.end(), std::int64_t{0}); }

}  // namespace

std::int64_t label_decode(const LabelProblem& problem, const double* weights, std::span<std::uint8_t> labels, int threads) {
  const std::int64_t n = problem.data->rows.n;
  const int width = problem.data->shape.labels;
  std::vector<std::int64_t> missed(static_cast<std::size_t>(thread_count(n, threads)));
  in_parallel(n, threads, [&](int thread, std::int64_t begin, std::int64_t end) {
    LabelScorer scorer(*problem.data);
    LabelSearcher searcher = problem.patient_searcher(end - begin);
    for (std::int64_t i = begin; i < end; ++i) searcher.best(scorer.open(i, weights), labels.data() + i * width);
    missed[static_cast<std::size_t>(thread)] = searcher.missed();
  });
  return sum(missed);
}

void label_decode_lists(const LabelProblem& problem, const double* weights, int k, std::span<std::uint8_t> labels,
                        std::span<double> scores, int threads) {
  const std::int64_t n = problem.data->rows.n;
  const int width = problem.data->shape.labels;
  in_parallel(n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    LabelScorer scorer(*problem.data);
    BestLabelLists lists(*problem.forest, k);
    LabelList all(problem.data->shape);
    for (std::int64_t i = begin; i < end; ++i) {
      const LabelScores opened = scorer.open(i, weights);
      if (problem.method == LabelMethod::forest) {
        lists.run(opened);
      } else {
        all.run(opened);
        all.rank(k);
      }
      for (int rank = 0; rank < k; ++rank) {
        std::uint8_t* into = labels.data() + (rank * n + i) * width;
        scores[static_cast<std::size_t>(i * k + rank)] = problem.method == LabelMethod::forest ? lists.labels(rank, into) : all.ranked(rank, into);
      }
    }
  });
}

std::int64_t label_margins(const LabelProblem& problem, const double* weights, std::span<double> margins, int threads) {
  const std::int64_t n = problem.data->rows.n;
  const int width = problem.data->shape.labels;
  std::vector<std::int64_t> missed(static_cast<std::size_t>(thread_count(n, threads)));
  in_parallel(n, threads, [&](int thread, std::int64_t begin, std::int64_t end) {
    LabelScorer scorer(*problem.data);
    LabelSearcher searcher = problem.patient_searcher(end - begin);
    for (std::int64_t i = begin; i < end; ++i) searcher.margins(scorer.open(i, weights), margins.data() + i * width);
    missed[static_cast<std::size_t>(thread)] = searcher.missed();
  });
  return sum(missed);
}

}  // namespace maxmargin
