// Labelled chains: what a training set is, and where each weight lives.
//
//   F(x, y; w) = sum_t <W_{y_t}, phi(x_t)>  +  sum_t <W_{y_{t-1} y_t}, chi(x_t)>
//              + eta ( start_{y_1} + end_{y_T} + sum_{k=1}^{order} sum_t T^k_{y_{t-k} ... y_t} )
//
// All weights are rows of `stride` numbers, one for each value of the newest label: phi's features; chi's features, a row
// for each previous label; start; end; T^1 with `labels` rows, T^2 with labels^2, T^3 with labels^3.
#pragma once

#include <cstdint>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

inline constexpr int kMaxOrder = 3;

struct ChainShape {
  std::int64_t features = 0;       // of a token
  std::int64_t pair_features = 0;  // of a token, for its label and the one before
  int labels = 0;
  int order = 1;
  double eta = 1.0;
  bool ends = true;  // weights for the first and the last label

  int stride() const { return padded(labels); }
  std::int64_t power(int k) const {
    std::int64_t result = 1;
    while (k-- > 0) result *= labels;
    return result;
  }
  std::int64_t pair_row() const { return features; }
  std::int64_t start_row() const { return features + pair_features * labels; }
  std::int64_t end_row() const { return start_row() + 1; }
  // First row of T^k; its row for the labels (a_1 .. a_k), a_1 the oldest, is a_1 labels^(k-1) + ... + a_k further.
  std::int64_t transition_row(int k) const {
    std::int64_t row = end_row() + 1;
    for (int shorter = 1; shorter < k; ++shorter) row += power(shorter);
    return row;
  }
  std::int64_t rows() const { return transition_row(order + 1); }
  std::int64_t weight_count() const { return rows() * stride(); }
};

struct ChainData {
  ChainShape shape;
  Rows tokens;                             // phi(x_t) of all sequences, one after the other
  Rows pairs;                              // chi(x_t), or n = 0
  const std::int64_t* offsets = nullptr;   // (n + 1): first token of each sequence
  const std::int32_t* labels = nullptr;    // of every token; null where only predictions are made
  const double* label_offset = nullptr;    // added to the scores of the labels of every token, or null
  bool offset_by_truth = false;            // whether it has such a row for each true label
  std::int64_t n = 0;

  int length(std::int64_t i) const { return static_cast<int>(offsets[i + 1] - offsets[i]); }
  const std::int32_t* truth(std::int64_t i) const { return labels + offsets[i]; }
  // What is added to the scores of a token's labels; there is a `label_offset`.
  const double* offset_of(std::int64_t token) const { return label_offset + (offset_by_truth ? labels[token] * shape.labels : 0); }
};

// From an output to the margin b and the factor on psi, by the search that the formulation needs:
//   augmented   b = sum of the costs, factor 1: the costs are added to the scores of single labels
//   by_loss     b and the factor are looked up by the loss, a whole number of units
//   second      b = margin[1], factor scale[1] for any output but the truth
//   prediction  the same, but only the best output counts
enum class ChainSearch : std::uint8_t { augmented, by_loss, second, prediction };

struct ChainLoss {
  ChainSearch search = ChainSearch::augmented;
  const double* costs = nullptr;         // (rows, labels): of a label at a token; the row is that of the true label
  const std::int32_t* units = nullptr;   // the same in units of loss, for by_loss
  const std::int32_t* rows = nullptr;    // the row of every token, where more is allowed than one true label; or null
  const double* margin = nullptr;        // by number of units; of length 2 for second and prediction
  const double* scale = nullptr;
  int most_units = 0;                    // length of `margin` and `scale` less one

  // The rows of the costs of a sequence's tokens.
  const std::int32_t* rows_of(const ChainData& data, std::int64_t i) const { return (rows == nullptr ? data.labels : rows) + data.offsets[i]; }
};

}  // namespace maxmargin
