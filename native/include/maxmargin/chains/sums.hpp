// Sums over all paths of a chain: the log-partition function, marginals and expected counts, by the program of chains/trellis.hpp.
//
// Scores are exponentiated after taking the largest of a token, and of a table of steps, away; the sums after each token are
// scaled to 1. What was taken away adds up to the logarithm of the sum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/chains/semirings.hpp"
#include "maxmargin/chains/trellis.hpp"

namespace maxmargin {

class PathSums {
 public:
  // To be called whenever the scores of steps changed.
  void read_steps(const Trellis<double>& trellis) {
    range_ = 0.0;
    for (int k = 1; k <= trellis.order; ++k) shift_[k - 1] = exponentiate(trellis.steps[k - 1], trellis.power(k), trellis, steps_[k - 1]);
    step_range_ = range_;
    turn_steps(trellis);
  }

  // Log of the sum of exp(score) over all paths, minus infinity if none is allowed.
  double forward(const Trellis<double>& trellis) {
    trellis_ = &trellis;
    const int length = trellis.length, stride = trellis.stride;
    alpha_.resize(static_cast<std::size_t>(cells_before(trellis, length) * stride));
    scale_.resize(static_cast<std::size_t>(length));
    from_.resize(static_cast<std::size_t>(stride));
    log_sum_ = 0.0;
    range_ = step_range_;
    nodes_.assign(trellis.nodes, trellis.nodes + static_cast<std::int64_t>(length) * stride);
    for (int t = 0; t < length; ++t) log_sum_ += lower(nodes_.data() + static_cast<std::int64_t>(t) * stride);
    kernels().exp_all(nodes_.data(), static_cast<std::int64_t>(nodes_.size()));
    if (!is_plain()) {
      run_forward(trellis, *this);
    } else {
      begin();
      kernels().sum_forward(nodes_.data(), steps_[0].data(), length, trellis.labels, stride, alpha_.data(), scale_.data());
      log_sum_ += (length - 1) * shift_[0];
      for (int t = 1; t < length; ++t) add_logarithm(scale_[static_cast<std::size_t>(t)]);
    }
    log_sum_ += std::log(product_);
    product_ = 1.0;
    return std::isnan(log_sum_) ? -std::numeric_limits<double>::infinity() : log_sum_;
  }

  // After `forward`: whether no path that counts was lost to exp(-709) = 0. One of two things is enough. A label of a low
  // score may be exchanged for the best of its token, at the price of the order + 1 steps that touch it; and so may all
  // labels up to a state of a low sum. Or: what was lost could not have gained as much on its way as is left of the rest.
  bool nothing_lost() const {
    constexpr double kSafe = 600.0;
    if (std::isnan(log_sum_)) return false;
    if ((trellis_->order + 1) * range_ <= kSafe) return true;
    double gain = static_cast<double>(trellis_->length) * std::log(static_cast<double>(trellis_->labels));
    for (double total : scale_) gain -= std::log(total);
    return gain <= kSafe;
  }

  // After `forward`: everything that marginals need. `on_steps(t, table)` may be asked for the expected steps into token t.
  void backward() {
    beta_.resize(alpha_.size());
    if (!is_plain()) return run_backward(*trellis_, *this);
    begin_backward();
    targets_.resize(alpha_.size());
    kernels().sum_backward(nodes_.data(), turned_.data(), scale_.data(), trellis_->length, trellis_->labels, trellis_->stride, ones_.data(),
                           beta_.data(), targets_.data());
  }

  // After `backward`: P(y_t = y), stride numbers.
  void marginals(int t, double* out) const {
    if (is_plain()) {
      const double* alpha = alpha_.data() + static_cast<std::int64_t>(t) * trellis_->stride;
      const double* beta = beta_.data() + static_cast<std::int64_t>(t) * trellis_->stride;
      for (int y = 0; y < trellis_->stride; ++y) out[y] = alpha[y] * beta[y];
      return;
    }
    const std::int64_t first = cells_before(*trellis_, t) * trellis_->stride, rows = trellis_->rows(t);
    std::fill_n(out, trellis_->stride, 0.0);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (int y = 0; y < trellis_->stride; ++y) {
        const auto cell = static_cast<std::size_t>(first + row * trellis_->stride + y);
        out[y] += alpha_[cell] * beta_[cell];
      }
    }
  }

