// Label vectors y in {0, 1}^labels: what a training set is, and where each weight lives.
//
//   F(x, y; w) = sum_k y_k <W_k, x>  +  eta sum_p V_p y_j(p) y_k(p)
//
// W has a row of `stride` numbers, one per label, for each feature; V follows, one number per pair, padded.
#pragma once

#include <cstdint>
#include <utility>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/engine/rescaled.hpp"
#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

struct LabelShape {
  std::int64_t columns = 0;  // features, with the constant one
  int labels = 0;
  const std::int32_t* pairs = nullptr;  // (pair_count, 2): different labels, no pair twice
  int pair_count = 0;
  double eta = 1.0;

  int stride() const { return padded(labels); }
  int first(int p) const { return pairs[2 * p]; }
  int second(int p) const { return pairs[2 * p + 1]; }
  std::int64_t pair_base() const { return columns * stride(); }
  std::int64_t weight_count() const { return pair_base() + padded(pair_count); }
};

struct LabelData {
  LabelShape shape;
  Rows rows;
  const double* squared_norms = nullptr;  // |x_i|^2 with the bias; null where only predictions are made
  const std::uint8_t* truths = nullptr;   // (n, labels), or null

  const std::uint8_t* truth(std::int64_t i) const { return truths + i * shape.labels; }
};

// The scores of one example: `gain` of a label is what it adds to F where it is set, `pairs` what a pair of set labels adds.
struct LabelScores {
  const LabelShape* shape = nullptr;
  const double* gain = nullptr;
  const double* pairs = nullptr;

  double operator()(const std::uint8_t* y) const {
    double sum = 0.0;
    for (int k = 0; k < shape->labels; ++k) sum += y[k] ? gain[k] : 0.0;
    for (int p = 0; p < shape->pair_count; ++p) sum += y[shape->first(p)] && y[shape->second(p)] ? pairs[p] : 0.0;
    return sum;
  }
};

// What a search goes by:
//   augmented   b = sum of the costs of the wrong labels, factor 1: the costs are added to the scores of single labels
//   errors      b and the factor are looked up by the sum of the units of the wrong labels
//   counts      by the number of true labels, of those missed, and of the wrong ones set
//   second      b = margin[1], factor scale[1] for any output but the truth
//   prediction  the same, but only the best output counts
enum class LabelGoal : std::uint8_t { augmented, errors, counts, second, prediction };

struct LabelLoss {
  LabelGoal goal = LabelGoal::augmented;
  const double* costs = nullptr;         // of a wrong label: where it is not true and where it is, label after label
  const std::int32_t* units = nullptr;   // the same in units of loss, for `errors`
  const double* margin = nullptr;        // b
  const double* scale = nullptr;         // factor on psi
  const std::int64_t* table_start = nullptr;  // for `counts`: where the (true + 1) x (labels - true + 1) cells of `true` begin

  double cost(int label, bool truth) const { return costs[2 * label + truth]; }
  std::int32_t unit(int label, bool truth) const { return units[2 * label + truth]; }
  std::int64_t place(int labels, int truths, int missed, int added) const {
    return table_start[truths] + static_cast<std::int64_t>(missed) * (labels - truths + 1) + added;
  }
};

struct LabelCounts {
  int truths = 0, missed = 0, added = 0;
};
inline LabelCounts count_labels(const std::uint8_t* truth, const std::uint8_t* y, int labels) {
  LabelCounts counts;
  for (int k = 0; k < labels; ++k) {
    counts.truths += truth[k];
    counts.missed += truth[k] && !y[k];
    counts.added += !truth[k] && y[k];
  }
  return counts;
}

// Of an output other than the truth.
inline Rescaled rescaled(const LabelLoss& loss, const std::uint8_t* truth, const std::uint8_t* y, int labels) {
  switch (loss.goal) {
    case LabelGoal::augmented: {
      double cost = 0.0;
      for (int k = 0; k < labels; ++k) cost += truth[k] != y[k] ? loss.cost(k, truth[k]) : 0.0;
      return {cost, 1.0};
    }
    case LabelGoal::errors: {
      int units = 0;
      for (int k = 0; k < labels; ++k) units += truth[k] != y[k] ? loss.unit(k, truth[k]) : 0;
      return {loss.margin[units], loss.scale[units]};
    }
    case LabelGoal::counts: {
      const LabelCounts counts = count_labels(truth, y, labels);
      const std::int64_t cell = loss.place(labels, counts.truths, counts.missed, counts.added);
      return {loss.margin[cell], loss.scale[cell]};
    }
    default: return {loss.margin[1], loss.scale[1]};
  }
}

}  // namespace maxmargin
