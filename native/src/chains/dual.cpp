#include "maxmargin/chains/dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace maxmargin {

ChainDual::ChainDual(const ChainData& data, double C, const double* sample_weight, const std::uint32_t* observed)
    : weights(static_cast<std::size_t>(data.shape.weight_count())),
      gaps(static_cast<std::size_t>(data.n), std::numeric_limits<float>::infinity()),
      data_(data),
      C_(C),
      sample_weight_(sample_weight),
      observed_(observed),
      w_(weights.size()),
      products_(data.tokens, data.offsets, data.n),
      marginals_(static_cast<std::size_t>(data.offsets[data.n] * data.shape.stride())),
      steps_(static_cast<std::size_t>(data.n * data.shape.labels * data.shape.stride())),
      entropy_(static_cast<std::size_t>(data.n)),
      summed_(data.shape.features, data.shape.stride()),
      scorer_(data_) {
  if (data.shape.order != 1 || data.shape.pair_features > 0) throw std::invalid_argument("dual ascent is for chains of order 1 without pair features");
  const int stride = data.shape.stride();
  for (std::int64_t i = 0; i < data.n; ++i) {  // alpha is all at the truth, so w = 0
    const std::int32_t* truth = data.truth(i);
    float* steps = steps_.data() + i * data.shape.labels * stride;
    for (int t = 0; t < data.length(i); ++t) {
      marginals_[static_cast<std::size_t>((data.offsets[i] + t) * stride + truth[t])] = 1.0F;
      if (t > 0) steps[truth[t - 1] * stride + truth[t]] += 1.0F;
    }
  }
}

void ChainDual::restore(std::span<const std::int32_t> examples, const float* marginals, const float* steps, const double* entropy) {
  const int stride = data_.shape.stride(), labels = data_.shape.labels;
  for (std::int32_t i : examples) {
    const std::int64_t cells = static_cast<std::int64_t>(data_.length(i)) * stride, pairs = static_cast<std::int64_t>(labels) * stride;
    std::copy_n(marginals, cells, marginals_.begin() + data_.offsets[i] * stride);
    std::copy_n(steps, pairs, steps_.begin() + i * pairs);
    entropy_[static_cast<std::size_t>(i)] = *entropy++;
    marginals += cells;
    steps += pairs;
  }
  sharpen();
  const double square = square_of(weights.data());
  if (total_entropy_ < square) retreat(std::max(0.0, total_entropy_ / square));
}

// Mixes every alpha with the truth, which has no entropy; the mixture has at least `share` times that of alpha.
void ChainDual::retreat(double share) {
  const int stride = data_.shape.stride(), labels = data_.shape.labels;
  const auto kept = static_cast<float>(share);
  for (float& marginal : marginals_) marginal *= kept;
  for (float& step : steps_) step *= kept;
  for (double& entropy : entropy_) entropy *= share;
  for (std::int64_t i = 0; i < data_.n; ++i) {
    const std::int32_t* truth = data_.truth(i);
    for (int t = 0; t < data_.length(i); ++t) {
      marginals_[static_cast<std::size_t>((data_.offsets[i] + t) * stride + truth[t])] += 1.0F - kept;
      if (t > 0) steps_[static_cast<std::size_t>((i * labels + truth[t - 1]) * stride + truth[t])] += 1.0F - kept;
    }
  }
  sharpen();
}

std::int64_t ChainDual::visit(std::span<const std::int32_t> order) {
  for (std::int32_t i : order) visit_one(i);
  return static_cast<std::int64_t>(order.size());
}

