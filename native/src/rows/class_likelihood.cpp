#include "maxmargin/rows/class_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/rows/row_blocks.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kAhead = 4;  // rows that are asked for before they are needed

// p = softmax of the scores of the classes, 0 in the padding; answers log sum exp.
double probabilities(const double* scores, int classes, int stride, double* p) {
  const double highest = *std::max_element(scores, scores + classes);
  for (int k = 0; k < classes; ++k) p[k] = scores[k] - highest;
  std::fill(p + classes, p + stride, 0.0);
  kernels().exp_all(p, stride);
  std::fill(p + classes, p + stride, 0.0);
  return highest + std::log(kernels().normalise(p, stride));
}

double entropy_of(const float* alpha, int classes) {
  double sum = 0.0;
  for (int k = 0; k < classes; ++k) {
    const double a = alpha[k];
    if (a > 0.0) sum -= a * std::log(a);
  }
  return std::max(0.0, sum);
}

// The log of a product of many numbers from 1 on, which takes far fewer logarithms than the sum of their logs.
class LogOfProduct {
 public:
  void multiply(double factor) {
    product_ *= factor;
    if (product_ > 1e200) sum_ += std::log(product_), product_ = 1.0;
  }
  double value() const { return sum_ + std::log(product_); }

 private:
  double product_ = 1.0, sum_ = 0.0;
};

double add_likelihood(const ClassRows& data, const double* w, std::int64_t begin, std::int64_t end, double* gradient) {
  const int stride = data.stride();
  RowBlock block(stride);
  RowBlock::Numbers highest, sums, own;
  LogOfProduct logs;
  auto weight_of = [&](std::int64_t i) { return data.weight_of(i); };
  double value = 0.0;
  for (std::int64_t at = begin; block.fill(weight_of, at, end);) {
    score_rows(data.rows, block.count, block, w, stride, block.table.data());
    auto of_truth = [&](std::int64_t r) -> double& { return block.table[static_cast<std::size_t>(r * stride + data.truth[block(r)])]; };
    for (std::int64_t r = 0; r < block.count; ++r) own[static_cast<std::size_t>(r)] = of_truth(r);
    kernels().softmax_rows(block.table.data(), block.count, data.classes, stride, highest.data(), sums.data());
    for (std::int64_t r = 0; r < block.count; ++r) {
      const double weight = data.weight_of(block(r)), sum = sums[static_cast<std::size_t>(r)];
      value += weight * (highest[static_cast<std::size_t>(r)] - own[static_cast<std::size_t>(r)]);
      if (weight == 1.0) logs.multiply(sum);
      else value += weight * std::log(sum);
    }
    if (gradient == nullptr) continue;
    for (std::int64_t r = 0; r < block.count; ++r) {
      of_truth(r) -= 1.0;
      const double weight = data.weight_of(block(r));
      double* slopes = block.table.data() + r * stride;
      for (int k = 0; weight != 1.0 && k < stride; ++k) slopes[k] *= weight;
    }
    add_rows(data.rows, block.count, block, gradient, stride, block.table.data());
  }
  return value + logs.value();
}

}  // namespace

double class_likelihood(const ClassRows& data, const double* w, std::int64_t begin, std::int64_t end, double* gradient, int threads) {
  const std::int64_t n = end - begin;
  const int used = thread_count(n, threads);
  std::vector<double> values(static_cast<std::size_t>(used));
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(used));  // the first thread writes to `gradient` itself
  in_parallel(n, threads, [&](int thread, std::int64_t first, std::int64_t last) {
    double* into = gradient;
    if (gradient != nullptr && thread > 0) {
      parts[static_cast<std::size_t>(thread)].assign(static_cast<std::size_t>(data.weight_count()), 0.0);
      into = parts[static_cast<std::size_t>(thread)].data();
    }
    values[static_cast<std::size_t>(thread)] = add_likelihood(data, w, begin + first, begin + last, into);
  });
  double value = 0.0;
  for (double part : values) value += part;
  for (const std::vector<double>& part : parts) {
    if (!part.empty()) kernels().axpy(1.0, part.data(), gradient, static_cast<std::int64_t>(part.size()));
  }
  return value;
}

ClassDual::ClassDual(const ClassRows& data, double C)
    : weights(static_cast<std::size_t>(data.weight_count())),
      gaps(static_cast<std::size_t>(data.rows.n), std::numeric_limits<float>::infinity()),
      data_(data),
      C_(C),
      w_(static_cast<std::size_t>(data.weight_count())),
      alpha_(static_cast<std::size_t>(data.rows.n * data.stride())),
      entropy_(static_cast<std::size_t>(data.rows.n)),
      coarse_(static_cast<std::size_t>(data.stride())),
      scores_(coarse_.size()),
      change_(coarse_.size()) {
  for (std::int64_t i = 0; i < data.rows.n; ++i) alpha_[static_cast<std::size_t>(i * data.stride() + data.truth[i])] = 1.0F;  // so w = 0
}

