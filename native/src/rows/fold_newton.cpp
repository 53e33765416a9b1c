#include "maxmargin/rows/fold_newton.hpp"

#include <algorithm>
#include <limits>

#include "maxmargin/rows/row_blocks.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kBlock = 128;  // members whose losses are computed at a time
constexpr int kAdaptingSteps = 6;
constexpr int kRounds = 50;      // of conjugate gradients
constexpr double kEnough = 0.1;  // of the squared residual

using Lanes = FoldNewton::Lanes;

// What the losses of a block of members need and give, for one fold.
struct Block {
  std::array<double, kBlock> at, sign, weight, first, second;
  double sum(SmoothLoss loss, std::int64_t n) {
    return losses(loss, at.data(), sign.data(), weight.data(), n, first.data(), second.data());
  }
};

// sums[k] += a[j, k] b[j, k]
template <int stride>
Lanes dots(const Weights& a, const Weights& b) {
  Lanes sums{};
  for (std::size_t at = 0; at < a.size(); at += stride) {
    for (int k = 0; k < stride; ++k) sums[k] += a[at + k] * b[at + k];
  }
  return sums;
}

}  // namespace

FoldNewton::FoldNewton(const SmoothData& data, std::span<const std::int32_t> members, std::span<const std::int64_t> offsets,
                       std::span<const double> origin, SmoothLoss loss)
    : data_(data), members_(members), folds_(offsets.begin(), offsets.end()), columns_(origin.size()),
      stride_(padded(std::ssize(offsets) - 1)), loss_(loss), w_(columns_ * stride_), gradient_(w_.size()), scores_(members.size() * stride_),
      curvature_(scores_.size()) {
  const double everything = data_.total_weight(members_);
  for (std::size_t k = 0; k < folds(); ++k) {
    more_[k] = everything / (everything - data_.total_weight(members_.subspan(folds_[k], folds_[k + 1] - folds_[k])));
    for (std::size_t j = 0; j < columns_; ++j) w_[j * stride_ + k] = origin[j];
  }
  score(w_, scores_);
}

bool FoldNewton::any(const Flags& flags) const { return std::any_of(flags.begin(), flags.end(), [](bool flag) { return flag; }); }

void FoldNewton::score(const Weights& w, Weights& out) const {
  score_rows(data_.rows, std::ssize(members_), [this](std::int64_t m) { return members_[m]; }, w.data(), stride_, out.data());
}

// Calls body(first member, count, fold, block) for all members and open folds, with signs and weights (zero for rows left out) set.
template <class Body>
void FoldNewton::for_blocks(Body&& body) {
  Block block;
  const auto count = static_cast<std::int64_t>(members_.size());
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t n = std::min(kBlock, count - begin);
    for (std::int64_t i = 0; i < n; ++i) block.sign[i] = data_.signs[members_[begin + i]];
    for (std::size_t k = 0; k < folds(); ++k) {
      if (!open_[k]) continue;
      for (std::int64_t i = 0; i < n; ++i) {
        const bool out = begin + i >= folds_[k] && begin + i < folds_[k + 1];
        block.weight[i] = out ? 0.0 : C_[k] * data_.weight_of(members_[begin + i]);
      }
      body(begin, n, k, block);
    }
  }
}

// The weights that were best for another loss differ from those for this one in their length and offset most of all, so these are fitted
// before the first step: scores become stretch * score + shift.
void FoldNewton::adapt(SmoothLoss loss) {
  struct Fitted {
    double square = 0.0, stretch = 1.0, shift = 0.0, lowest = std::numeric_limits<double>::infinity(), best_stretch = 1.0, best_shift = 0.0;
    double value = 0.0, slope = 0.0, slope_shift = 0.0, curve = 0.0, curve_both = 0.0, curve_shift = 0.0;
  };
  std::array<Fitted, kMost> fitted;
  for (std::size_t j = 0; j < columns_; ++j) {
    for (std::size_t k = 0; k < folds(); ++k) fitted[k].square += data_.penalty[j] * w_[j * stride_ + k] * w_[j * stride_ + k];
  }
  const bool shifts = data_.rows.bias != 0.0;
  for (int tries = 0; tries < kAdaptingSteps && any(open_); ++tries) {
    for (Fitted& f : fitted) {
      f.value = 0.5 * f.stretch * f.stretch * f.square, f.slope = f.stretch * f.square, f.curve = f.square;
      f.slope_shift = f.curve_both = f.curve_shift = 0.0;
    }
    for_blocks([&](std::int64_t begin, std::int64_t n, std::size_t k, Block& block) {
      Fitted& f = fitted[k];
      const double* scores = scores_.data() + begin * stride_ + k;
      for (std::int64_t i = 0; i < n; ++i) block.at[i] = f.stretch * scores[i * stride_] + f.shift;
      f.value += block.sum(loss, n);
      for (std::int64_t i = 0; i < n; ++i) {
        const double s = scores[i * stride_];
        f.slope += block.first[i] * s, f.slope_shift += block.first[i];
        f.curve += block.second[i] * s * s, f.curve_both += block.second[i] * s, f.curve_shift += block.second[i];
      }
    });
    for (std::size_t k = 0; k < folds(); ++k) {
      Fitted& f = fitted[k];
      const double determinant = shifts ? f.curve * f.curve_shift - f.curve_both * f.curve_both : f.curve;
      open_[k] = open_[k] && f.value < f.lowest;
      if (!open_[k]) continue;
      f.lowest = f.value, f.best_stretch = f.stretch, f.best_shift = f.shift;
      open_[k] = determinant > 1e-12 * f.curve * (shifts ? f.curve_shift : 1.0);
      if (!open_[k]) continue;
      f.stretch -= (shifts ? f.curve_shift * f.slope - f.curve_both * f.slope_shift : f.slope) / determinant;
      if (shifts) f.shift -= (f.curve * f.slope_shift - f.curve_both * f.slope) / determinant;
    }
  }
  for (std::size_t k = 0; k < folds(); ++k) {
    for (std::size_t j = 0; j < columns_; ++j) w_[j * stride_ + k] *= fitted[k].best_stretch;
    if (shifts) w_[(columns_ - 1) * stride_ + k] += fitted[k].best_shift / data_.rows.bias;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      double& s = scores_[m * stride_ + k];
      s = fitted[k].best_stretch * s + fitted[k].best_shift;
    }
  }
}

