#include "maxmargin/chains/likelihood.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "maxmargin/chains/limits.hpp"
#include "maxmargin/chains/scores.hpp"
#include "maxmargin/chains/log_sums.hpp"
#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

// Adds weight * (E[Psi] - Psi(truth)) of sequences to a gradient, or weight * E[Psi] where the truth is null.
class Expectations {
 public:
  explicit Expectations(const ChainData& data) : data_(data) {
    for (int k = 1; k <= data.shape.order; ++k) counts_[k - 1].assign(static_cast<std::size_t>(data.shape.power(k) * data.shape.stride()), 0.0);
    coefficient_.resize(static_cast<std::size_t>(data.shape.stride()));
  }

  // `sums` has gone backward over sequence i.
  void add(std::int64_t i, ChainSums& sums, const Trellis<double>& trellis, const std::int32_t* truth, double weight, double* gradient) {
    const ChainShape& shape = data_.shape;
    const int stride = shape.stride(), length = trellis.length;
    const std::int64_t first = data_.offsets[i];
    for (int t = 0; t < length; ++t) {
      sums.marginals(t, coefficient_.data());
      if (truth != nullptr) coefficient_[static_cast<std::size_t>(truth[t])] -= 1.0;
      for (double& number : coefficient_) number *= weight;
      row_update(data_.tokens[first + t], gradient, stride, coefficient_.data());
      if (shape.ends && t == 0) add_row(shape.eta, gradient + shape.start_row() * stride);
      if (shape.ends && t == length - 1) add_row(shape.eta, gradient + shape.end_row() * stride);
    }
    if (shape.order == 1 && shape.pair_features == 0) {
      add_all_steps(sums, trellis, truth, weight);
    } else {
      for (int t = 1; t < length; ++t) add_steps(t, first, sums, trellis, truth, weight, gradient);
    }
  }

  // Adds the counts of label n-grams collected since the start.
  void finish(double* gradient) {
    const ChainShape& shape = data_.shape;
    const int stride = shape.stride();
    for (int k = 1; k <= shape.order; ++k) {
      for (int shorter = 1; shorter <= k; ++shorter) {
        double* into = gradient + shape.transition_row(shorter) * stride;
        const std::int64_t kept = shape.power(shorter);
        for (std::int64_t s = 0; s < shape.power(k); ++s) {
          for (int y = 0; y < stride; ++y) into[s % kept * stride + y] += shape.eta * counts_[k - 1][static_cast<std::size_t>(s * stride + y)];
        }
      }
    }
  }

 private:
  void add_row(double factor, double* into) const {
    for (std::size_t y = 0; y < coefficient_.size(); ++y) into[y] += factor * coefficient_[y];
  }

  void add_all_steps(ChainSums& sums, const Trellis<double>& trellis, const std::int32_t* truth, double weight) {
    std::vector<double>& counts = counts_[0];
    if (weight == 1.0) {
      sums.count_all_steps(trellis, counts.data());
    } else {
      scratch_.assign(counts.size(), 0.0);
      sums.count_all_steps(trellis, scratch_.data());
      kernels().axpy(weight, scratch_.data(), counts.data(), static_cast<std::int64_t>(counts.size()));
    }
    if (truth == nullptr) return;
    for (int t = 1; t < trellis.length; ++t) counts[static_cast<std::size_t>(static_cast<std::int64_t>(truth[t - 1]) * trellis.stride + truth[t])] -= weight;
  }

  void add_steps(int t, std::int64_t first, ChainSums& sums, const Trellis<double>& trellis, const std::int32_t* truth, double weight, double* gradient) {
    const ChainShape& shape = data_.shape;
    const int stride = shape.stride(), k = trellis.known(t);
    const std::int64_t states = trellis.power(k);
    std::vector<double>& counts = counts_[k - 1];
    auto count = [&](std::vector<double>& into) {
      sums.count_steps(t, into.data());
      if (truth != nullptr) into[static_cast<std::size_t>(state_before(trellis, truth, t) * stride + truth[t])] -= 1.0;
    };
    if (weight == 1.0 && shape.pair_features == 0) {
      count(counts);
      return;
    }
    scratch_.assign(static_cast<std::size_t>(states * stride), 0.0);
    count(scratch_);
    for (std::size_t c = 0; c < scratch_.size(); ++c) counts[c] += weight * scratch_[c];
    if (shape.pair_features == 0) return;
    const int width = shape.labels * stride;
    pair_.assign(static_cast<std::size_t>(width), 0.0);
    for (std::int64_t s = 0; s < states; ++s) {
      for (int y = 0; y < stride; ++y) pair_[static_cast<std::size_t>(s % shape.labels * stride + y)] += weight * scratch_[static_cast<std::size_t>(s * stride + y)];
    }
    row_update(data_.pairs[first + t], gradient + shape.pair_row() * stride, width, pair_.data());
  }

  // The state before token t with as many labels as count there.
  static std::int64_t state_before(const Trellis<double>& trellis, const std::int32_t* labels, int t) {
    std::int64_t state = 0;
    for (int back = trellis.known(t); back >= 1; --back) state = state * trellis.labels + labels[t - back];
    return state;
  }

