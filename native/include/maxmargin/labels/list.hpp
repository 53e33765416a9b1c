// All 2^labels label vectors of an example, for few labels: vector number m has label k where bit k of m is set.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "maxmargin/labels/labels.hpp"

namespace maxmargin {

inline constexpr int kMostListed = 16;  // labels

inline void labels_of(std::uint32_t number, int labels, std::uint8_t* y) {
  for (int k = 0; k < labels; ++k) y[k] = number >> k & 1u;
}
inline std::uint32_t number_of(const std::uint8_t* y, int labels) {
  std::uint32_t number = 0;
  for (int k = 0; k < labels; ++k) number |= static_cast<std::uint32_t>(y[k] != 0) << k;
  return number;
}

// Eight sums, or maxima, at a time, for vector instructions to do it.
template <class Join>
double joined(const double* values, std::size_t count, double start, Join&& join) {
  constexpr std::size_t kLanes = 8;
  double lanes[kLanes];
  std::fill_n(lanes, kLanes, start);
  std::size_t m = 0;
  for (; m + kLanes <= count; m += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = join(lanes[lane], values[m + lane]);
  }
  for (; m < count; ++m) lanes[0] = join(lanes[0], values[m]);
  for (std::size_t lane = 1; lane < kLanes; ++lane) lanes[0] = join(lanes[0], lanes[lane]);
  return lanes[0];
}
inline double sum_of(const double* values, std::size_t count) {
  return joined(values, count, 0.0, [](double a, double b) { return a + b; });
}
inline double highest_of(const double* values, std::size_t count) {
  return joined(values, count, values[0], [](double a, double b) { return a > b ? a : b; });
}

// scores[m] of every vector, from the gains and a symmetric (labels, labels) matrix of pair scores: two additions a vector.
class ScoreList {
 public:
  void run(int labels, const double* gain, const double* matrix) {
    scores.resize(std::size_t{1} << labels);
    row_.resize(scores.size() / 2 + 1);
    scores[0] = 0.0;
    for (int k = 0; k < labels; ++k) {  // from the vectors of the labels before k to those that have k too
      const std::size_t half = std::size_t{1} << k;
      row_[0] = gain[k];
      for (int j = 0; j < k; ++j) {
        const std::size_t part = std::size_t{1} << j;
        const double pair = matrix[k * labels + j];
        for (std::size_t m = 0; m < part; ++m) row_[part + m] = row_[m] + pair;
      }
      for (std::size_t m = 0; m < half; ++m) scores[half + m] = scores[m] + row_[m];
    }
  }
  // The first of the highest score, by two passes that vector instructions can do.
  std::uint32_t best() const {
    const auto at = std::find(scores.begin(), scores.end(), highest_of(scores.data(), scores.size()));
    return at == scores.end() ? 0 : static_cast<std::uint32_t>(at - scores.begin());  // never, unless scores are no numbers
  }

  std::vector<double> scores;

 private:
  std::vector<double> row_;
};

class LabelList {
 public:
  explicit LabelList(const LabelShape& shape) : shape_(&shape), matrix_(static_cast<std::size_t>(shape.labels) * shape.labels) {}

  void run(const LabelScores& scores) {
    const int labels = shape_->labels;
    for (int p = 0; p < shape_->pair_count; ++p) {
      const int j = shape_->first(p), k = shape_->second(p);
      matrix_[j * labels + k] = matrix_[k * labels + j] = scores.pairs[p];
    }
    list_.run(labels, scores.gain, matrix_.data());
  }

  void best(std::uint8_t* y) const { labels_of(list_.best(), shape_->labels, y); }

  // The highest b - scale (F(truth) - F(y)) over all y but the truth; true where it is positive or `any` is enough.
  bool violated(const LabelLoss& loss, const std::uint8_t* truth, bool any, std::uint8_t* y) {
    if (loss.goal == LabelGoal::errors && units_[0].empty()) tabulate(loss);
    const std::uint32_t own = number_of(truth, shape_->labels);
    const double own_score = list_.scores[own];
    MostViolated most{any ? -std::numeric_limits<double>::infinity() : 0.0};
    auto consider = [&](std::uint32_t m, const Rescaled& plane) {
      if (m != own) most.offer(m, plane, own_score, list_.scores[m]);
    };
    const auto count = static_cast<std::uint32_t>(list_.scores.size());
    if (loss.goal == LabelGoal::counts) {
      const int truths = std::popcount(own);
      for (std::uint32_t m = 0; m < count; ++m) {
        const std::int64_t cell = loss.place(shape_->labels, truths, std::popcount(own & ~m), std::popcount(m & ~own));
        consider(m, {loss.margin[cell], loss.scale[cell]});
      }
    } else if (loss.goal == LabelGoal::errors) {
      for (std::uint32_t m = 0; m < count; ++m) {
        const std::int32_t units = units_[1][own & ~m] + units_[0][m & ~own];
        consider(m, {loss.margin[units], loss.scale[units]});
      }
    } else {
      for (std::uint32_t m = 0; m < count; ++m) consider(m, {loss.margin[1], loss.scale[1]});
    }
    if (most.stratum < 0) return false;
    labels_of(static_cast<std::uint32_t>(most.stratum), shape_->labels, y);
    return true;
  }