// The objective, its gradient and the curvature of every row, for open folds.
void FoldNewton::assess() {
  std::fill(gradient_.begin(), gradient_.end(), 0.0);
  std::fill(curvature_.begin(), curvature_.end(), 0.0);
  Weights slopes(curvature_.size());
  const bool fresh = inverse_.empty();  // only a preconditioner: that of the first point will do
  for (std::size_t k = 0; k < folds(); ++k) value_[k] = 0.0;
  for_blocks([&](std::int64_t begin, std::int64_t n, std::size_t k, Block& block) {
    const std::size_t from = static_cast<std::size_t>(begin) * stride_ + k;
    for (std::int64_t i = 0; i < n; ++i) block.at[i] = scores_[from + i * stride_];
    value_[k] += block.sum(loss_, n);
    for (std::int64_t i = 0; i < n; ++i) slopes[from + i * stride_] = block.first[i], curvature_[from + i * stride_] = block.second[i];
  });
  if (fresh) inverse_.assign(w_.size(), 0.0);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (m + kRowsAhead < members_.size()) data_.rows.prefetch(members_[m + kRowsAhead]);
    const Row row = data_.rows[members_[m]];
    const double *first = slopes.data() + m * stride_, *second = curvature_.data() + m * stride_;
    if (std::any_of(first, first + stride_, [](double slope) { return slope != 0.0; })) row_update(row, gradient_.data(), stride_, first);
    if (!fresh) continue;
    auto add = [&](std::int64_t column, double x) {
      for (int k = 0; k < stride_; ++k) inverse_[column * stride_ + k] += second[k] * x * x;
    };
    for (std::int64_t c = 0; c < row.count; ++c) add(row.column(c), row.value(c));
    if (row.bias != 0.0) add(row.width, row.bias);
  }
  for (std::size_t j = 0; j < columns_; ++j) {
    for (int k = 0; k < stride_; ++k) {
      const std::size_t at = j * stride_ + k;
      value_[k] += 0.5 * data_.penalty[j] * w_[at] * w_[at];
      gradient_[at] += data_.penalty[j] * w_[at];
      if (fresh) inverse_[at] = 1.0 / (data_.penalty[j] + inverse_[at]);
    }
  }
}

// out = H v without the penalty, for the folds in `open`; the others get what does not matter.
void FoldNewton::hessian_times(const Weights& v, Weights& out, const Flags& open) const {
  std::fill(out.begin(), out.end(), 0.0);
  Lanes image{};
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const double* second = curvature_.data() + m * stride_;
    bool bent = false;
    for (std::size_t k = 0; k < folds(); ++k) bent = bent || (open[k] && second[k] != 0.0);
    if (!bent) continue;
    if (m + kRowsAhead < members_.size()) data_.rows.prefetch(members_[m + kRowsAhead]);
    const Row row = data_.rows[members_[m]];
    row_scores(row, v.data(), stride_, image.data());
    for (int k = 0; k < stride_; ++k) image[k] *= second[k];
    row_update(row, out.data(), stride_, image.data());
  }
}

