#include "maxmargin/rows/smooth.hpp"

#include <algorithm>
#include <array>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/rows/class_scaled_dual.hpp"
#include "maxmargin/engine/newton.hpp"
#include "maxmargin/rows/products.hpp"
#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/engine/truncated_newton.hpp"
#include "maxmargin/rows/turned_rows.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kDirectColumns = 64;  // beyond, a Hessian costs more than the products of conjugate gradients
constexpr std::int64_t kBlock = kGramRows;   // rows that are turned at a time
constexpr double kOneStep = 0.002;           // of the objective: a fold whose first step gains less needs no other
constexpr double kTwoSteps = 0.05;           // or one more with the same Hessian
constexpr int kFoldSteps = 50;

// The value alone.
double loss_sum(SmoothLoss kind, std::span<const double> score, std::span<const double> step, double length, const SmoothData& data,
                std::span<const std::int32_t> members) {
  std::array<double, kBlock> at, sign, weight, first, second, scratch;
  double sum = 0.0;
  const auto count = static_cast<std::int64_t>(members.size());
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t n = std::min(kBlock, count - begin);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto m = static_cast<std::size_t>(begin + i);
      at[i] = score[m] + length * step[m];
      sign[i] = data.signs[members[m]];
      weight[i] = data.weight == nullptr ? 1.0 : data.weight[members[m]];
    }
    sum += losses(kind, at.data(), sign.data(), weight.data(), n, first.data(), second.data(), scratch.data());
  }
  return sum;
}

}  // namespace

SmoothFit::SmoothFit(const SmoothData& data, std::vector<std::int32_t> members, SmoothLoss loss, double C)
    : data_(data), members_(std::move(members)), loss_(loss), C_(C), w_(static_cast<std::size_t>(data.rows.columns())), scores_(members_.size()),
      curvature_(members_.size()),
      origin_(w_),
      folds_{0, std::ssize(members_)} {}

void SmoothFit::change(SmoothLoss loss, double C) {
  if (loss != loss_) current_ = false;
  if (loss != loss_ || C != C_) dual_ = -std::numeric_limits<double>::infinity();
  loss_ = loss;
  C_ = C;
  diagonal_.clear();
}

void SmoothFit::start(std::span<const double> weights) {
  w_.assign(weights.begin(), weights.end());
  origin_ = w_;
  current_ = false;
}

bool SmoothFit::direct() const { return data_.rows.columns() <= kDirectColumns; }

// Adds the losses of members and their derivatives at w, without C; keeps their scores.
void SmoothFit::add_direct(std::int64_t begin, std::int64_t end, bool curved, Sums& sums) {
  const auto& k = kernels();
  const std::int64_t d = data_.rows.columns();
  std::vector<double> turned(static_cast<std::size_t>(d * kBlock));
  std::array<double, kBlock> sign, weight, first, second, scaled;
  for (std::int64_t from = begin; from < end; from += kBlock) {
    const std::int64_t n = std::min(kBlock, end - from);
    const std::int32_t* members = members_.data() + from;
    turn_rows(data_.rows, n, turned, [&](std::int64_t i) { return members[i]; });
    double* score = scores_.data() + from;
    std::fill_n(score, n, 0.0);
    for (std::int64_t j = 0; j < d; ++j) k.axpy(w_[j], turned.data() + j * kBlock, score, n);
    for (std::int64_t i = 0; i < n; ++i) {
      sign[i] = data_.signs[members[i]];
      weight[i] = data_.weight == nullptr ? 1.0 : data_.weight[members[i]];
    }
    sums.value += losses(loss_, score, sign.data(), weight.data(), n, first.data(), second.data(), scaled.data());
    for (std::int64_t j = 0; j < d; ++j) sums.gradient[j] += k.dot(first.data(), turned.data() + j * kBlock, n);
    if (!curved) continue;
    k.weighted_gram(turned.data(), turned.data(), kBlock, second.data(), d, n, sums.hessian.data());
  }
}

// The sums over each fold at w; another C needs no others.
void SmoothFit::sum_folds() {
  if (current_) return;
  const std::size_t d = w_.size(), folds = folds_.size() - 1;
  parts_.resize(folds);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    parts_[fold].value = 0.0;
    parts_[fold].gradient.assign(d, 0.0);
    parts_[fold].hessian.assign(d * d, 0.0);
    add_direct(folds_[fold], folds_[fold + 1], true, parts_[fold]);
  }
  ++passes_;
  current_ = true;
}

// The objective, its gradient and its Hessian at w.
SmoothFit::Sums SmoothFit::total() {
  sum_folds();
  Sums all{0.0, std::vector<double>(w_.size()), std::vector<double>(w_.size() * w_.size())};
  const auto& k = kernels();
  for (const Sums& part : parts_) {
    all.value += C_ * part.value;
    k.axpy(C_, part.gradient.data(), all.gradient.data(), std::ssize(all.gradient));
    k.axpy(C_, part.hessian.data(), all.hessian.data(), std::ssize(all.hessian));
  }
  add_penalty(w_, all);
  return all;
}

