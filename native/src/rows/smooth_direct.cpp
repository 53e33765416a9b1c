// Newton's method of rows/smooth.hpp where Hessians are formed.
#include <algorithm>
#include <array>
#include <limits>

#include "maxmargin/engine/newton.hpp"
#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/rows/smooth.hpp"
#include "maxmargin/rows/turned_rows.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kBlock = kGramRows;    // rows at a time
constexpr std::int64_t kMostKept = 1 << 21;   // numbers, 16 MB; more are turned again in each pass
constexpr double kOneStep = 0.002;            // of the objective: a fold whose first step gains less needs no other
constexpr double kTwoSteps = 0.05;            // or one more with the same Hessian
constexpr int kFoldSteps = 50;

template <class Body>
void for_blocks(std::int64_t begin, std::int64_t end, Body&& body) {
  for (std::int64_t from = begin; from < end; from += kBlock) body(from, std::min(kBlock, end - from));
}

// An odd number of cache lines: columns then do not fall into the same few sets of the cache.
std::int64_t apart_of(std::int64_t members) { return ((members + 7) / 8 | 1) * 8; }

}  // namespace

void SmoothFit::turn() {
  const std::int64_t n = std::ssize(members_), apart = apart_of(n), size = apart * data_.rows.columns();
  if (!turned_.empty() || size > kMostKept) return;
  turned_.resize(static_cast<std::size_t>(size));
  turn_rows(data_.rows, n, turned_.data(), apart, [this](std::int64_t m) { return members_[static_cast<std::size_t>(m)]; });
}

// The columns of up to kBlock members, written to `own` where they are not kept.
SmoothFit::Columns SmoothFit::columns_of(std::int64_t from, std::int64_t n, Weights& own) const {
  if (!turned_.empty()) return {turned_.data() + from, apart_of(std::ssize(members_))};
  own.resize(static_cast<std::size_t>(data_.rows.columns() * kBlock));
  turn_rows(data_.rows, n, own.data(), kBlock, [&](std::int64_t i) { return members_[static_cast<std::size_t>(from + i)]; });
  return {own.data(), kBlock};
}

// Adds the losses of members and their derivatives at w, without C; keeps their scores.
void SmoothFit::add_direct(std::int64_t begin, std::int64_t end, Sums& sums) {
  const auto& k = kernels();
  const std::int64_t d = data_.rows.columns();
  std::array<double, kBlock> first, second;
  Weights own;
  for_blocks(begin, end, [&](std::int64_t from, std::int64_t n) {
    const auto [columns, apart] = columns_of(from, n, own);
    double* score = scores_.data() + from;
    k.column_scores(columns, apart, w_.data(), d, n, score);
    sums.value += losses(loss_, score, sign_.data() + from, weight_.data() + from, n, first.data(), second.data());
    k.column_sums(columns, apart, first.data(), d, n, sums.gradient.data());
    k.weighted_gram(columns, columns, apart, second.data(), d, n, sums.hessian.data());
  });
}

// Adds the gradient of the losses of members at w, without C.
void SmoothFit::add_slopes(std::int64_t begin, std::int64_t end, const std::vector<double>& w, std::vector<double>& gradient) const {
  const auto& k = kernels();
  const std::int64_t d = data_.rows.columns();
  std::array<double, kBlock> score, first, second;
  Weights own;
  for_blocks(begin, end, [&](std::int64_t from, std::int64_t n) {
    const auto [columns, apart] = columns_of(from, n, own);
    k.column_scores(columns, apart, w.data(), d, n, score.data());
    losses(loss_, score.data(), sign_.data() + from, weight_.data() + from, n, first.data(), second.data());
    k.column_sums(columns, apart, first.data(), d, n, gradient.data());
  });
}

void SmoothFit::score_direct(std::int64_t begin, std::int64_t end, const std::vector<double>& w, std::span<double> out) const {
  Weights own;
  for_blocks(begin, end, [&](std::int64_t from, std::int64_t n) {
    const auto [columns, apart] = columns_of(from, n, own);
    kernels().column_scores(columns, apart, w.data(), data_.rows.columns(), n, out.data() + from);
  });
}

// The sums over each fold at w; another C needs no others.
void SmoothFit::sum_folds() {
  if (current_) return;
  turn();
  const std::size_t d = w_.size(), folds = folds_.size() - 1;
  parts_.resize(folds);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    parts_[fold].value = 0.0;
    parts_[fold].gradient.assign(d, 0.0);
    parts_[fold].hessian.assign(d * d, 0.0);
    add_direct(folds_[fold], folds_[fold + 1], parts_[fold]);
  }
  ++passes_;
  current_ = true;
}

