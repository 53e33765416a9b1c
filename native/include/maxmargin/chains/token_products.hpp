// Inner products of planes of one sequence that are sums of token features, with work linear in the tokens.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

// `weight` times e(truth) - e(label) at a token. Where the features of a token are for a pair of labels, both are places in
// the block of weights of a feature, previous * stride + label.
struct ChangedLabel {
  std::int32_t token;
  std::int32_t truth, label;
  double weight;
  bool operator==(const ChangedLabel&) const = default;
};

// Products of the feature vectors of all pairs of tokens of a sequence, kept once computed.
class TokenProducts {
 public:
  TokenProducts(const Rows& rows, const std::int64_t* offsets, std::int64_t n)
      : rows_(rows), offsets_(offsets), kept_(static_cast<std::size_t>(n)), price_(static_cast<std::size_t>(n)) {}

  // Whether the products take no more room than the tokens themselves.
  bool fits(std::int64_t i) const;
  bool kept(std::int64_t i) const { return kept_[static_cast<std::size_t>(i)] != nullptr; }
  // Multiplications that it takes to compute them, if these are at most `most`; else some number above `most`.
  double price(std::int64_t i, double most);
  // Makes a sequence current; computes its products if they are not kept yet.
  void open(std::int64_t i);
  double operator()(int s, int t) const { return static_cast<double>(current_[triangle(s, t)]); }

 private:
  struct Cell {
    std::int32_t column, token;
    double value;
  };
  static std::int64_t triangle(std::int64_t s, std::int64_t t) { return s >= t ? s * (s + 1) / 2 + t : t * (t + 1) / 2 + s; }
  std::int64_t length(std::int64_t i) const { return offsets_[i + 1] - offsets_[i]; }
  void look_up(std::int64_t i, float* products) const;
  void sort_cells(std::int64_t i);
  void add_products(std::int64_t length, float* products) const;

  Rows rows_;
  const std::int64_t* offsets_;
  std::vector<std::unique_ptr<float[]>> kept_;  // lower triangle
  std::vector<float> price_;                    // 0 where not known
  const float* current_ = nullptr;
  std::vector<Cell> cells_, spare_;  // of the sequence `sorted_`, by column; room to sort
  std::int64_t sorted_ = -1;
};

// How much a plane added to w changes the scores of the tokens of its sequence, as far as asked for; its products with other
// planes follow from that. Either from the products of tokens, or by adding the plane to a vector of the size of w: whatever
// takes fewer operations. The products of tokens are computed once they would have saved what they cost.
class ChangedScores {
 public:
  ChangedScores(const Rows& rows, const std::int64_t* offsets, std::int64_t n, std::int64_t width)
      : rows_(rows), offsets_(offsets), width_(width), products_(rows, offsets, n), saved_(static_cast<std::size_t>(n)) {}

  // The plane with these changes in sequence i, for products with planes of `touches` changes in all.
  void open(std::int64_t i, const std::vector<ChangedLabel>& changed, std::size_t touches);
  double product(const std::vector<ChangedLabel>& changed);
  void close();

 private:
  struct Free {
    void operator()(double* numbers) const { std::free(numbers); }
  };
  void choose(std::int64_t i, std::size_t touches);
  void spread();
  double single(const ChangedLabel& change) const;
  const double* row(std::int32_t token);

  Rows rows_;
  const std::int64_t* offsets_;
  std::int64_t width_;  // weights of a feature
  TokenProducts products_;
  std::vector<float> saved_;  // operations that kept products would have saved so far
  const std::vector<ChangedLabel>* changed_ = nullptr;
  std::int64_t first_ = 0;       // token of the current sequence
  bool looked_up_ = false;       // from the products of tokens
  bool by_rows_ = false;         // the scores of all labels at once
  std::vector<char> known_;      // rows computed
  std::vector<double> scores_;  // (length, width)
  std::unique_ptr<double[], Free> plane_;  // (columns, width), zero between planes; pages never touched cost nothing
};

}  // namespace maxmargin