  // After `backward`: adds P(state before, y_t) to counts, (states before t, stride).
  void count_steps(int t, double* counts) {
    if (is_plain()) {
      const int stride = trellis_->stride;
      const std::int64_t before = static_cast<std::int64_t>(t - 1) * stride;
      kernels().count_pairs(alpha_.data() + before, trellis_->labels, steps_[0].data(), stride, targets_.data() + before + stride, stride, counts);
      return;
    }
    const Fan fan = fan_into(*trellis_, t);
    const double* table = exponentiated(t, trellis_->table(t, scratch_));
    for (std::int64_t g = 0; g < trellis_->rows(t); ++g) {
      target(t, g);
      kernels().count_pairs(before(t, g, fan), fan.count, table + g * trellis_->stride, fan.apart * trellis_->stride, target_.data(),
                            trellis_->stride, counts + g * trellis_->stride);
    }
  }

  // The same for all tokens but the first, of order 1 without pairs.
  void count_all_steps(double* counts) {
    const int stride = trellis_->stride;
    kernels().count_runs(alpha_.data(), targets_.data() + stride, trellis_->length - 1, trellis_->labels, stride, steps_[0].data(), counts);
  }

  // The semiring.
  const double* prepare(int t, const double* table) { return exponentiated(t, table); }
  void begin() {
    std::copy_n(nodes_.data(), trellis_->stride, alpha_.data());
    rescale(0);
  }
  void merge(int t, std::int64_t g, Fan fan, const double* table) {
    const int stride = trellis_->stride;
    kernels().sum_product(before(t, g, fan), fan.count, table + g * stride, fan.apart * stride, node(t), stride, row(alpha_, t, g));
  }
  void end(int t) {
    log_sum_ += shift(t);
    rescale(t);
  }
  void begin_backward() {
    const int t = trellis_->length - 1;
    for (std::int64_t g = 0; g < trellis_->rows(t); ++g) std::fill_n(row(beta_, t, g), trellis_->stride, 1.0);
  }
  void spread(int t, std::int64_t g, Fan fan, const double* table) {
    const int stride = trellis_->stride;
    target(t, g);
    double* into = trellis_->order == 1 ? row(beta_, t - 1, 0) : from_.data();
    if (trellis_->pairs == nullptr && fan.count == trellis_->labels) {
      kernels().sum_product(target_.data(), trellis_->labels, turned_.data() + g * trellis_->labels * stride, stride, ones_.data(), stride, into);
    } else {
      kernels().spread(table + g * stride, fan.count, fan.apart * stride, target_.data(), stride, into);
    }
    if (trellis_->order == 1) return;
    double* cell = first_before(beta_, t, g);
    for (int j = 0; j < fan.count; ++j) cell[j * jump(fan)] = from_[static_cast<std::size_t>(j)];
  }
  void end_backward(int) {}

 private:
  bool is_plain() const { return trellis_->order == 1 && trellis_->pairs == nullptr; }
  double exponentiate(const double* table, std::int64_t rows, const Trellis<double>& trellis, std::vector<double>& out) {
    double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
    for (std::int64_t s = 0; s < rows; ++s) kernels().range(table + s * trellis.stride, trellis.labels, &lowest, &highest);
    range_ = std::max(range_, highest - lowest);  // infinite where a step is not allowed
    if (highest == -std::numeric_limits<double>::infinity()) highest = 0.0;
    out.resize(static_cast<std::size_t>(rows * trellis.stride));
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = std::min(table[c] - highest, 0.0);
    kernels().exp_all(out.data(), static_cast<std::int64_t>(out.size()));
    return highest;
  }
  // turned_[g, y, j] = steps[g + j * apart, y] of full tuples, so that going backward adds up rows as going forward does.
  void turn_steps(const Trellis<double>& trellis) {
    const int labels = trellis.labels, stride = trellis.stride;
    const std::int64_t groups = trellis.power(trellis.order - 1);
    const double* table = steps_[trellis.order - 1].data();
    turned_.resize(static_cast<std::size_t>(groups * labels * stride));
    ones_.assign(static_cast<std::size_t>(stride), 1.0);
    constexpr int kTile = 16;  // columns that are read together, so that a line of the cache is read once
    for (std::int64_t g = 0; g < groups; ++g) {
      double* into = turned_.data() + g * labels * stride;
      for (int first = 0; first < labels; first += kTile) {
        const int last = std::min(first + kTile, labels);
        for (int j = 0; j < labels; ++j) {
          const double* row = table + (g + j * groups) * stride;
          for (int y = first; y < last; ++y) into[static_cast<std::int64_t>(y) * stride + j] = row[y];
        }
      }
      for (int y = 0; y < labels; ++y) std::fill(into + static_cast<std::int64_t>(y) * stride + labels, into + static_cast<std::int64_t>(y + 1) * stride, 0.0);
    }
  }
  const double* exponentiated(int t, const double* table) {
    const int k = trellis_->known(t);
    if (trellis_->pairs == nullptr) return steps_[k - 1].data();
    pair_shift_ = exponentiate(table, trellis_->power(k), *trellis_, pair_steps_);
    return pair_steps_.data();
  }
  double shift(int t) const { return trellis_->pairs == nullptr ? shift_[trellis_->known(t) - 1] : pair_shift_; }