// The objective with this C, its gradient and its Hessian at w.
SmoothFit::Sums SmoothFit::total(double C) {
  sum_folds();
  Sums all{0.0, std::vector<double>(w_.size()), std::vector<double>(w_.size() * w_.size())};
  const auto& k = kernels();
  for (const Sums& part : parts_) {
    all.value += C * part.value;
    k.axpy(C, part.gradient.data(), all.gradient.data(), std::ssize(all.gradient));
    k.axpy(C, part.hessian.data(), all.hessian.data(), std::ssize(all.hessian));
  }
  add_penalty(w_, all);
  return all;
}

double SmoothFit::distance(double C) {
  Sums sums = total(C);
  std::vector<double> step = sums.gradient;
  if (!solve_positive(sums.hessian, step)) return std::numeric_limits<double>::infinity();
  double gain = 0.0;
  for (std::size_t j = 0; j < step.size(); ++j) gain += step[j] * sums.gradient[j];
  const auto count = std::ssize(members_);
  return gain * static_cast<double>(count) / (C * weight_of(0, count) * static_cast<double>(step.size()));
}

double SmoothFit::weight_of(std::int64_t begin, std::int64_t end) const {
  double sum = 0.0;
  for (std::int64_t m = begin; m < end; ++m) sum += weight_[static_cast<std::size_t>(m)];
  return sum;
}

// Moves w by the Newton step of the objective without one fold, with `more` times C; true if that is near enough to its minimum.
bool SmoothFit::leave_out(const Sums& all, std::size_t number, double more, std::vector<double>& w) const {
  const Sums& fold = parts_[number];
  const std::size_t d = w_.size();
  std::vector<double> factor(d * d), descent(d);
  for (std::size_t at = 0; at < d * d; ++at) factor[at] = more * (all.hessian[at] - C_ * fold.hessian[at]);
  for (std::size_t j = 0; j < d; ++j) {
    factor[j * d + j] -= (more - 1.0) * data_.penalty[j];  // which is in the sums over all rows, once
    descent[j] = (more - 1.0) * data_.penalty[j] * w_[j] - more * (all.gradient[j] - C_ * fold.gradient[j]);
  }
  std::vector<double> step = descent;
  w = w_;
  if (!solve_positive(factor, step)) return false;
  double gain = 0.0;
  for (std::size_t j = 0; j < d; ++j) {
    gain += 0.5 * step[j] * descent[j];
    w[j] += step[j];
  }
  if (gain > kTwoSteps * all.value || gain <= kOneStep * all.value) return gain <= kOneStep * all.value;
  Sums sums{0.0, std::vector<double>(d), {}};
  add_slopes(0, folds_[number], w, sums.gradient);
  add_slopes(folds_[number + 1], folds_.back(), w, sums.gradient);
  for (double& slope : sums.gradient) slope *= more * C_;
  add_penalty(w, sums);
  for (std::size_t j = 0; j < d; ++j) step[j] = -sums.gradient[j];
  solve_factored(factor.data(), step);
  for (std::size_t j = 0; j < d; ++j) w[j] += step[j];
  return true;
}

std::vector<double> SmoothFit::fold_scores(std::span<const std::int64_t> offsets, double target, int threads) {
  if (!direct()) return sparse_fold_scores(offsets, target, threads);
  if (!std::ranges::equal(offsets, folds_)) {
    folds_.assign(offsets.begin(), offsets.end());
    current_ = false;
  }
  const Sums all = total(C_);
  const double everything = weight_of(0, folds_.back());
  std::vector<double> out(members_.size());
  in_parallel(std::ssize(folds_) - 1, threads, [&](int, std::int64_t first, std::int64_t last) {
    std::vector<double> w;
    for (std::int64_t fold = first; fold < last; ++fold) {
      const auto begin = folds_[fold], end = folds_[fold + 1];
      const double more = everything / (everything - weight_of(begin, end));
      if (!leave_out(all, static_cast<std::size_t>(fold), more, w)) {
        std::vector<std::int32_t> others(members_.begin(), members_.begin() + begin);
        others.insert(others.end(), members_.begin() + end, members_.end());
        SmoothFit fit(data_, std::move(others), loss_, C_ * more);
        fit.end_ = end_;
        fit.start(w);
        fit.run(target, kFoldSteps);
        w = fit.weights();
      }
      score_direct(begin, end, w, out);
    }
  });
  return out;
}

}  // namespace maxmargin
