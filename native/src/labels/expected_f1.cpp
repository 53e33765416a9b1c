// Decisions of highest expected F1 (Dembczynski, Waegeman, Cheng and Huellermeier, 2011): a vector y of s > 0 labels has
//
//   E F1 = sum_{k in y} G(k, s),   G(k, s) = 2 sum_t P(y_k = 1, t labels true) / (s + t),   and the empty vector P(no label true).
//
// As 1 / (s + t) is the integral of z^(s + t - 1) over z from 0 to 1, G(k, s) is that of 2 z^(s - 1) times the sum of P(y) z^t over
// vectors with label k, which is a sum over label vectors with log z added to every gain.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/labels/likelihood.hpp"
#include "maxmargin/labels/sums.hpp"
#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

// The best vectors of every size by the G of one example.
class BestF1 {
 public:
  explicit BestF1(int labels) : labels_(labels), order_(static_cast<std::size_t>(labels)), with_(order_.size()), without_(order_.size()) {}

  void start(double nothing) {
    highest_ = nothing;
    size_ = 0;
    std::fill(with_.begin(), with_.end(), -std::numeric_limits<double>::infinity());
    std::fill(without_.begin(), without_.end(), nothing);
  }
  // `gain` is G(., size)
  void offer(int size, const double* gain) {
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](int a, int b) { return gain[a] != gain[b] ? gain[a] > gain[b] : a < b; });
    double sum = 0.0;
    for (int rank = 0; rank < size; ++rank) sum += gain[order_[rank]];
    const double last = gain[order_[size - 1]];
    for (int rank = 0; rank < labels_; ++rank) {
      const int k = order_[rank];
      const bool in = rank < size;
      with_[k] = std::max(with_[k], in ? sum : sum - last + gain[k]);
      if (!in || size < labels_) without_[k] = std::max(without_[k], in ? sum - gain[k] + gain[order_[size]] : sum);
    }
    if (sum > highest_) {
      highest_ = sum;
      size_ = size;
      chosen_.assign(order_.begin(), order_.begin() + size);
    }
  }
  void write(std::uint8_t* y, double* lead) const {
    std::fill_n(y, labels_, std::uint8_t{0});
    for (int rank = 0; rank < size_; ++rank) y[chosen_[rank]] = 1;
    for (int k = 0; k < labels_; ++k) lead[k] = with_[k] - without_[k];
  }

 private:
  int labels_, size_ = 0;
  double highest_ = 0.0;
  std::vector<int> order_, chosen_;
  std::vector<double> with_, without_;
};

}  // namespace

void label_expected_f1(const LabelProblem& problem, const double* weights, std::span<const double> nodes, std::span<const double> node_weights,
                       std::span<std::uint8_t> labels, std::span<double> leads, int threads) {
  const LabelShape& shape = problem.data->shape;
  const auto width = static_cast<std::size_t>(shape.labels), count = nodes.size();
  in_parallel(problem.data->rows.n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    LabelScorer scorer(*problem.data);
    LabelSums sums(problem);
    std::vector<double> pairs(weights + shape.pair_base(), weights + shape.pair_base() + shape.pair_count);
    for (double& pair : pairs) pair *= shape.eta;
    sums.read_pairs(pairs.data());
    BestF1 best(shape.labels);
    std::vector<double> shifted(width), mass(count * width), gain(width), power(count);
    for (std::int64_t i = begin; i < end; ++i) {
      LabelScores scores = scorer.open(i, weights);
      const double all = sums.run(scores);
      best.start(std::exp(-all));
      for (std::size_t q = 0; q < count; ++q) {
        for (std::size_t k = 0; k < width; ++k) shifted[k] = scores.gain[k] + std::log(nodes[q]);
        const double norm = std::exp(sums.run({&shape, shifted.data(), scores.pairs}) - all);
        sums.chances(mass.data() + q * width);
        for (std::size_t k = 0; k < width; ++k) mass[q * width + k] *= norm;
        power[q] = 2.0 * node_weights[q];
      }
      for (int size = 1; size <= shape.labels; ++size) {
        std::fill(gain.begin(), gain.end(), 0.0);
        for (std::size_t q = 0; q < count; ++q) {
          for (std::size_t k = 0; k < width; ++k) gain[k] += power[q] * mass[q * width + k];
          power[q] *= nodes[q];
        }
        best.offer(size, gain.data());
      }
      best.write(labels.data() + i * shape.labels, leads.data() + i * shape.labels);
    }
  });
}

}  // namespace maxmargin