void ChainDual::visit_one(std::int64_t i) {
  const double c = C_ * (sample_weight_ == nullptr ? 1.0 : sample_weight_[i]);
  if (c == 0.0) {
    gaps[static_cast<std::size_t>(i)] = 0.0F;
    return;
  }
  const int stride = data_.shape.stride(), labels = data_.shape.labels, length = data_.length(i);
  scorer_.read_steps(w_.data());
  const Trellis<float>& coarse = scorer_.open(i, w_.data());
  nodes_.assign(coarse.nodes, coarse.nodes + static_cast<std::int64_t>(length) * stride);
  table_.assign(coarse.steps[0], coarse.steps[0] + static_cast<std::int64_t>(labels) * stride);
  trellis_ = Trellis<double>{length, labels, stride, 1, nodes_.data(), {table_.data()}, nullptr};
  sums_.read_steps(trellis_);
  const double log_sum = sums_.forward(trellis_);
  sums_.backward();

  // Marginals and expected steps of p, then their differences from those of alpha.
  node_change_.resize(static_cast<std::size_t>(length) * stride);
  step_change_.assign(static_cast<std::size_t>(labels) * stride, 0.0);
  double sums[3] = {}, distance = 0.0;  // expected scores of alpha and p, a difference in L1; max_t of that
  const float* marginals = marginals_.data() + data_.offsets[i] * stride;
  sums_.count_all_steps(trellis_, step_change_.data());
  for (int t = 0; t < length; ++t) {
    double* change = node_change_.data() + static_cast<std::int64_t>(t) * stride;
    sums_.marginals(t, change);
    sums[2] = 0.0;
    kernels().compare(marginals + static_cast<std::int64_t>(t) * stride, change, trellis_.node(t), stride, sums);
    distance = std::max(distance, sums[2]);
  }
  kernels().compare(steps_.data() + i * labels * stride, step_change_.data(), table_.data(), static_cast<std::int64_t>(labels) * stride, sums);
  const double own = sums[0], other = sums[1];

  const double entropy = std::max(0.0, log_sum - other);
  double& bound = entropy_[static_cast<std::size_t>(i)];
  const double gap = std::max(0.0, c * (log_sum - bound - own));
  gaps[static_cast<std::size_t>(i)] = static_cast<float>(gap);
  const double bend = c * distance * distance;
  const double curvature = c * c * squared_change(i, length) + bend;
  const double share = curvature > 0.0 ? std::min(1.0, (gap + 0.5 * bend) / curvature) : 1.0;
  if (!(share > 0.0)) {
    summed_.clear();
    return;
  }
  const double gained = (1.0 - share) * bound + share * entropy + 0.5 * share * (1.0 - share) * distance * distance;
  total_entropy_ += c * (gained - bound) - share * c * offset_of(i, node_change_.data(), length);
  bound = gained;
  add_to(i, node_change_.data(), step_change_.data(), share * c, w_.data());
  kernels().shift(marginals_.data() + data_.offsets[i] * stride, node_change_.data(), share, static_cast<std::int64_t>(node_change_.size()));
  kernels().shift(steps_.data() + i * labels * stride, step_change_.data(), share, static_cast<std::int64_t>(step_change_.size()));
}

// The expected sum of the labels' offsets.
double ChainDual::offset_of(std::int64_t i, const double* nodes, int length) const {
  if (data_.label_offset == nullptr) return 0.0;
  double sum = 0.0;
  for (int t = 0; t < length; ++t) {
    const double* offset = data_.offset_of(data_.offsets[i] + t);
    for (int y = 0; y < data_.shape.labels; ++y) sum += nodes[static_cast<std::int64_t>(t) * data_.shape.stride() + y] * offset[y];
  }
  return sum;
}

// |sum_t phi_t (x) d_t|^2 + eta^2 (|steps|^2 + |first|^2 + |last|^2). It decides on the length of a step only, so tokens whose
// labels hardly change are left out of the sum over pairs.
double ChainDual::squared_change(std::int64_t i, int length) {
  const int stride = data_.shape.stride();
  const double eta = data_.shape.eta;
  auto change = [&](int t) { return node_change_.data() + static_cast<std::int64_t>(t) * stride; };
  auto dot = [&](int s, int t) { return kernels().dot(change(s), change(t), stride); };
  double total = 0.0;
  if (products_.fits(i)) {
    constexpr double kNegligible = 1e-6;  // of the largest |d_t|^2
    products_.open(i);
    squares_.resize(static_cast<std::size_t>(length));
    for (int t = 0; t < length; ++t) squares_[static_cast<std::size_t>(t)] = dot(t, t);
    const double least = kNegligible * *std::max_element(squares_.begin(), squares_.end());
    changed_.clear();
    for (int s = 0; s < length; ++s) {
      const double square = squares_[static_cast<std::size_t>(s)];
      if (square <= least) continue;
      total += products_(s, s) * square;
      for (int t : changed_) {
        const double product = products_(s, t);
        if (product != 0.0) total += 2.0 * product * dot(s, t);
      }
      changed_.push_back(s);
    }
  } else {
    for (int t = 0; t < length; ++t) summed_.add(data_.tokens[data_.offsets[i] + t], change(t));
    total = summed_.square();
  }
  double steps = std::inner_product(step_change_.begin(), step_change_.end(), step_change_.begin(), 0.0);
  if (data_.shape.ends) steps += dot(0, 0) + dot(length - 1, length - 1);
  return std::max(0.0, total) + eta * eta * steps;
}