  // Label vector number `rank` (0 the best) of the k best and its score, for ranks that there are.
  void rank(int k) {
    ranked_.resize(list_.scores.size());
    std::iota(ranked_.begin(), ranked_.end(), 0u);
    const auto& scores = list_.scores;
    std::partial_sort(ranked_.begin(), ranked_.begin() + std::min<std::ptrdiff_t>(k, std::ssize(ranked_)), ranked_.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  }
  double ranked(int rank, std::uint8_t* y) const {
    if (rank >= static_cast<int>(ranked_.size())) return -std::numeric_limits<double>::infinity();
    const std::uint32_t m = ranked_[static_cast<std::size_t>(rank)];
    labels_of(m, shape_->labels, y);
    return list_.scores[m];
  }

  // margin[k] = max of F with y_k = 1 minus max of F with y_k = 0.
  void margins(double* margin) const {
    for (int k = 0; k < shape_->labels; ++k) {
      double highest[2] = {-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
      for (std::size_t m = 0; m < list_.scores.size(); ++m) {
        double& best = highest[m >> k & 1u];
        best = std::max(best, list_.scores[m]);
      }
      margin[k] = highest[1] - highest[0];
    }
  }

  // The logarithm of the sum of exp F over all vectors, and with it their probabilities.
  double sum() {
    const std::size_t count = list_.scores.size();
    const double highest = highest_of(list_.scores.data(), count);
    share_.resize(count);
    for (std::size_t m = 0; m < count; ++m) share_[m] = list_.scores[m] - highest;
    kernels().exp_all(share_.data(), std::ssize(share_));
    total_ = sum_of(share_.data(), count);
    return highest + std::log(total_);
  }
  // chance[k] = P(y_k = 1), and where wanted that of y_k = 0, which rounding keeps apart from 1 - chance[k].
  void chances(double* chance, double* other) {
    folded_ = share_;
    for (int k = shape_->labels; k-- > 0;) {
      const std::size_t half = std::size_t{1} << k;
      const double* upper = folded_.data() + half;
      chance[k] = sum_of(upper, half) / total_;
      if (other != nullptr) other[k] = sum_of(folded_.data(), half) / total_;
      kernels().axpy(1.0, upper, folded_.data(), static_cast<std::int64_t>(half));
    }
  }
  // Adds weight * P(y) to mass[y] for every y, from which `count_pairs` adds up P(y_j = y_k = 1).
  void add_mass(double weight, std::vector<double>& mass) const {
    mass.resize(share_.size());
    kernels().axpy(weight / total_, share_.data(), mass.data(), std::ssize(share_));
  }
  static void count_pairs(const LabelShape& shape, const std::vector<double>& mass, double* counts) {
    for (int p = 0; p < shape.pair_count; ++p) {
      const std::size_t both = std::size_t{1} << shape.first(p) | std::size_t{1} << shape.second(p);
      for (std::size_t m = 0; m < mass.size(); ++m) counts[p] += (m & both) == both ? mass[m] : 0.0;
    }
  }

 private:
  // Units of loss by the set of labels that are set and not true, and by the set of those that are missed.
  void tabulate(const LabelLoss& loss) {
    for (const bool truth : {false, true}) {
      std::vector<std::int32_t>& units = units_[truth];
      units.assign(std::size_t{1} << shape_->labels, 0);
      for (int k = 0; k < shape_->labels; ++k) {
        const std::size_t half = std::size_t{1} << k;
        for (std::size_t m = 0; m < half; ++m) units[half + m] = units[m] + loss.unit(k, truth);
      }
    }
  }

  const LabelShape* shape_;
  std::vector<double> matrix_;
  ScoreList list_;
  std::vector<std::int32_t> units_[2];
  std::vector<std::uint32_t> ranked_;
  std::vector<double> share_, folded_;
  double total_ = 1.0;
};

}  // namespace maxmargin