// The objective and its gradient at w, and what the dual variables of w prove.
void SmoothFit::assess_sparse() {
  const auto& k = kernels();
  const auto count = static_cast<std::int64_t>(members_.size());
  std::array<double, kBlock> sign, weight, scratch;
  std::vector<double> first(members_.size()), of_class[2];
  for (std::vector<double>& sum : of_class) sum.resize(w_.size());
  const bool fresh = diagonal_.empty();  // only a preconditioner: that of the first point will do
  if (fresh) diagonal_.assign(data_.penalty, data_.penalty + w_.size());
  Sums sums;
  for (std::int64_t from = 0; from < count; from += kBlock) {
    const std::int64_t n = std::min(kBlock, count - from);
    const std::int32_t* members = members_.data() + from;
    double* score = scores_.data() + from;
    for (std::int64_t i = 0; i < n; ++i) {
      score[i] = k.fine.row_dot(data_.rows[members[i]], w_.data());
      sign[i] = data_.signs[members[i]];
      weight[i] = C_ * data_.weight_of(members[i]);
    }
    double *slope = first.data() + from, *second = curvature_.data() + from;
    sums.value += losses(loss_, score, sign.data(), weight.data(), n, slope, second, scratch.data());
    for (std::int64_t i = 0; i < n; ++i) {
      const Row row = data_.rows[members[i]];
      if (slope[i] != 0.0) k.fine.row_axpy(row, slope[i], of_class[sign[i] > 0.0].data());
      if (second[i] == 0.0 || !fresh) continue;
      for (std::int64_t c = 0; c < row.count; ++c) {
        const double x = row.value(c);
        diagonal_[row.column(c)] += second[i] * x * x;
      }
      if (row.bias != 0.0) diagonal_[row.width] += second[i] * row.bias * row.bias;
    }
  }
  ++passes_;
  dual_ = std::max(dual_, class_scaled_dual(data_, loss_, C_, members_, first, of_class[0], of_class[1]));
  sums.gradient = std::move(of_class[0]);
  k.axpy(1.0, of_class[1].data(), sums.gradient.data(), std::ssize(sums.gradient));
  add_penalty(w_, sums);
  value_ = sums.value;
  gradient_ = std::move(sums.gradient);
}

void SmoothFit::add_penalty(const std::vector<double>& w, Sums& sums) const {
  const std::size_t d = w.size();
  for (std::size_t j = 0; j < d; ++j) {
    sums.value += 0.5 * data_.penalty[j] * w[j] * w[j];
    sums.gradient[j] += data_.penalty[j] * w[j];
    if (!sums.hessian.empty()) sums.hessian[j * d + j] += data_.penalty[j];
  }
}

void SmoothFit::assess() {
  if (!direct()) return assess_sparse();
  Sums sums = total();
  value_ = sums.value;
  gradient_ = std::move(sums.gradient);
}

double SmoothFit::bound() const {
  double sum = 0.0;
  for (std::size_t j = 0; j < gradient_.size(); ++j) sum += gradient_[j] * gradient_[j] / data_.penalty[j];
  return std::min(0.5 * sum, std::max(0.0, value_ - dual_));
}

std::vector<double> SmoothFit::hessian_times(const std::vector<double>& v) {
  const auto& k = kernels().fine;
  std::vector<double> out(v.size());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (curvature_[m] == 0.0) continue;
    const Row row = data_.rows[members_[m]];
    k.row_axpy(row, curvature_[m] * k.row_dot(row, v.data()), out.data());
  }
  for (std::size_t j = 0; j < v.size(); ++j) out[j] += data_.penalty[j] * v[j];
  ++passes_;
  return out;
}

bool SmoothFit::step() {
  const std::size_t d = w_.size();
  std::vector<double> step;
  if (direct()) {
    Sums sums = total();
    value_ = sums.value;
    gradient_ = sums.gradient;
    step = std::move(sums.gradient);
    for (double& s : step) s = -s;
    if (!solve_positive(sums.hessian, step)) return false;
  } else {
    step = conjugate_gradients(
        gradient_, [&](const std::vector<double>& v) { return hessian_times(v); },
        [&](std::vector<double>& v) {
          for (std::size_t j = 0; j < d; ++j) v[j] /= diagonal_[j];
        });
  }
  double slope = 0.0;
  for (std::size_t j = 0; j < d; ++j) slope += step[j] * gradient_[j];
  decrement_ = -0.5 * slope;
  if (!(slope < 0.0)) return false;
  if (!direct()) return search_along(step, slope, 1.0);
  const std::vector<double> before = w_;
  for (std::size_t j = 0; j < d; ++j) w_[j] += step[j];
  current_ = false;
  if (total().value <= value_ + 1e-4 * slope) return true;  // a whole step is the rule, and this is what the next one needs
  w_ = before;
  current_ = false;
  row_products(data_.rows, w_.data(), members_, scores_, 1);
  return search_along(step, slope, 0.5);
}

