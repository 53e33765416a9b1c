#include "maxmargin/chains/curvature.hpp"

#include <algorithm>
#include <vector>

#include "maxmargin/chains/scores.hpp"
#include "maxmargin/chains/log_sums.hpp"
#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

class Covariances {
 public:
  Covariances(const ChainData& data, double* gradient, double* halves)
      : data_(data), shape_(data.shape), labels_(data.shape.labels), stride_(data.shape.stride()), gradient_(gradient), halves_(halves) {
    const auto k = static_cast<std::size_t>(labels_), width = static_cast<std::size_t>(shape_.width);
    sums_.resize(k * width);
    before_.resize(k * width);
    coefficient_.resize(static_cast<std::size_t>(shape_.fewer) * width);
    pair_.resize(k * static_cast<std::size_t>(stride_));
    counts_.resize(pair_.size());
    marginal_.resize(static_cast<std::size_t>(stride_));
    share_.resize(k * k);
    change_.resize(k * static_cast<std::size_t>(shape_.fewer));
    ones_.assign(width, 1.0);
  }

  // `paths` has gone backward over sequence i.
  void add(std::int64_t i, ChainSums& paths, const Trellis<double>& trellis, double weight) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    const std::int32_t* truth = data_.truth(i);
    for (int t = 0; t < trellis.length; ++t) {
      const bool is_end = t == trellis.length - 1;
      paths.marginals(t, marginal_.data());
      if (t > 0) step(t, paths, weight);
      read(data_.tokens[data_.offsets[i] + t], t == 0, is_end);
      add_features();  // half of what the token adds to the sums is covered here,
      for (int y = 0; y < shape_.fewer; ++y) {
        const double factor = weight * marginal_[static_cast<std::size_t>(y)];
        const double* row = sums_.data() + y * shape_.width;
        double* into = coefficient_.data() + y * shape_.width;
        for (std::int64_t c = 0; c < shape_.width; ++c) into[c] = factor * row[c];
      }
      spread(data_.tokens[data_.offsets[i] + t], t == 0, is_end, halves_, static_cast<int>(shape_.fewer * shape_.width), coefficient_.data());
      add_features();  // and half by the transposed matrix
      for (int y = 0; y < stride_; ++y) marginal_[static_cast<std::size_t>(y)] *= weight;
      marginal_[static_cast<std::size_t>(truth[t])] -= weight;
      spread(data_.tokens[data_.offsets[i] + t], t == 0, is_end, gradient_, stride_, marginal_.data());
      if (t > 0) counted(truth[t - 1], truth[t]) -= weight;
    }
  }

  // Adds what was collected since the start.
  void finish() {
    const double eta = data_.shape.eta;
    double* into = gradient_ + data_.shape.transition_row(1) * stride_;
    for (std::size_t c = 0; c < counts_.size(); ++c) into[c] += eta * counts_[c];
  }

 private:
  std::int64_t column(int from, int to) const { return shape_.rows * shape_.fewer + static_cast<std::int64_t>(from) * labels_ + to; }
  double& counted(int from, int to) { return counts_[static_cast<std::size_t>(from * stride_ + to)]; }

  // The step into token t: its own covariances, and the expected sums up to it by its label.
  void step(int t, ChainSums& paths, double weight) {
    const double eta = data_.shape.eta;
    std::fill(pair_.begin(), pair_.end(), 0.0);
    paths.count_steps(t, pair_.data());
    std::swap(sums_, before_);
    for (int to = 0; to < labels_; ++to) {
      const double all = marginal_[static_cast<std::size_t>(to)];
      double* share = share_.data() + static_cast<std::int64_t>(to) * labels_;
      for (int from = 0; from < labels_; ++from) share[from] = all > 0.0 ? pair(from, to) / all : 0.0;
      double* row = sums_.data() + to * shape_.width;
      kernels().sum_product(share, labels_, before_.data(), shape_.width, ones_.data(), static_cast<int>(shape_.width), row);
      for (int from = 0; from < labels_; ++from) {
        for (int other = 0; other < labels_; ++other) row[column(from, other)] -= eta * pair(from, other);
        row[column(from, to)] += eta * share[from];
      }
    }
    for (int from = 0; from < labels_; ++from) {
      double* row = before_.data() + from * shape_.width;
      for (int a = 0; a < labels_; ++a) {
        for (int b = 0; b < labels_; ++b) row[column(a, b)] -= 0.5 * eta * pair(a, b);
      }
      for (int to = 0; to < labels_; ++to) {
        const double factor = weight * pair(from, to);
        double* into = halves_ + column(from, to) * shape_.width;
        kernels().axpy(eta * factor, row, into, shape_.width);
        into[column(from, to)] += 0.5 * eta * eta * factor;
        counted(from, to) += factor;
      }
    }
  }

  // Reads the features of a token and by how much, halved, they differ from their expectation where its label is known.
  void read(const Row& token, bool is_start, bool is_end) {
    places_.clear();
    values_.clear();
    auto take = [&](std::int64_t row, double value) {
      places_.push_back(row * shape_.fewer);
      values_.push_back(value);
    };
    for (std::int64_t c = 0; c < token.count; ++c) take(token.column(c), token.value(c));
    if (token.bias != 0.0) take(token.width, token.bias);
    if (data_.shape.ends && is_start) take(data_.shape.start_row(), data_.shape.eta);
    if (data_.shape.ends && is_end) take(data_.shape.end_row(), data_.shape.eta);
    for (int y = 0; y < labels_; ++y) {
      for (int other = 0; other < shape_.fewer; ++other) {
        change_[static_cast<std::size_t>(y * shape_.fewer + other)] = 0.5 * ((y == other ? 1.0 : 0.0) - marginal_[static_cast<std::size_t>(other)]);
      }
    }
  }
  void add_features() {
    for (int y = 0; y < labels_; ++y) {
      const double* change = change_.data() + static_cast<std::int64_t>(y) * shape_.fewer;
      double* row = sums_.data() + y * shape_.width;
      for (std::size_t c = 0; c < places_.size(); ++c) {
        for (int other = 0; other < shape_.fewer; ++other) row[places_[c] + other] += values_[c] * change[other];
      }
    }
  }

  void spread(const Row& token, bool is_start, bool is_end, double* into, int stride, const double* coefficient) {
    row_update(token, into, stride, coefficient);
    if (!data_.shape.ends) return;
    if (is_start) kernels().axpy(data_.shape.eta, coefficient, into + data_.shape.start_row() * stride, stride);
    if (is_end) kernels().axpy(data_.shape.eta, coefficient, into + data_.shape.end_row() * stride, stride);
  }
  double pair(int from, int to) const { return pair_[static_cast<std::size_t>(from * stride_ + to)]; }

  const ChainData& data_;
  const CurvatureShape shape_;
  const int labels_, stride_;
  double *gradient_, *halves_;
  std::vector<double> sums_, before_;  // for each label of the present token, and of the one before: the expected sums of
                                       // features so far, less what is expected without knowing the label
  std::vector<double> coefficient_, pair_, counts_, marginal_, share_, change_, ones_, values_;
  std::vector<std::int64_t> places_;
};

}  // namespace

