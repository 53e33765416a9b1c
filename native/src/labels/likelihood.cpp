#include "maxmargin/labels/likelihood.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/labels/sums.hpp"
#include "maxmargin/engine/newton.hpp"
#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/engine/truncated_newton.hpp"
#include "maxmargin/rows/row_blocks.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kDirectColumns = 64;  // of which all products are summed up for the preconditioner
constexpr double kDifference = 1e-4;         // largest change of a score in a difference of gradients
constexpr double kLeastSpread = 1e-3;

}  // namespace

LabelFit::LabelFit(const LabelProblem& problem, const double* weight, double C, int threads)
    : problem_(problem), weight_(weight), C_(C), threads_(threads), stride_(problem.data->shape.stride()) {
  const LabelShape& shape = problem.data->shape;
  const auto cells = static_cast<std::size_t>(problem.data->rows.n * stride_);
  w_.resize(static_cast<std::size_t>(shape.weight_count()));
  for (auto* table : {&gains_, &chances_, &change_}) table->resize(cells);
  truths_.resize(static_cast<std::size_t>(shape.pair_count));
  for (std::int64_t i = 0; i < problem.data->rows.n; ++i) {
    const std::uint8_t* y = problem.data->truth(i);
    total_ += weight_of(i);
    for (int p = 0; p < shape.pair_count; ++p) truths_[p] += y[shape.first(p)] && y[shape.second(p)] ? weight_of(i) : 0.0;
  }
}

std::vector<double> LabelFit::pair_scores(const std::vector<double>& w) const {
  const LabelShape& shape = problem_.data->shape;
  std::vector<double> pairs(w.begin() + shape.pair_base(), w.begin() + shape.pair_base() + shape.pair_count);
  for (double& pair : pairs) pair *= shape.eta;
  return pairs;
}

void LabelFit::score(const std::vector<double>& w, std::vector<double>& out) const {
  in_parallel(problem_.data->rows.n, threads_, [&](int, std::int64_t begin, std::int64_t end) {
    RowBlock block(stride_);
    for (std::int64_t at = begin; block.fill([this](std::int64_t i) { return weight_of(i); }, at, end);) {
      score_rows(problem_.data->rows, block.count, block, w.data(), stride_, block.table.data());
      for (std::int64_t r = 0; r < block.count; ++r) std::copy_n(block.table.begin() + r * stride_, stride_, out.begin() + block(r) * stride_);
    }
  });
}

void LabelFit::assess() {
  if (current_) return;
  current_ = true;
  const LabelData& data = *problem_.data;
  const LabelShape& shape = data.shape;
  const std::int64_t n = data.rows.n;
  const std::vector<double> pairs = pair_scores(w_);
  struct Part {
    double value = 0.0;
    std::vector<double> gradient, both;
  };
  std::vector<Part> parts(static_cast<std::size_t>(thread_count(n, threads_)));
  score(w_, gains_);
  in_parallel(n, threads_, [&](int thread, std::int64_t begin, std::int64_t end) {
    Part& part = parts[static_cast<std::size_t>(thread)];
    part.gradient.resize(w_.size());
    part.both.resize(truths_.size());
    LabelSums sums(problem_);
    sums.read_pairs(pairs.data());
    RowBlock block(stride_);
    for (std::int64_t at = begin; block.fill([this](std::int64_t i) { return weight_of(i); }, at, end);) {
      for (std::int64_t r = 0; r < block.count; ++r) {
        const std::int64_t i = block(r);
        const LabelScores scores{&shape, gains_.data() + i * stride_, pairs.data()};
        const std::uint8_t* truth = data.truth(i);
        double *chance = chances_.data() + i * stride_, *coefficient = block.table.data() + r * stride_;
        part.value += weight_of(i) * (sums.run(scores) - scores(truth));
        sums.chances(chance);
        sums.collect_pairs(weight_of(i));
        for (int k = 0; k < shape.labels; ++k) coefficient[k] = weight_of(i) * (chance[k] - truth[k]);
      }
      add_rows(data.rows, block.count, block, part.gradient.data(), stride_, block.table.data());
    }
    sums.give_pairs(part.both.data());
  });
  value_ = 0.0;
  gradient_ = w_;
  both_.assign(truths_.size(), 0.0);
  for (const Part& part : parts) {
    value_ += part.value;
    kernels().axpy(1.0, part.gradient.data(), gradient_.data(), std::ssize(gradient_));
    for (std::size_t p = 0; p < both_.size(); ++p) both_[p] += part.both[p];
  }
  value_ += 0.5 * kernels().dot(w_.data(), w_.data(), std::ssize(w_));
  for (int p = 0; p < shape.pair_count; ++p) gradient_[static_cast<std::size_t>(shape.pair_base() + p)] += shape.eta * (both_[p] - truths_[p]);
}

