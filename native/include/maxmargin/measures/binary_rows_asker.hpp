// The plane of one binary row after the other, for engine/questions.hpp. An output is a sign.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/engine/questions.hpp"
#include "maxmargin/measures/binary_rows.hpp"

namespace maxmargin {

class BinaryRowsAsker {
 public:
  using Output = std::int8_t;
  static constexpr int kAhead = 8;
  static constexpr bool kCollects = false;

  explicit BinaryRowsAsker(const BinaryRowsData& data) : b(data.margin), data_(data) {}

  std::int64_t weight_count() const { return data_.weight_count(); }
  void prefetch(std::int64_t i) const {
    if (i != asked_ + kAhead + 1) data_.rows.prefetch(i);  // the processor itself sees to rows that are read in order
  }

  void at(const double* weights, double factor) { weights_ = weights, factor_ = factor; }
  bool ask(std::int64_t i) {
    asked_ = i;
    slack = data_.value(i, weights_);
    if (factor_ != 1.0) slack = b - factor_ * (b - slack);
    found_ = static_cast<std::int8_t>(-data_.signs[i]);
    return slack > 0.0;
  }
  // A row is predicted to be positive where its score is.
  bool ask_first(std::int64_t i) { return ask(i) || (slack == 0.0 && found_ < 0); }

  std::span<const std::int8_t> found() const { return {&found_, 1}; }
  std::span<const std::int8_t> truth(std::int64_t i) const { return {data_.signs + i, 1}; }
  void add(std::int64_t i, const std::int8_t* sign, double c, double* v) {
    kernels().fine.row_axpy(data_.rows[i], -c * static_cast<double>(*sign), v);
  }
  std::int64_t missed() const { return 0; }

  double slack = 0.0;
  const double b;
  static constexpr double scale = 1.0;

 private:
  BinaryRowsData data_;
  const double* weights_ = nullptr;
  double factor_ = 1.0;
  std::int64_t asked_ = -1;
  std::int8_t found_ = 0;
};

}  // namespace maxmargin