CurvatureShape::CurvatureShape(const ChainShape& shape)
    : rows(shape.transition_row(1)),
      order(rows * (shape.labels - 1) + static_cast<std::int64_t>(shape.labels) * shape.labels),
      fewer(shape.labels - 1),
      width(padded(order)) {}

double chain_curvature(const ChainData& data, const double* weights, const LikelihoodPart& part, std::span<double> gradient,
                       std::span<double> halves, int threads) {
  const std::int64_t count = part.last - part.first;
  struct Own {
    double value = 0.0;
    std::vector<double> gradient, halves;
  };
  std::vector<Own> parts(static_cast<std::size_t>(thread_count(count, threads)));
  in_parallel(count, threads, [&](int thread, std::int64_t begin, std::int64_t end) {
    Own& own = parts[static_cast<std::size_t>(thread)];
    if (thread > 0) {
      own.gradient.resize(gradient.size());
      own.halves.resize(halves.size());
    }
    ChainScores<double> scorer(data);
    scorer.read_steps(weights);
    ChainSums paths;
    Covariances covariances(data, thread > 0 ? own.gradient.data() : gradient.data(), thread > 0 ? own.halves.data() : halves.data());
    bool read = false;
    for (std::int64_t i = part.first + begin; i < part.first + end; ++i) {
      const double weight = part.sample_weight == nullptr ? 1.0 : part.sample_weight[i];
      if (weight == 0.0) continue;
      const Trellis<double>& trellis = scorer.open(i, weights);
      if (!read) paths.read_steps(trellis), read = true;
      own.value += weight * (paths.forward(trellis) - path_score(trellis, data.truth(i)));
      paths.backward();
      covariances.add(i, paths, trellis, weight);
    }
    covariances.finish();
  });
  double value = 0.0;
  for (const Own& own : parts) {
    value += own.value;
    if (own.gradient.empty()) continue;
    kernels().axpy(1.0, own.gradient.data(), gradient.data(), std::ssize(gradient));
    kernels().axpy(1.0, own.halves.data(), halves.data(), std::ssize(halves));
  }
  return value;
}

}  // namespace maxmargin