double LabelFit::bound() const { return 0.5 * kernels().dot(gradient_.data(), gradient_.data(), std::ssize(gradient_)); }

std::vector<double> LabelFit::hessian_times(const std::vector<double>& v) {
  const LabelData& data = *problem_.data;
  const LabelShape& shape = data.shape;
  const std::int64_t n = data.rows.n;
  score(v, change_);
  const std::vector<double> pair_change = pair_scores(v);
  double largest = 0.0;
  for (double change : change_) largest = std::max(largest, std::abs(change));
  for (double change : pair_change) largest = std::max(largest, std::abs(change));
  if (!(largest > 0.0) || !std::isfinite(largest)) return v;
  const double by = kDifference / largest;
  std::vector<double> pairs = pair_scores(w_);
  for (std::size_t p = 0; p < pairs.size(); ++p) pairs[p] += by * pair_change[p];
  struct Part {
    std::vector<double> gradient, both;
  };
  std::vector<Part> parts(static_cast<std::size_t>(thread_count(n, threads_)));
  in_parallel(n, threads_, [&](int thread, std::int64_t begin, std::int64_t end) {
    Part& part = parts[static_cast<std::size_t>(thread)];
    part.gradient.resize(w_.size());
    part.both.resize(both_.size());
    LabelSums sums(problem_);
    sums.read_pairs(pairs.data());
    std::vector<double> gain(static_cast<std::size_t>(stride_)), chance(gain);
    RowBlock block(stride_);
    for (std::int64_t at = begin; block.fill([this](std::int64_t i) { return weight_of(i); }, at, end);) {
      for (std::int64_t r = 0; r < block.count; ++r) {
        const std::int64_t i = block(r);
        double* coefficient = block.table.data() + r * stride_;
        if (shape.pair_count == 0) {  // labels for themselves, whose curvature is known
          for (int k = 0; k < shape.labels; ++k) {
            const double own = chances_[i * stride_ + k];
            coefficient[k] = weight_of(i) * own * (1.0 - own) * change_[i * stride_ + k];
          }
          continue;
        }
        for (int k = 0; k < shape.labels; ++k) gain[k] = gains_[i * stride_ + k] + by * change_[i * stride_ + k];
        sums.run({&shape, gain.data(), pairs.data()});
        sums.chances(chance.data());
        sums.collect_pairs(weight_of(i));
        for (int k = 0; k < shape.labels; ++k) coefficient[k] = weight_of(i) / by * (chance[k] - chances_[i * stride_ + k]);
      }
      add_rows(data.rows, block.count, block, part.gradient.data(), stride_, block.table.data());
    }
    sums.give_pairs(part.both.data());
  });
  std::vector<double> out = v;
  for (const Part& part : parts) kernels().axpy(1.0, part.gradient.data(), out.data(), std::ssize(out));
  for (int p = 0; p < shape.pair_count; ++p) {
    double change = -both_[p];
    for (const Part& part : parts) change += part.both[p];
    out[static_cast<std::size_t>(shape.pair_base() + p)] += shape.eta * change / by;
  }
  return out;
}