  // Takes the largest score of a token away and returns it; the padding takes no part in any sum.
  double lower(double* node) const {
    double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
    kernels().range(node, trellis_->labels, &lowest, &highest);
    if (highest == -std::numeric_limits<double>::infinity()) return std::numeric_limits<double>::quiet_NaN();
    for (int y = 0; y < trellis_->labels; ++y) node[y] -= highest;
    for (int y = trellis_->labels; y < trellis_->stride; ++y) node[y] = -std::numeric_limits<double>::infinity();
    return highest;
  }
  void rescale(int t) {
    const double total = kernels().normalise(row(alpha_, t, 0), trellis_->rows(t) * trellis_->stride);
    add_logarithm(total);
    scale_[static_cast<std::size_t>(t)] = total;
  }
  // Adds log(total) to the sum: of the product of several of them, as far as that is a normal number.
  void add_logarithm(double total) {
    constexpr double kSmall = 1e-150, kLarge = 1e150;
    if (!(total > 0.0)) log_sum_ = std::numeric_limits<double>::quiet_NaN();
    if (total < kSmall) {
      log_sum_ += std::log(total);
      return;
    }
    product_ *= total;
    if (product_ >= kSmall && product_ <= kLarge) return;
    log_sum_ += std::log(product_);
    product_ = 1.0;
  }
  // target = node * beta / scale of a row: what a step into it is worth.
  void target(int t, std::int64_t g) {
    target_.resize(static_cast<std::size_t>(trellis_->stride));
    kernels().multiply(node(t), row(beta_, t, g), 1.0 / scale_[static_cast<std::size_t>(t)], trellis_->stride, target_.data());
  }
  // The sums of the states before token t that lead to row g.
  const double* before(int t, std::int64_t g, Fan fan) {
    if (trellis_->order == 1) return row(alpha_, t - 1, 0);
    const double* cell = first_before(alpha_, t, g);
    for (int j = 0; j < fan.count; ++j) from_[static_cast<std::size_t>(j)] = cell[j * jump(fan)];
    return from_.data();
  }
  const double* node(int t) const { return nodes_.data() + static_cast<std::int64_t>(t) * trellis_->stride; }
  double* row(std::vector<double>& values, int t, std::int64_t g) const {
    return values.data() + (cells_before(*trellis_, t) + g) * trellis_->stride;
  }
  // The cell of the first state before token t that leads to row g; the others follow at distances of `jump`.
  double* first_before(std::vector<double>& values, int t, std::int64_t g) const {
    return row(values, t - 1, g / trellis_->labels) + g % trellis_->labels;
  }
  std::int64_t jump(Fan fan) const { return trellis_->order == 1 ? 1 : fan.apart / trellis_->labels * trellis_->stride; }

  const Trellis<double>* trellis_ = nullptr;
  double product_ = 1.0;  // whose logarithm is still to be added to the sum
  double log_sum_ = 0.0, shift_[kMaxOrder] = {}, pair_shift_ = 0.0;
  double range_ = 0.0, step_range_ = 0.0;  // between the highest and the lowest score of a table of steps
  std::vector<double> steps_[kMaxOrder], pair_steps_, turned_, ones_, nodes_, alpha_, beta_, scale_, from_, target_, targets_, scratch_;
};

}  // namespace maxmargin
