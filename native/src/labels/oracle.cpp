#include "maxmargin/labels/oracle.hpp"

#include <algorithm>
#include <numeric>

#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

// The most violated vector of one example after the other, and what its plane amounts to.
class Asker {
 public:
  Asker(const LabelProblem& problem, std::int64_t examples)
      : problem_(problem),
        scorer_(*problem.data),
        searcher_(problem.patient_searcher(examples)),
        planes_(problem),
        labels(static_cast<std::size_t>(problem.data->shape.labels)) {}

  // False where the truth is the answer.
  bool ask(std::int64_t i, const double* weights, double factor = 1.0) {
    const LabelScores scores = scorer_.open(i, weights, factor);
    const std::uint8_t* truth = problem_.data->truth(i);
    if (!searcher_.find(scores, truth, labels.data())) return false;
    const Rescaled plane = rescaled(*problem_.loss, truth, labels.data(), problem_.data->shape.labels);
    b = plane.b;
    slack = plane.b - plane.scale * (scores(truth) - scores(labels.data()));
    return true;
  }
  // v += c * a of the vector found last, which is that of example i.
  void add(std::int64_t i, double c, double* v) {
    planes_.collect(i, make_label_plane(*problem_.data, *problem_.loss, i, labels.data()), c);
    planes_.flush(i, v);
  }
  std::int64_t missed() const { return searcher_.missed(); }

 private:
  LabelProblem problem_;
  LabelScorer scorer_;
  LabelSearcher searcher_;
  LabelPlanes planes_;

 public:
  std::vector<std::uint8_t> labels;
  double b = 0.0, slack = 0.0;
};

std::int64_t sum(const std::vector<std::int64_t>& parts) { return std::accumulate(parts.begin(), parts.end(), std::int64_t{0}); }

}  // namespace

std::int64_t label_worst(const LabelProblem& problem, const double* weights, std::span<const std::int32_t> examples,
                         std::span<double> slack, std::span<std::uint8_t> labels, int threads) {
  const auto count = static_cast<std::int64_t>(examples.size());
  const int width = problem.data->shape.labels;
  std::vector<std::int64_t> missed(static_cast<std::size_t>(share_count(count, threads)));
  in_shares(count, threads, [&](int share, std::int64_t begin, std::int64_t end) {
    Asker asker(problem, end - begin);
    for (std::int64_t m = begin; m < end; ++m) {
      const std::int64_t i = examples[static_cast<std::size_t>(m)];
      const bool found = asker.ask(i, weights) && asker.slack > 0.0;
      slack[static_cast<std::size_t>(m)] = found ? asker.slack : 0.0;
      if (!labels.empty()) std::copy_n(found ? asker.labels.data() : problem.data->truth(i), width, labels.data() + m * width);
    }
    missed[static_cast<std::size_t>(share)] = asker.missed();
  });
  return sum(missed);
}

Cut label_cut(const LabelProblem& problem, const double* weights, std::span<const std::int32_t> examples, const double* sample_weight,
              bool squared, std::span<double> slack, int threads, std::int64_t& missed) {
  const auto count = static_cast<std::int64_t>(examples.size());
  std::vector<Cut> parts(static_cast<std::size_t>(share_count(count, threads)));
  std::vector<std::int64_t> given_up(parts.size());
  in_shares(count, threads, [&](int share, std::int64_t begin, std::int64_t end) {
    Cut& part = parts[static_cast<std::size_t>(share)];
    part.a.assign(static_cast<std::size_t>(problem.data->shape.weight_count()), 0.0);
    Asker asker(problem, end - begin);
    for (std::int64_t m = begin; m < end; ++m) {
      const std::int64_t i = examples[static_cast<std::size_t>(m)];
      const bool found = asker.ask(i, weights) && asker.slack > 0.0;
      slack[static_cast<std::size_t>(m)] = found ? asker.slack : 0.0;
      const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (!found || weight == 0.0) continue;
      const CutTerm added = cut_term(1.0, asker.b, asker.slack, weight, squared);
      part.b += added.b;
      asker.add(i, added.step, part.a.data());
    }
    given_up[static_cast<std::size_t>(share)] = asker.missed();
  });
  missed = sum(given_up);
  return add_up(std::move(parts));
}

std::int64_t label_accumulate(const LabelProblem& problem, double* v, double* late, std::span<const std::int32_t> examples,
                              const double* sample_weight, bool squared, std::int64_t first, std::int64_t done, double numerator) {
  Asker asker(problem, 0);
  std::int64_t added = 0;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(examples.size()); ++at) {
    const std::int64_t i = examples[static_cast<std::size_t>(at)];
    // w before step t + 1 is numerator / t times the sum of the first t planes; at t = 0 both are zero.
    const double factor = numerator == 0.0 ? 1.0 : numerator / static_cast<double>(std::max<std::int64_t>(1, first + done + at));
    const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
    if (weight == 0.0 || !asker.ask(i, v, factor) || (problem.loss->goal != LabelGoal::prediction && asker.slack <= 0.0)) continue;
    const double step = cut_term(1.0, asker.b, asker.slack, weight, squared).step;
    asker.add(i, step, v);
    asker.add(i, static_cast<double>(done + at + 1) * step, late);
    ++added;
  }
  return added;
}

std::int64_t label_decode(const LabelProblem& problem, const double* weights, std::span<std::uint8_t> labels, int threads) {
  const std::int64_t n = problem.data->rows.n;
  const int width = problem.data->shape.labels;
  std::vector<std::int64_t> missed(static_cast<std::size_t>(share_count(n, threads)));
  in_shares(n, threads, [&](int share, std::int64_t begin, std::int64_t end) {
    LabelScorer scorer(*problem.data);
    LabelSearcher searcher = problem.patient_searcher(end - begin);
    for (std::int64_t i = begin; i < end; ++i) searcher.best(scorer.open(i, weights), labels.data() + i * width);
    missed[static_cast<std::size_t>(share)] = searcher.missed();
  });
  return sum(missed);
}

void label_decode_lists(const LabelProblem& problem, const double* weights, int k, std::span<std::uint8_t> labels,
                        std::span<double> scores, int threads) {
  const std::int64_t n = problem.data->rows.n;
  const int width = problem.data->shape.labels;
  in_shares(n, threads, [&](int, std::int64_t begin, std::int64_t end) {
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
  std::vector<std::int64_t> missed(static_cast<std::size_t>(share_count(n, threads)));
  in_shares(n, threads, [&](int share, std::int64_t begin, std::int64_t end) {
    LabelScorer scorer(*problem.data);
    LabelSearcher searcher = problem.patient_searcher(end - begin);
    for (std::int64_t i = begin; i < end; ++i) searcher.margins(scorer.open(i, weights), margins.data() + i * width);
    missed[static_cast<std::size_t>(share)] = searcher.missed();
  });
  return sum(missed);
}

}  // namespace maxmargin