void ClassDual::start(const double* w) {
  const int stride = data_.stride();
  RowBlock block(stride);
  RowBlock::Numbers highest, sums;
  auto weight_of = [this](std::int64_t i) { return data_.weight_of(i); };
  for (std::int64_t at = 0; block.fill(weight_of, at, data_.rows.n);) {
    score_rows(data_.rows, block.count, block, w, stride, block.table.data());
    kernels().softmax_rows(block.table.data(), block.count, data_.classes, stride, highest.data(), sums.data());
    for (std::int64_t r = 0; r < block.count; ++r) {
      std::copy_n(block.table.begin() + r * stride, stride, alpha_.begin() + block(r) * stride);
    }
  }
  sharpen();
}

std::int64_t ClassDual::visit(std::span<const std::int32_t> order) {
  const auto count = static_cast<std::int64_t>(order.size());
  for (std::int64_t at = 0; at < count; ++at) {
    if (at + kAhead < count) data_.rows.prefetch(order[static_cast<std::size_t>(at + kAhead)]);
    visit_one(order[static_cast<std::size_t>(at)]);
  }
  return count;
}

void ClassDual::visit_one(std::int64_t i) {
  const double c = C_ * data_.weight_of(i);
  if (c == 0.0) {
    gaps[static_cast<std::size_t>(i)] = 0.0F;
    return;
  }
  const int stride = data_.stride();
  const Row row = data_.rows[i];
  float* alpha = alpha_.data() + i * stride;
  row_scores(row, w_.data(), stride, coarse_.data());
  std::copy(coarse_.begin(), coarse_.end(), scores_.begin());
  const double log_sum = probabilities(scores_.data(), data_.classes, stride, change_.data());
  double sums[3] = {};  // expected scores of alpha and of p, their difference in L1
  kernels().compare(alpha, change_.data(), scores_.data(), stride, sums);
  const double distance = sums[2], entropy = std::max(0.0, log_sum - sums[1]);
  double& bound = entropy_[static_cast<std::size_t>(i)];
  const double gap = std::max(0.0, c * (log_sum - bound - sums[0]));
  gaps[static_cast<std::size_t>(i)] = static_cast<float>(gap);
  const double bend = c * distance * distance;
  const double curvature = c * c * data_.squared_norms[i] * kernels().dot(change_.data(), change_.data(), stride) + bend;
  const double share = curvature > 0.0 ? std::min(1.0, (gap + 0.5 * bend) / curvature) : 1.0;
  if (!(share > 0.0)) return;
  const double gained = (1.0 - share) * bound + share * entropy + 0.5 * share * (1.0 - share) * distance * distance;
  total_entropy_ += c * (gained - bound);
  bound = gained;
  kernels().shift(alpha, change_.data(), share, stride);
  for (double& number : change_) number *= share * c;
  row_update(row, w_.data(), stride, change_.data());
}

double ClassDual::dual() const {
  return total_entropy_ - 0.5 * kernels().coarse_square(w_.data(), static_cast<std::int64_t>(w_.size()));
}

void ClassDual::sharpen() {
  const int stride = data_.stride();
  std::fill(weights.begin(), weights.end(), 0.0);
  total_entropy_ = 0.0;
  RowBlock block(stride);
  auto weight_of = [this](std::int64_t i) { return data_.weight_of(i); };
  for (std::int64_t at = 0; block.fill(weight_of, at, data_.rows.n);) {
    for (std::int64_t r = 0; r < block.count; ++r) {
      const std::int64_t i = block(r);
      const double c = C_ * data_.weight_of(i);
      const float* alpha = alpha_.data() + i * stride;
      double* own = block.table.data() + r * stride;
      entropy_[static_cast<std::size_t>(i)] = entropy_of(alpha, data_.classes);
      total_entropy_ += c * entropy_[static_cast<std::size_t>(i)];
      for (int k = 0; k < stride; ++k) own[k] = -c * static_cast<double>(alpha[k]);
      own[data_.truth[i]] += c;
    }
    add_rows(data_.rows, block.count, block, weights.data(), stride, block.table.data());
  }
  std::copy(weights.begin(), weights.end(), w_.begin());
}

}  // namespace maxmargin