// Conjugate gradients until the residual is a third of what it was, in each open fold.
template <int stride>
void FoldNewton::solve(Weights& step) {
  Weights left(w_.size()), along(w_.size()), image(w_.size());
  Lanes product{}, enough{};
  for (std::size_t at = 0; at < w_.size(); ++at) left[at] = -gradient_[at], along[at] = left[at] * inverse_[at];
  product = dots<stride>(left, along);
  Flags open = open_;
  for (std::size_t k = 0; k < folds(); ++k) enough[k] = kEnough * product[k], open[k] = open[k] && product[k] > enough[k];
  for (int round = 0; round < kRounds && any(open); ++round) {
    hessian_times(along, image, open);
    Lanes curve{}, length{}, next{}, turn{};
    for (std::size_t j = 0; j < columns_; ++j) {
      for (int k = 0; k < stride; ++k) {
        const std::size_t at = j * stride + k;
        image[at] += data_.penalty[j] * along[at];
        curve[k] += along[at] * image[at];
      }
    }
    for (std::size_t k = 0; k < folds(); ++k) {
      open[k] = open[k] && curve[k] > 0.0;
      length[k] = open[k] ? product[k] / curve[k] : 0.0;
    }
    for (std::size_t at = 0; at < w_.size(); at += stride) {
      for (int k = 0; k < stride; ++k) {
        step[at + k] += length[k] * along[at + k];
        left[at + k] -= length[k] * image[at + k];
        next[k] += left[at + k] * left[at + k] * inverse_[at + k];
      }
    }
    for (std::size_t k = 0; k < folds(); ++k) {
      if (!open[k]) continue;
      turn[k] = next[k] / product[k];
      product[k] = next[k];
      open[k] = next[k] > enough[k];
    }
    for (std::size_t at = 0; at < w_.size(); at += stride) {
      for (int k = 0; k < stride; ++k) along[at + k] = left[at + k] * inverse_[at + k] + turn[k] * along[at + k];
    }
  }
}

// Moves each open fold along its step as far as the objective falls enough; a fold that does not move is done.
template <int stride>
void FoldNewton::search(const Weights& step, const Lanes& slope) {
  Weights change(scores_.size());
  score(step, change);
  Lanes own{}, linear{}, square{}, moved{}, length{};
  for (std::size_t j = 0; j < columns_; ++j) {
    for (int k = 0; k < stride; ++k) {
      const std::size_t at = j * stride + k;
      own[k] += 0.5 * data_.penalty[j] * w_[at] * w_[at];
      linear[k] += data_.penalty[j] * w_[at] * step[at];
      square[k] += data_.penalty[j] * step[at] * step[at];
    }
  }
  const Flags before = open_;  // open_ is now: still without a length
  Flags found{};
  length.fill(1.0);
  for (int tries = 0; tries < 40 && any(open_); ++tries) {
    Lanes value{};
    for_blocks([&](std::int64_t begin, std::int64_t n, std::size_t k, Block& block) {
      const std::size_t from = static_cast<std::size_t>(begin) * stride + k;
      for (std::int64_t i = 0; i < n; ++i) block.at[i] = scores_[from + i * stride] + length[k] * change[from + i * stride];
      value[k] += block.sum(loss_, n);
    });
    for (std::size_t k = 0; k < folds(); ++k) {
      if (!open_[k]) continue;
      value[k] += own[k] + length[k] * linear[k] + 0.5 * length[k] * length[k] * square[k];
      if (value[k] <= value_[k] + 1e-4 * length[k] * slope[k]) {
        open_[k] = false, found[k] = true, moved[k] = length[k];
      } else {
        length[k] *= 0.5;
      }
    }
  }
  for (std::size_t k = 0; k < folds(); ++k) open_[k] = before[k] && found[k];
  for (std::size_t at = 0; at < w_.size(); at += stride) {
    for (int k = 0; k < stride; ++k) w_[at + k] += moved[k] * step[at + k];
  }
  for (std::size_t at = 0; at < scores_.size(); at += stride) {
    for (int k = 0; k < stride; ++k) scores_[at + k] += moved[k] * change[at + k];
  }
}

void FoldNewton::step(double target) {
  Weights step(w_.size());
  Lanes slope{};
  auto go = [&]<int stride>() {
    solve<stride>(step);
    slope = dots<stride>(step, gradient_);
    for (std::size_t k = 0; k < folds(); ++k) open_[k] = open_[k] && slope[k] < 0.0;
    search<stride>(step, slope);
  };
  if (stride_ == 4) go.template operator()<4>();
  else go.template operator()<8>();
  for (std::size_t k = 0; k < folds(); ++k) open_[k] = open_[k] && -0.5 * slope[k] > target;
}

void FoldNewton::run(SmoothLoss loss, double C, double target, int most, const Time& end) {
  inverse_.clear();
  for (std::size_t k = 0; k < folds(); ++k) C_[k] = C * more_[k], open_[k] = true;
  if (loss != loss_) {
    adapt(loss);
    loss_ = loss;
    for (std::size_t k = 0; k < folds(); ++k) open_[k] = true;
  }
  for (int done = 0; done < most && any(open_); ++done) {
    if (end && std::chrono::steady_clock::now() >= *end) return;
    assess();
    step(target);
  }
}

void FoldNewton::scores_of(std::size_t fold, std::span<double> out) const {
  const std::size_t from = static_cast<std::size_t>(folds_[fold]) * stride_ + fold;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = scores_[from + i * stride_];
}

void FoldNewton::add_weights(double share, std::vector<double>& w) const {
  for (std::size_t k = 0; k < folds(); ++k) {
    for (std::size_t j = 0; j < columns_; ++j) w[j] += share * w_[j * stride_ + k];
  }
}

}  // namespace maxmargin
