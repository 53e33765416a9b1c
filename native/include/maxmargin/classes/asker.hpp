// The most violated class of one example after the other, for engine/questions.hpp. A block (classes/multiclass.hpp,
// classes/output_block.hpp) knows the planes.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/engine/questions.hpp"

namespace maxmargin {

template <class Block>
class ClassAsker {
 public:
  using Output = std::int32_t;
  static constexpr int kAhead = 4;
  static constexpr bool kCollects = false;

  explicit ClassAsker(const typename Block::Data& data) : labels_(data.labels), block_(data) {}

  std::int64_t weight_count() const { return block_.weight_count(); }
  void prefetch(std::int64_t i) const { block_.prefetch(i); }

  void at(const double* weights, double factor) { weights_ = weights, factor_ = factor; }
  bool ask(std::int64_t i) {
    block_.open(i, weights_, true, factor_);
    return take(block_.worst());
  }
  bool ask_first(std::int64_t i) {
    block_.open(i, weights_, true, factor_);
    int best = 0;
    for (int k = 1; k < block_.size(); ++k) {
      if (block_.gradient(k) > block_.gradient(best)) best = k;
    }
    return take(best);
  }

  std::span<const std::int32_t> found() const { return {&found_, 1}; }
  std::span<const std::int32_t> truth(std::int64_t i) const { return {labels_ + i, 1}; }
  void add(std::int64_t, const std::int32_t* k, double c, double* v) { block_.add_pair(*k, c, v); }
  std::int64_t missed() const { return 0; }

  double slack = 0.0, b = 0.0, scale = 0.0;

 private:
  bool take(int k) {
    found_ = k;
    slack = block_.gradient(k), b = block_.margin(k), scale = block_.scale(k);
    return k != block_.zero();
  }

  const std::int32_t* labels_;
  Block block_;
  const double* weights_ = nullptr;
  double factor_ = 1.0;
  std::int32_t found_ = 0;
};

}  // namespace maxmargin