  const ChainData& data_;
  std::vector<double> counts_[kMaxOrder], coefficient_, scratch_, pair_;
};

// Whether a mask leaves more than one label to some token of sequence i.
bool is_partial(const ChainData& data, const std::uint8_t* allowed, std::int64_t i) {
  if (allowed == nullptr) return false;
  const int labels = data.shape.labels;
  for (std::int64_t t = data.offsets[i]; t < data.offsets[i + 1]; ++t) {
    int count = 0;
    for (int y = 0; y < labels; ++y) count += allowed[t * labels + y] != 0 ? 1 : 0;
    if (count != 1) return true;
  }
  return false;
}

}  // namespace

double chain_likelihood(const ChainData& data, const double* weights, const LikelihoodPart& part, std::span<double> gradient,
                        std::span<double> losses, int threads) {
  const std::int64_t count = part.last - part.first;
  const auto used = static_cast<std::size_t>(thread_count(count, threads));
  std::vector<double> values(used);
  std::vector<std::vector<double>> others(gradient.empty() ? 0 : used - 1);
  in_parallel(count, threads, [&](int thread, std::int64_t begin, std::int64_t end) {
    double* into = gradient.empty() ? nullptr : gradient.data();
    if (into != nullptr && thread > 0) {
      others[static_cast<std::size_t>(thread) - 1].assign(gradient.size(), 0.0);
      into = others[static_cast<std::size_t>(thread) - 1].data();
    }
    ChainScores<double> scorer(data);
    scorer.read_steps(weights);
    Expectations expectations(data);
    ChainSums sums, known;
    LimitedTrellis<double> limited(data, ChainLimits{part.allowed, nullptr});
    bool read = false, known_read = false;
    for (std::int64_t i = part.first + begin; i < part.first + end; ++i) {
      const double weight = part.sample_weight == nullptr ? 1.0 : part.sample_weight[i];
      const Trellis<double>& trellis = scorer.open(i, weights);
      if (!read) sums.read_steps(trellis), read = true;
      const bool partial = is_partial(data, part.allowed, i);
      if (partial && !known_read) known.read_steps(trellis), known_read = true;
      const Trellis<double> narrow = partial ? limited.apply(i, trellis) : trellis;
      const double loss = sums.forward(trellis) - (partial ? known.forward(narrow) : path_score(trellis, data.truth(i)));
      if (!losses.empty()) losses[static_cast<std::size_t>(i)] = loss;
      values[static_cast<std::size_t>(thread)] += weight * loss;
      if (into == nullptr || weight == 0.0) continue;
      sums.backward();
      expectations.add(i, sums, trellis, partial ? nullptr : data.truth(i), weight, into);
      if (!partial) continue;
      known.backward();
      expectations.add(i, known, narrow, nullptr, -weight, into);
    }
    if (into != nullptr) expectations.finish(into);
  });
  for (const std::vector<double>& other : others) kernels().axpy(1.0, other.data(), gradient.data(), static_cast<std::int64_t>(gradient.size()));
  double total = 0.0;
  for (double value : values) total += value;
  return total;
}

std::int64_t chain_marginals(const ChainData& data, const double* weights, const ChainLimits& limits, double temperature,
                             std::span<double> out, std::span<double> log_sums, int threads) {
  const int labels = data.shape.labels;
  std::atomic<std::int64_t> impossible{data.n};
  in_parallel(data.n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    ChainScores<double> scorer(data);
    scorer.read_steps(weights, 1.0 / temperature);
    LimitedTrellis<double> limited(data, limits);
    ChainSums sums;
    std::vector<double> row(static_cast<std::size_t>(data.shape.stride()));
    bool read = false;
    for (std::int64_t i = begin; i < end; ++i) {
      if (data.length(i) == 0) continue;  // one labelling, of score 0
      const Trellis<double> trellis = limited.apply(i, scorer.open(i, weights));
      if (!read) sums.read_steps(trellis), read = true;
      const double log_sum = log_sums[static_cast<std::size_t>(i)] = sums.forward(trellis);
      if (log_sum == -std::numeric_limits<double>::infinity()) {
        std::int64_t first = impossible.load();
        while (i < first && !impossible.compare_exchange_weak(first, i)) {
        }
        continue;
      }
      sums.backward();
      for (int t = 0; t < trellis.length; ++t) {
        sums.marginals(t, row.data());
        std::copy_n(row.data(), labels, out.data() + (data.offsets[i] + t) * labels);
      }
    }
  });
  return impossible.load() == data.n ? -1 : impossible.load();
}

void chain_path_scores(const ChainData& data, const double* weights, std::span<const std::int32_t> labels, std::span<double> out) {
  ChainScores<double> scorer(data);
  scorer.read_steps(weights);
  for (std::int64_t i = 0; i < data.n; ++i) {
    if (data.length(i) == 0) continue;  // its score is 0
    out[static_cast<std::size_t>(i)] = path_score(scorer.open(i, weights), labels.data() + data.offsets[i]);
  }
}

}  // namespace maxmargin
