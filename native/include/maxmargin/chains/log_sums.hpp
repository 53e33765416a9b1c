// Sums over all paths in logarithms: slower than chains/sums.hpp, and right where its scaled numbers would underflow, that is where
// a path of very low score at one token turns out to be needed at a later one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/chains/semirings.hpp"
#include "maxmargin/chains/sums.hpp"

namespace maxmargin {

class LogPathSums {
 public:
  double forward(const Trellis<double>& trellis) {
    trellis_ = &trellis;
    alpha_.assign(static_cast<std::size_t>(cells_before(trellis, trellis.length) * trellis.labels), kNever);
    run_forward(trellis, *this);
    const int t = trellis.length - 1;
    terms_.clear();
    for (std::int64_t s = 0; s < trellis.rows(t) * trellis.labels; ++s) terms_.push_back(cell(alpha_, t, s));
    return log_sum_ = sum_of_terms();
  }
  void backward() {
    beta_.assign(alpha_.size(), kNever);
    run_backward(*trellis_, *this);
  }
  void marginals(int t, double* out) {
    std::fill_n(out, trellis_->stride, 0.0);
    for (std::int64_t s = 0; s < trellis_->rows(t) * trellis_->labels; ++s) {
      out[s % trellis_->labels] += probability(cell(alpha_, t, s) + cell(beta_, t, s));
    }
  }
  void count_steps(int t, double* counts) {
    const Fan fan = fan_into(*trellis_, t);
    for (std::int64_t g = 0; g < trellis_->rows(t); ++g) {
      for (int j = 0; j < fan.count; ++j) {
        const std::int64_t s = g + j * fan.apart;
        for (int y = 0; y < trellis_->labels; ++y) {
          counts[s * trellis_->stride + y] += probability(cell(alpha_, t - 1, s) + trellis_->step(t, s, y) + ahead(t, g, y));
        }
      }
    }
  }

  // The semiring.
  const double* prepare(int, const double* table) const { return table; }
  void begin() {
    for (int y = 0; y < trellis_->labels; ++y) cell(alpha_, 0, y) = trellis_->node(0)[y];
  }
  void merge(int t, std::int64_t g, Fan fan, const double* table) {
    for (int y = 0; y < trellis_->labels; ++y) {
      terms_.clear();
      for (int j = 0; j < fan.count; ++j) {
        const std::int64_t s = g + j * fan.apart;
        terms_.push_back(cell(alpha_, t - 1, s) + table[s * trellis_->stride + y]);
      }
      cell(alpha_, t, g * trellis_->labels + y) = trellis_->node(t)[y] + sum_of_terms();
    }
  }
  void end(int) {}
  void begin_backward() {
    const int t = trellis_->length - 1;
    for (std::int64_t s = 0; s < trellis_->rows(t) * trellis_->labels; ++s) cell(beta_, t, s) = 0.0;
  }
  void spread(int t, std::int64_t g, Fan fan, const double* table) {
    for (int j = 0; j < fan.count; ++j) {
      const std::int64_t s = g + j * fan.apart;
      terms_.clear();
      for (int y = 0; y < trellis_->labels; ++y) terms_.push_back(table[s * trellis_->stride + y] + ahead(t, g, y));
      cell(beta_, t - 1, s) = sum_of_terms();
    }
  }
  void end_backward(int) {}

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  double probability(double log_weight) const { return log_weight == kNever ? 0.0 : std::exp(log_weight - log_sum_); }
  double ahead(int t, std::int64_t g, int y) { return trellis_->node(t)[y] + cell(beta_, t, g * trellis_->labels + y); }
  double sum_of_terms() const {
    const double highest = *std::max_element(terms_.begin(), terms_.end());
    if (highest == kNever) return kNever;
    double sum = 0.0;
    for (double term : terms_) sum += std::exp(term - highest);
    return highest + std::log(sum);
  }
  double& cell(std::vector<double>& values, int t, std::int64_t s) const {
    return values[static_cast<std::size_t>(cells_before(*trellis_, t) * trellis_->labels + s)];
  }

  const Trellis<double>* trellis_ = nullptr;
  double log_sum_ = 0.0;
  std::vector<double> alpha_, beta_, terms_;
};

// The scaled sums where they are right, else the logarithmic ones.
class ChainSums {
 public:
  void read_steps(const Trellis<double>& trellis) { scaled_.read_steps(trellis); }
  double forward(const Trellis<double>& trellis) {
    const double log_sum = scaled_.forward(trellis);
    in_logarithms_ = !scaled_.nothing_lost();
    return in_logarithms_ ? logarithmic_.forward(trellis) : log_sum;
  }
  void backward() { in_logarithms_ ? logarithmic_.backward() : scaled_.backward(); }
  void marginals(int t, double* out) { in_logarithms_ ? logarithmic_.marginals(t, out) : scaled_.marginals(t, out); }
  // Of order 1 without pairs: adds the expected steps of the whole chain to counts.
  void count_all_steps(const Trellis<double>& trellis, double* counts) {
    if (!in_logarithms_) return scaled_.count_all_steps(counts);
    for (int t = 1; t < trellis.length; ++t) logarithmic_.count_steps(t, counts);
  }
  void count_steps(int t, double* counts) { in_logarithms_ ? logarithmic_.count_steps(t, counts) : scaled_.count_steps(t, counts); }

 private:
  PathSums scaled_;
  LogPathSums logarithmic_;
  bool in_logarithms_ = false;
};

}  // namespace maxmargin