template <class Real>
void ChainDual::add_to(std::int64_t i, const double* nodes, const double* steps, double factor, Real* w) {
  const ChainShape& shape = data_.shape;
  const int stride = shape.stride(), length = data_.length(i), words = (shape.labels + 31) / 32;
  counts_.resize(static_cast<std::size_t>(stride));
  auto add_row = [&](const double* change, std::int64_t row, double times) {
    Real* into = w + row * stride;
    for (int y = 0; y < shape.labels; ++y) {
      if (observed_ == nullptr || (observed_[row * words + y / 32] >> (y % 32) & 1u)) into[y] += static_cast<Real>(times * change[y]);
    }
  };
  if (summed_.empty()) {
    for (int t = 0; t < length; ++t) {
      const double* change = nodes + static_cast<std::int64_t>(t) * stride;
      for (int y = 0; y < stride; ++y) counts_[static_cast<std::size_t>(y)] = factor * change[y];
      data_.tokens.each_move(data_.offsets[i] + t, [&](const Row& row) {
        if (observed_ == nullptr) {
          row_update(row, w, stride, counts_.data());
        } else {
          kernels_for(w).update_observed(row, w, stride, counts_.data(), observed_, words);
        }
      });
    }
  } else {  // `squared_change` has them
    summed_.each([&](std::int64_t column, const double* sums) { add_row(sums, column, factor); });
    summed_.clear();
  }
  if (shape.ends) {
    add_row(nodes, shape.start_row(), factor * shape.eta);
    add_row(nodes + static_cast<std::int64_t>(length - 1) * stride, shape.end_row(), factor * shape.eta);
  }
  for (int y = 0; y < shape.labels; ++y) add_row(steps + static_cast<std::int64_t>(y) * stride, shape.transition_row(1) + y, factor * shape.eta);
}

// |w|^2, see engine/weights.hpp.
template <class Real>
double ChainDual::square_of(const Real* w) const {
  auto product = [](const Real* a, const Real* b, std::int64_t count) {
    double total = 0.0;
    for (std::int64_t k = 0; k < count; ++k) total += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    return total;
  };
  const std::int64_t paired = data_.tokens.paired(data_.shape.stride());
  const Real* rest = w + 2 * paired;
  return product(w, w + paired, paired) + product(rest, rest, static_cast<std::int64_t>(w_.size()) - 2 * paired);
}

double ChainDual::dual() const {
  if (data_.tokens.kernel != nullptr) return total_entropy_ - 0.5 * square_of(w_.data());
  return total_entropy_ - 0.5 * kernels().coarse_square(w_.data(), static_cast<std::int64_t>(w_.size()));
}

void ChainDual::sharpen() {
  std::fill(weights.begin(), weights.end(), 0.0);
  const int stride = data_.shape.stride(), labels = data_.shape.labels;
  total_entropy_ = 0.0;
  for (std::int64_t i = 0; i < data_.n; ++i) {
    const double c = C_ * (sample_weight_ == nullptr ? 1.0 : sample_weight_[i]);
    total_entropy_ += c * entropy_[static_cast<std::size_t>(i)];
    if (c == 0.0) continue;
    const int length = data_.length(i);
    const std::int32_t* truth = data_.truth(i);
    const float* marginals = marginals_.data() + data_.offsets[i] * stride;
    const float* steps = steps_.data() + i * labels * stride;
    node_change_.assign(static_cast<std::size_t>(length) * stride, 0.0);
    step_change_.assign(static_cast<std::size_t>(labels) * stride, 0.0);
    for (std::size_t k = 0; k < node_change_.size(); ++k) node_change_[k] = -static_cast<double>(marginals[k]);
    for (std::size_t s = 0; s < step_change_.size(); ++s) step_change_[s] = -static_cast<double>(steps[s]);
    for (int t = 0; t < length; ++t) {
      node_change_[static_cast<std::size_t>(t * stride + truth[t])] += 1.0;
      if (t > 0) step_change_[static_cast<std::size_t>(truth[t - 1] * stride + truth[t])] += 1.0;
    }
    total_entropy_ -= c * offset_of(i, node_change_.data(), length);
    add_to(i, node_change_.data(), step_change_.data(), c, weights.data());
  }
  std::copy(weights.begin(), weights.end(), w_.begin());
}

}  // namespace maxmargin
