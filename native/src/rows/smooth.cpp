#include "maxmargin/rows/smooth.hpp"

#include <algorithm>
#include <array>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/rows/class_scaled_dual.hpp"
#include "maxmargin/rows/products.hpp"
#include "maxmargin/engine/newton.hpp"
#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/engine/truncated_newton.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kDirectColumns = 64;  // beyond, a Hessian costs more than the products of conjugate gradients
constexpr std::int64_t kBlock = kGramRows;   // rows at a time
constexpr int kFoldSteps = 50;

// The value alone.
double loss_sum(SmoothLoss kind, const std::vector<double>& score, const std::vector<double>& step, double length, const std::vector<double>& sign,
                const std::vector<double>& weight) {
  std::array<double, kBlock> at, first, second;
  double sum = 0.0;
  for (std::size_t begin = 0; begin < score.size(); begin += kBlock) {
    const std::size_t n = std::min<std::size_t>(kBlock, score.size() - begin);
    for (std::size_t i = 0; i < n; ++i) at[i] = score[begin + i] + length * step[begin + i];
    sum += losses(kind, at.data(), sign.data() + begin, weight.data() + begin, static_cast<std::int64_t>(n), first.data(), second.data());
  }
  return sum;
}

}  // namespace

SmoothFit::SmoothFit(const SmoothData& data, std::vector<std::int32_t> members, SmoothLoss loss, double C)
    : data_(data), members_(std::move(members)), loss_(loss), C_(C), w_(static_cast<std::size_t>(data.rows.columns())), scores_(members_.size()),
      curvature_(members_.size()),
      origin_(w_),
      sign_(members_.size()),
      weight_(members_.size()),
      folds_{0, std::ssize(members_)} {
  for (std::size_t m = 0; m < members_.size(); ++m) sign_[m] = data_.signs[members_[m]], weight_[m] = data_.weight_of(members_[m]);
}

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

// The objective and its gradient at w, and what the dual variables of w prove.
void SmoothFit::assess_sparse() {
  const auto& k = kernels();
  const auto count = static_cast<std::int64_t>(members_.size());
  std::array<double, kBlock> weight;
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
      weight[i] = C_ * weight_[static_cast<std::size_t>(from + i)];
    }
    const double* sign = sign_.data() + from;
    double *slope = first.data() + from, *second = curvature_.data() + from;
    sums.value += losses(loss_, score, sign, weight.data(), n, slope, second);
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
  Sums sums = total(C_);
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
    Sums sums = total(C_);
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
  if (total(C_).value <= value_ + 1e-4 * slope) return true;  // a whole step is the rule, and this is what the next one needs
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
    const double value = own + length * linear + 0.5 * length * length * square + C_ * loss_sum(loss_, scores_, change, length, sign_, weight_);
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
