#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "maxmargin/rows/class_likelihood.hpp"
#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/rows/turned_rows.hpp"

namespace maxmargin {
namespace {

using Block = std::array<double, kGramRows>;

// Rows at a time, one array of numbers for each class.
struct Softmax {
  explicit Softmax(int classes) : classes(classes), p(static_cast<std::size_t>(classes) * kGramRows) {}

  double* of(int k) { return p.data() + static_cast<std::int64_t>(k) * kGramRows; }

  // From scores to probabilities, in place; `log_sums` are those of their exponentials.
  void normalise(std::int64_t n, double* log_sums) {
    Block highest, sum;
    std::copy_n(of(0), n, highest.data());
    for (int k = 1; k < classes; ++k) {
      for (std::int64_t i = 0; i < n; ++i) highest[i] = std::max(highest[i], of(k)[i]);
    }
    sum.fill(0.0);
    for (int k = 0; k < classes; ++k) {
      double* own = of(k);
      for (std::int64_t i = 0; i < n; ++i) own[i] -= highest[i];
      kernels().exp_all(own, n);
      for (std::int64_t i = 0; i < n; ++i) sum[i] += own[i];
    }
    for (std::int64_t i = 0; i < n; ++i) {
      log_sums[i] = highest[i] + std::log(sum[i]);
      sum[i] = 1.0 / sum[i];
    }
    for (int k = 0; k < classes; ++k) {
      for (std::int64_t i = 0; i < n; ++i) of(k)[i] *= sum[i];
    }
  }

  int classes;
  std::vector<double> p;  // (classes, kGramRows)
};

void add_blocks(const std::vector<double>& turned, const Block& weight, Softmax& at, std::int64_t d, std::int64_t n, double* blocks) {
  Block second;
  for (int k = 0; k < at.classes; ++k) {
    for (int l = 0; l <= k; ++l) {
      for (std::int64_t i = 0; i < n; ++i) second[i] = weight[i] * at.of(k)[i] * ((k == l ? 1.0 : 0.0) - at.of(l)[i]);
      kernels().weighted_gram(turned.data(), turned.data(), kGramRows, second.data(), d, n, blocks);
      if (at.classes == 2) return;
      blocks += d * d;
    }
  }
}

double add_rows(const ClassRows& data, const double* w, std::int64_t begin, std::int64_t end, double* gradient, double* blocks) {
  const auto& kernel = kernels();
  const std::int64_t d = data.rows.columns();
  std::vector<double> turned(static_cast<std::size_t>(d * kGramRows));
  Softmax at(data.classes);
  Block weight, log_sums;
  double value = 0.0;
  for (std::int64_t from = begin; from < end; from += kGramRows) {
    const std::int64_t n = std::min(kGramRows, end - from);
    turn_rows(data.rows, n, turned.data(), kGramRows, [&](std::int64_t i) { return from + i; });
    for (std::int64_t i = 0; i < n; ++i) weight[i] = data.weight_of(from + i);
    std::fill(at.p.begin(), at.p.end(), 0.0);
    for (int k = 0; k < data.classes; ++k) {
      for (std::int64_t j = 0; j < d; ++j) kernel.axpy(w[k * d + j], turned.data() + j * kGramRows, at.of(k), n);
    }
    for (std::int64_t i = 0; i < n; ++i) value -= weight[i] * at.of(data.truth[from + i])[i];
    at.normalise(n, log_sums.data());
    for (std::int64_t i = 0; i < n; ++i) value += weight[i] * log_sums[i];
    add_blocks(turned, weight, at, d, n, blocks);
    for (std::int64_t i = 0; i < n; ++i) at.of(data.truth[from + i])[i] -= 1.0;
    for (int k = 0; k < data.classes; ++k) {
      for (std::int64_t i = 0; i < n; ++i) at.of(k)[i] *= weight[i];
      for (std::int64_t j = 0; j < d; ++j) gradient[k * d + j] += kernel.dot(at.of(k), turned.data() + j * kGramRows, n);
    }
  }
  return value;
}

}  // namespace

double class_curvature(const ClassRows& data, const double* w, std::int64_t begin, std::int64_t end, double* gradient, double* blocks,
                       int threads) {
  const std::int64_t d = data.rows.columns(), n = end - begin;
  const int used = thread_count(n, threads);
  struct Sums {
    double value = 0.0;
    std::vector<double> gradient, blocks;
  };
  std::vector<Sums> parts(static_cast<std::size_t>(used));
  in_parallel(n, threads, [&](int thread, std::int64_t first, std::int64_t last) {
    Sums& own = parts[static_cast<std::size_t>(thread)];
    own.gradient.resize(static_cast<std::size_t>(data.classes * d));
    own.blocks.resize(static_cast<std::size_t>(curvature_blocks(data.classes) * d * d));
    own.value = add_rows(data, w, begin + first, begin + last, own.gradient.data(), own.blocks.data());
  });
  double value = 0.0;
  for (const Sums& part : parts) {
    value += part.value;
    kernels().axpy(1.0, part.gradient.data(), gradient, std::ssize(part.gradient));
    kernels().axpy(1.0, part.blocks.data(), blocks, std::ssize(part.blocks));
  }
  return value;
}

std::vector<double> class_hessian(int classes, std::int64_t d, const double* blocks, double C, double l2) {
  const std::int64_t order = classes * d;
  std::vector<double> whole(static_cast<std::size_t>(order * order));
  for (int k = 0; k < classes; ++k) {
    for (int l = 0; l <= k; ++l) {
      const double* block = classes == 2 ? blocks : blocks + (static_cast<std::int64_t>(k) * (k + 1) / 2 + l) * d * d;
      const double factor = classes == 2 && k != l ? -C : C;
      for (std::int64_t j = 0; j < d; ++j) {
        double* row = whole.data() + (k * d + j) * order + l * d;
        for (std::int64_t i = 0; i <= j; ++i) row[i] = factor * block[j * d + i];
        if (k == l) row[j] += l2;
        else for (std::int64_t i = j + 1; i < d; ++i) row[i] = factor * block[i * d + j];
      }
    }
  }
  return whole;
}

}  // namespace maxmargin
