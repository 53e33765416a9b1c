#include "maxmargin/chains/oracle.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "maxmargin/chains/best_by_loss.hpp"
#include "maxmargin/chains/limits.hpp"
#include "maxmargin/chains/planes.hpp"
#include "maxmargin/chains/scores.hpp"
#include "maxmargin/chains/search.hpp"
#include "maxmargin/chains/semirings.hpp"
#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

// The most violated output of one sequence after the other, and what its plane amounts to.
class Asker {
 public:
  Asker(const ChainData& data, const ChainLoss& loss) : data_(data), loss_(loss), scorer_(data), searcher_(loss) {}

  void read_steps(const double* weights, double factor = 1.0) { scorer_.read_steps(weights, factor); }

  // False where the truth is the answer.
  bool ask(std::int64_t i, const double* weights) {
    const Trellis<double>& trellis = scorer_.open(i, weights);
    const std::int32_t* truth = data_.truth(i);
    if (!searcher_.find(trellis, truth, loss_.rows_of(data_, i), labels)) return false;
    rescaling = rescaled(loss_, data_.shape.labels, loss_.rows_of(data_, i), labels.data(), trellis.length);
    slack = rescaling.b - rescaling.scale * (path_score(trellis, truth) - path_score(trellis, labels.data()));
    return true;
  }

  std::vector<std::int32_t> labels;
  Rescaled rescaling;
  double slack = 0.0;

 private:
  const ChainData& data_;
  const ChainLoss& loss_;
  ChainScores<double> scorer_;
  ChainSearcher<double> searcher_;
};

// v += c * a of outputs, one sequence at a time.
class Adder {
 public:
  Adder(const ChainData& data, const ChainLoss& loss) : data_(data), loss_(loss), planes_(data, loss) {}

  void add(std::int64_t i, const std::int32_t* labels, double c, double* v) {
    planes_.collect(i, make_chain_plane(data_, loss_, i, labels), c);
    planes_.flush(i, v);
  }

 private:
  const ChainData& data_;
  const ChainLoss& loss_;
  ChainPlanes planes_;
};

}  // namespace

void chain_worst(const ChainData& data, const ChainLoss& loss, const double* weights, std::span<const std::int32_t> examples,
                 std::span<double> slack, std::span<std::int32_t> labels, int threads) {
  std::vector<std::int64_t> place(examples.size() + 1);
  for (std::size_t at = 0; at < examples.size(); ++at) place[at + 1] = place[at] + data.length(examples[at]);
  in_shares(static_cast<std::int64_t>(examples.size()), threads, [&](int, std::int64_t begin, std::int64_t end) {
    Asker asker(data, loss);
    asker.read_steps(weights);
    for (std::int64_t m = begin; m < end; ++m) {
      const auto at = static_cast<std::size_t>(m);
      const std::int64_t i = examples[at];
      const bool found = asker.ask(i, weights) && asker.slack > 0.0;
      slack[at] = found ? asker.slack : 0.0;
      if (!labels.empty()) std::copy_n(found ? asker.labels.data() : data.truth(i), data.length(i), labels.data() + place[at]);
    }
  });
}

double chain_cut(const ChainData& data, const ChainLoss& loss, const double* weights, std::span<const std::int32_t> examples,
                 const double* sample_weight, bool squared, std::span<double> slack, double* into, int threads) {
  struct Found {
    std::int64_t example;
    CutTerm term;
    std::size_t first;  // of its labels
  };
  struct Share {
    std::vector<Found> found;
    std::vector<std::int32_t> labels;
  };
  const auto count = static_cast<std::int64_t>(examples.size());
  std::vector<Share> shares(static_cast<std::size_t>(share_count(count, threads)));
  in_shares(count, threads, [&](int number, std::int64_t begin, std::int64_t end) {
    Share& share = shares[static_cast<std::size_t>(number)];
    Asker asker(data, loss);
    asker.read_steps(weights);
    for (std::int64_t m = begin; m < end; ++m) {
      const std::int64_t i = examples[static_cast<std::size_t>(m)];
      const bool found = asker.ask(i, weights) && asker.slack > 0.0;
      slack[static_cast<std::size_t>(m)] = found ? asker.slack : 0.0;
      const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
      if (!found || weight == 0.0) continue;
      share.found.push_back({i, cut_term(1.0, asker.rescaling.b, asker.slack, weight, squared), share.labels.size()});
      share.labels.insert(share.labels.end(), asker.labels.data(), asker.labels.data() + data.length(i));
    }
  });
  Adder adder(data, loss);
  double b = 0.0;
  for (const Share& share : shares) {
    for (const Found& found : share.found) {
      b += found.term.b;
      adder.add(found.example, share.labels.data() + found.first, found.term.step, into);
    }
  }
  return b;
}

std::int64_t chain_accumulate(const ChainData& data, const ChainLoss& loss, double* v, double* late,
                                   std::span<const std::int32_t> examples, const double* sample_weight, bool squared,
                                   std::int64_t first, std::int64_t done, double numerator) {
  Asker asker(data, loss);
  Adder adder(data, loss);
  std::int64_t added = 0;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(examples.size()); ++at) {
    const std::int64_t i = examples[static_cast<std::size_t>(at)];
    // w before step t + 1 is numerator / t times the sum of the first t planes; at t = 0 both are zero.
    asker.read_steps(v, numerator == 0.0 ? 1.0 : numerator / static_cast<double>(std::max<std::int64_t>(1, first + done + at)));
    const double weight = sample_weight == nullptr ? 1.0 : sample_weight[i];
    if (weight == 0.0 || !asker.ask(i, v) || (loss.search != ChainSearch::prediction && asker.slack <= 0.0)) continue;
    const double step = cut_term(1.0, asker.rescaling.b, asker.slack, weight, squared).step;
    adder.add(i, asker.labels.data(), step, v);
    adder.add(i, asker.labels.data(), static_cast<double>(done + at + 1) * step, late);
    ++added;
  }
  return added;
}

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
  in_shares(data.n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    ChainScores<Real> scorer(data);
    scorer.read_steps(weights);
    LimitedTrellis<Real> limited(data, limits);
    BestPath<Real> best;
    BestPaths<Real> paths(k);
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