// What stands for the Hessian: labels and pairs apart, after columns and pairs are centred, y_j y_k being (y_j - r_j) (y_k - r_k) up to
// what the constant feature can say, with r_k the mean probability of label k. A label's block is the products of the columns times
// its mean variance.
void LabelFit::prepare() {
  const LabelData& data = *problem_.data;
  const LabelShape& shape = data.shape;
  const std::int64_t n = data.rows.n, d = shape.columns;
  const bool direct = d <= kDirectColumns;
  if (squares_.empty()) sum_columns();
  mean_.assign(static_cast<std::size_t>(shape.labels), 0.0);
  spread_ = mean_;
  for (std::int64_t i = 0; i < n; ++i) {
    const double share = weight_of(i) / total_;
    if (share == 0.0) continue;
    for (int k = 0; k < shape.labels; ++k) {
      const double chance = chances_[i * stride_ + k];
      mean_[k] += share * chance;
      spread_[k] += share * chance * (1.0 - chance);
    }
  }
  for (double& spread : spread_) spread = std::max(spread, kLeastSpread);
  if (!direct) return;
  factors_.resize(static_cast<std::size_t>(shape.labels * d * d));
  std::vector<double> block(static_cast<std::size_t>(d * d)), nothing(static_cast<std::size_t>(d));
  for (int k = 0; k < shape.labels; ++k) {
    for (std::int64_t at = 0; at < d * d; ++at) block[at] = spread_[k] * squares_[at];
    for (std::int64_t j = 0; j < d; ++j) block[j * d + j] += 1.0;
    if (!solve_positive(block, nothing)) {  // rounding: the columns for themselves
      std::fill(block.begin(), block.end(), 0.0);
      for (std::int64_t j = 0; j < d; ++j) block[j * d + j] = std::sqrt(1.0 + spread_[k] * squares_[j * d + j]);
    }
    std::copy(block.begin(), block.end(), factors_.begin() + k * d * d);
  }
}

// Sums over the examples: the products of all columns where they are few, else their squares about the mean, and the means.
void LabelFit::sum_columns() {
  const Rows& rows = problem_.data->rows;
  const std::int64_t d = rows.columns();
  const bool direct = d <= kDirectColumns;
  squares_.resize(static_cast<std::size_t>(direct ? d * d : d));
  column_means_.assign(static_cast<std::size_t>(d), 0.0);
  std::vector<double> row(static_cast<std::size_t>(d));
  for (std::int64_t i = 0; i < rows.n; ++i) {
    const Row cells = rows[i];
    const double weight = weight_of(i);
    if (weight == 0.0) continue;
    if (!direct) {
      for (std::int64_t c = 0; c < cells.count; ++c) {
        const double x = cells.value(c);
        squares_[cells.column(c)] += weight * x * x;
        column_means_[cells.column(c)] += weight / total_ * x;
      }
      continue;
    }
    std::fill(row.begin(), row.end(), 0.0);
    kernels().fine.row_axpy(cells, 1.0, row.data());
    for (std::int64_t j = 0; j < d; ++j) {
      if (row[j] != 0.0) kernels().axpy(weight * row[j], row.data(), squares_.data() + j * d, j + 1);
    }
  }
  if (direct) return;
  for (std::int64_t j = 0; j < d; ++j) {
    if (rows.bias == 0.0) column_means_[j] = 0.0;
    squares_[j] = std::max(squares_[j] - total_ * column_means_[j] * column_means_[j], 0.0);
  }
  if (rows.bias != 0.0) squares_[d - 1] = total_ * rows.bias * rows.bias;
}

void LabelFit::precondition(std::vector<double>& v) const {
  const LabelShape& shape = problem_.data->shape;
  const std::int64_t d = shape.columns, base = shape.pair_base();
  const double bias = problem_.data->rows.bias;
  double* constant = v.data() + (d - 1) * stride_;
  if (bias != 0.0) {
    for (int p = 0; p < shape.pair_count; ++p) {
      const int j = shape.first(p), k = shape.second(p);
      v[base + p] -= shape.eta / bias * (mean_[k] * constant[j] + mean_[j] * constant[k]);
    }
  }
  if (d <= kDirectColumns) {
    std::vector<double> part(static_cast<std::size_t>(d));
    for (int k = 0; k < shape.labels; ++k) {
      for (std::int64_t j = 0; j < d; ++j) part[j] = v[j * stride_ + k];
      solve_factored(factors_.data() + k * d * d, part);
      for (std::int64_t j = 0; j < d; ++j) v[j * stride_ + k] = part[j];
    }
  } else {
    const std::vector<double> own(constant, constant + shape.labels);
    std::vector<double> shift(own.size());
    for (std::int64_t j = 0; j < d; ++j) {
      double* row = v.data() + j * stride_;
      const double square = squares_[j], mean = column_means_[j], share = mean != 0.0 ? mean / bias : 0.0;
      for (int k = 0; k < shape.labels; ++k) {
        row[k] = (row[k] - share * own[k]) / (1.0 + spread_[k] * square);
        shift[k] += mean * row[k];
      }
    }
    if (bias != 0.0) {
      for (int k = 0; k < shape.labels; ++k) constant[k] -= shift[k] / bias;
    }
  }
  for (int p = 0; p < shape.pair_count; ++p) {
    const int j = shape.first(p), k = shape.second(p);
    double& pair = v[base + p];
    pair /= 1.0 + shape.eta * shape.eta * total_ * std::max(spread_[j] * spread_[k], kLeastSpread);
    if (bias == 0.0) continue;
    constant[j] -= shape.eta / bias * mean_[k] * pair;
    constant[k] -= shape.eta / bias * mean_[j] * pair;
  }
}