// From the point of value_ and scores_.
bool SmoothFit::search_along(const std::vector<double>& step, double slope, double length) {
  std::vector<double> change(members_.size());
  row_products(data_.rows, step.data(), members_, change, 1);
  ++passes_;
  double linear = 0.0, square = 0.0, own = 0.0;
  for (std::size_t j = 0; j < w_.size(); ++j) {
    linear += data_.penalty[j] * w_[j] * step[j];
    square += data_.penalty[j] * step[j] * step[j];
    own += 0.5 * data_.penalty[j] * w_[j] * w_[j];
  }
  for (int tries = 0; tries < 40; ++tries, length *= 0.5) {
    const double value = own + length * linear + 0.5 * length * length * square + C_ * loss_sum(loss_, scores_, change, length, data_, members_);
    if (!(value <= value_ + 1e-4 * length * slope)) continue;
    kernels().axpy(length, step.data(), w_.data(), static_cast<std::int64_t>(w_.size()));
    kernels().axpy(length, change.data(), scores_.data(), static_cast<std::int64_t>(scores_.size()));
    value_ = value;
    return true;
  }
  return false;
}

void SmoothFit::limit(double seconds) {
  using Clock = std::chrono::steady_clock;
  end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

int SmoothFit::run(double target, int most) {
  for (int done = 0; done < most; ++done) {
    if (end_ && std::chrono::steady_clock::now() >= *end_) return done;
    if (!direct()) assess();
    if (!step() || decrement_ <= target) return done + 1;
  }
  return most;
}

// Moves w by the Newton step of the objective without one fold, with `more` times C; true if that is near enough to its minimum.
bool SmoothFit::leave_out(const Sums& all, const Sums& fold, const std::vector<std::int32_t>& others, double more, std::vector<double>& w) const {
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
  SmoothFit there(data_, others, loss_, C_);
  there.start(w);
  Sums sums{0.0, std::vector<double>(d), {}};
  there.add_direct(0, std::ssize(others), false, sums);
  for (double& slope : sums.gradient) slope *= more * C_;
  add_penalty(w, sums);
  for (std::size_t j = 0; j < d; ++j) step[j] = -sums.gradient[j];
  solve_factored(factor, step);
  for (std::size_t j = 0; j < d; ++j) w[j] += step[j];
  return true;
}

std::vector<double> SmoothFit::fold_scores(std::span<const std::int64_t> offsets, double target, int threads) {
  if (!direct()) return sparse_fold_scores(offsets, target, threads);
  const auto folds = static_cast<std::int64_t>(offsets.size()) - 1;
  if (!std::ranges::equal(offsets, folds_)) {
    folds_.assign(offsets.begin(), offsets.end());
    current_ = false;
  }
  const Sums all = total();
  const double everything = data_.total_weight(members_);
  std::vector<double> out(members_.size());
  in_parallel(folds, threads, [&](int, std::int64_t first, std::int64_t last) {
    std::vector<double> w;
    for (std::int64_t fold = first; fold < last; ++fold) {
      const auto begin = offsets[fold], end = offsets[fold + 1];
      std::vector<std::int32_t> others(members_.begin(), members_.begin() + begin);
      others.insert(others.end(), members_.begin() + end, members_.end());
      const std::span<const std::int32_t> own(members_.data() + begin, static_cast<std::size_t>(end - begin));
      const double more = everything / (everything - data_.total_weight(own));
      if (!leave_out(all, parts_[static_cast<std::size_t>(fold)], others, more, w)) {
        SmoothFit fit(data_, std::move(others), loss_, C_ * more);
        fit.end_ = end_;
        fit.start(w);
        fit.run(target, kFoldSteps);
        w = fit.weights();
      }
      row_products(data_.rows, w.data(), own, std::span<double>(out).subspan(static_cast<std::size_t>(begin), own.size()), 1);
    }
  });
  return out;
}

std::vector<double> SmoothFit::sparse_fold_scores(std::span<const std::int64_t> offsets, double target, int threads) {
  const std::size_t folds = offsets.size() - 1;
  if (left_out_.empty()) {
    const std::size_t most = std::min<std::size_t>(FoldNewton::kMost, (folds + threads - 1) / threads);
    for (std::size_t fold = 0; fold < folds; fold += most) {
      const auto some = offsets.subspan(fold, std::min(most, folds - fold) + 1);
      left_out_.emplace_back(data_, members_, some, origin_, loss_);
    }
  }
  in_parallel(std::ssize(left_out_), threads, [&](int, std::int64_t first, std::int64_t last) {
    for (std::int64_t at = first; at < last; ++at) left_out_[static_cast<std::size_t>(at)].run(loss_, C_, target, kFoldSteps, end_);
  });
  std::vector<double> out(members_.size());
  std::fill(w_.begin(), w_.end(), 0.0);
  std::size_t fold = 0;
  for (const FoldNewton& some : left_out_) {
    some.add_weights(1.0 / static_cast<double>(folds), w_);
    for (std::size_t k = 0; k < some.folds(); ++k, ++fold) {
      some.scores_of(k, std::span<double>(out).subspan(static_cast<std::size_t>(offsets[fold]), static_cast<std::size_t>(offsets[fold + 1] - offsets[fold])));
    }
  }
  return out;
}

}  // namespace maxmargin