double LabelFit::losses(const std::vector<double>& gains, const std::vector<double>& pairs) const {
  const LabelData& data = *problem_.data;
  std::vector<double> parts(static_cast<std::size_t>(thread_count(data.rows.n, threads_)));
  in_parallel(data.rows.n, threads_, [&](int thread, std::int64_t begin, std::int64_t end) {
    LabelSums sums(problem_);
    sums.read_pairs(pairs.data());
    for (std::int64_t i = begin; i < end; ++i) {
      if (weight_of(i) == 0.0) continue;
      const LabelScores scores{&data.shape, gains.data() + i * stride_, pairs.data()};
      parts[static_cast<std::size_t>(thread)] += weight_of(i) * (sums.run(scores) - scores(data.truth(i)));
    }
  });
  double sum = 0.0;
  for (double part : parts) sum += part;
  return sum;
}

bool LabelFit::step() {
  prepare();
  const std::vector<double> step =
      conjugate_gradients(gradient_, [&](const std::vector<double>& v) { return hessian_times(v); }, [&](std::vector<double>& v) { precondition(v); });
  const auto& k = kernels();
  const auto d = std::ssize(step);
  const double slope = k.dot(step.data(), gradient_.data(), d), before = value_;
  decrement_ = -0.5 * slope;
  if (!(slope < 0.0)) return false;
  const std::vector<double> origin = w_;
  k.axpy(1.0, step.data(), w_.data(), d);
  current_ = false;
  assess();  // a whole step is the rule, and then this is the next point
  if (value_ <= before + 1e-4 * slope) return true;
  w_ = origin;
  current_ = false;
  score(w_, gains_);
  score(step, change_);
  const std::vector<double> pairs = pair_scores(w_), pair_change = pair_scores(step);
  const double own = k.dot(w_.data(), w_.data(), d), linear = k.dot(w_.data(), step.data(), d), square = k.dot(step.data(), step.data(), d);
  std::vector<double> gains(gains_.size()), moved(pairs.size());
  double length = 0.5;
  for (int tries = 0; tries < 40; ++tries, length *= 0.5) {
    for (std::size_t c = 0; c < gains.size(); ++c) gains[c] = gains_[c] + length * change_[c];
    for (std::size_t p = 0; p < pairs.size(); ++p) moved[p] = pairs[p] + length * pair_change[p];
    const double value = 0.5 * own + length * (linear + 0.5 * length * square) + losses(gains, moved);
    if (!(value <= before + 1e-4 * length * slope)) continue;
    k.axpy(length, step.data(), w_.data(), d);
    return true;
  }
  return false;
}

int LabelFit::run(double target, int most) {
  for (int done = 0; done < most; ++done) {
    assess();
    if (!step() || decrement_ <= target) return done + 1;
  }
  return most;
}

void label_log_odds(const LabelProblem& problem, const double* weights, std::span<double> odds, int threads) {
  in_parallel(problem.data->rows.n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    LabelScorer scorer(*problem.data);
    LabelSums sums(problem);
    for (std::int64_t i = begin; i < end; ++i) {
      sums.log_odds(scorer.open(i, weights), odds.data() + i * problem.data->shape.labels);
    }
  });
}

}  // namespace maxmargin
