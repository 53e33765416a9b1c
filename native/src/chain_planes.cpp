#include "maxmargin/chain_planes.hpp"

namespace maxmargin {
namespace {

// <x, y> of two rows with ascending columns.
double row_product(const Row& x, const Row& y) {
  double sum = x.bias * y.bias;
  std::int64_t i = 0, j = 0;
  while (i < x.count && j < y.count) {
    const std::int64_t a = x.column(i), b = y.column(j);
    if (a == b) sum += x.value(i) * y.value(j);
    i += a <= b;
    j += b <= a;
  }
  return sum;
}

std::int64_t triangle(std::int64_t s, std::int64_t t) { return s >= t ? s * (s + 1) / 2 + t : t * (t + 1) / 2 + s; }

// sum over changes p_s -> y_s of one output and q_t -> y_t of another of <x_s, x_t> <e(y_s) - e(p_s), e(y_t) - e(q_t)>.
// `Code` gives the true label of a token and that of an output; for label pairs both are pairs.
struct CodedChange {
  int token;
  std::int64_t truth, label;
};
double overlap(const std::vector<CodedChange>& p, const std::vector<CodedChange>& q, const TokenProducts& products) {
  double sum = 0.0;
  for (const CodedChange& a : p) {
    for (const CodedChange& b : q) {
      const int match = (a.truth == b.truth) - (a.truth == b.label) - (a.label == b.truth) + (a.label == b.label);
      if (match != 0) sum += match * products(a.token, b.token);
    }
  }
  return sum;
}

std::vector<CodedChange> coded(const std::vector<ChangedLabel>& changed, const std::int32_t* truth) {
  std::vector<CodedChange> result;
  result.reserve(changed.size());
  for (const ChangedLabel& change : changed) result.push_back({change.token, truth[change.token], change.label});
  return result;
}

std::vector<std::int32_t> with_changes(const std::int32_t* truth, int length, const std::vector<ChangedLabel>& changed) {
  std::vector<std::int32_t> labels(truth, truth + length);
  for (const ChangedLabel& change : changed) labels[static_cast<std::size_t>(change.token)] = change.label;
  return labels;
}

// Calls visit(t) once for each t in [k, length) with a changed token among t - k .. t.
template <class Visit>
void for_each_window(const std::vector<ChangedLabel>& changed, int length, int k, Visit&& visit) {
  int next = k;
  for (const ChangedLabel& change : changed) {
    for (int t = std::max(next, change.token); t <= std::min(change.token + k, length - 1); ++t) {
      visit(t);
      next = t + 1;
    }
  }
}

// The changed pairs (y_{t-1}, y_t), coded as one number each.
std::vector<CodedChange> coded_pairs(const ChainShape& shape, const std::vector<ChangedLabel>& changed, const std::int32_t* truth, int length) {
  const std::vector<std::int32_t> labels = with_changes(truth, length, changed);
  std::vector<CodedChange> result;
  for_each_window(changed, length, 1, [&](int t) {
    const std::int64_t own = static_cast<std::int64_t>(truth[t - 1]) * shape.labels + truth[t];
    const std::size_t at = static_cast<std::size_t>(t);
    result.push_back({t, own, static_cast<std::int64_t>(labels[at - 1]) * shape.labels + labels[at]});
  });
  return result;
}

}  // namespace

void count_steps(const ChainShape& shape, const std::int32_t* labels, int length, const std::vector<ChangedLabel>& changed,
                 double sign, SparseCounts& counts) {
  const int stride = shape.stride();
  const double count = sign * shape.eta;
  for (int k = 1; k <= shape.order; ++k) {
    for_each_window(changed, length, k, [&](int t) {
      std::int64_t state = 0;
      for (int back = k; back >= 1; --back) state = state * shape.labels + labels[t - back];
      counts.emplace_back((shape.transition_row(k) + state) * stride + labels[t], count);
    });
  }
  if (!shape.ends || changed.empty()) return;
  if (changed.front().token == 0) counts.emplace_back(shape.start_row() * stride + labels[0], count);
  if (changed.back().token == length - 1) counts.emplace_back(shape.end_row() * stride + labels[length - 1], count);
}

void tidy(SparseCounts& counts) {
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t at = 0; at < counts.size();) {
    auto sum = counts[at++];
    while (at < counts.size() && counts[at].first == sum.first) sum.second += counts[at++].second;
    if (sum.second != 0.0) counts[kept++] = sum;
  }
  counts.resize(kept);
}

ChainPlane make_chain_plane(const ChainData& data, const ChainLoss& loss, std::int64_t i, const std::int32_t* labels) {
  const std::int32_t* truth = data.truth(i);
  const int length = data.length(i);
  ChainPlane plane;
  for (int t = 0; t < length; ++t) {
    if (labels[t] != truth[t]) plane.changed.push_back({t, labels[t]});
  }
  count_steps(data.shape, truth, length, plane.changed, 1.0, plane.steps);
  count_steps(data.shape, labels, length, plane.changed, -1.0, plane.steps);
  tidy(plane.steps);
  const Rescaled rescaling = rescaled(loss, data.shape.labels, truth, labels, length);
  plane.b = rescaling.b;
  plane.scale = rescaling.scale;
  return plane;
}

void TokenProducts::open(std::int64_t i) {
  first_ = offsets_[i];
  const std::int64_t length = offsets_[i + 1] - first_;
  current_ = nullptr;
  if (length > kLongest) return;
  std::unique_ptr<float[]>& kept = kept_[static_cast<std::size_t>(i)];
  if (!kept) {
    kept = std::make_unique<float[]>(static_cast<std::size_t>(length * (length + 1) / 2));
    for (std::int64_t s = 0; s < length; ++s) {
      for (std::int64_t t = 0; t <= s; ++t) {
        kept[static_cast<std::size_t>(triangle(s, t))] = static_cast<float>(row_product(rows_[first_ + s], rows_[first_ + t]));
      }
    }
  }
  current_ = kept.get();
}

double TokenProducts::operator()(int s, int t) const {
  return current_ != nullptr ? static_cast<double>(current_[triangle(s, t)]) : row_product(rows_[first_ + s], rows_[first_ + t]);
}

void ChainPlanes::open_products() {
  if (opened_) return;
  opened_ = true;
  products_.open(current_);
  if (data_->shape.pair_features > 0) pair_products_.open(current_);
}

double ChainPlanes::product(const Plane& p, const Plane& q) {
  open_products();
  const std::int32_t* truth = data_->truth(current_);
  double sum = overlap(coded(p.changed, truth), coded(q.changed, truth), products_);
  if (data_->shape.pair_features > 0) {
    const int length = data_->length(current_);
    sum += overlap(coded_pairs(data_->shape, p.changed, truth, length), coded_pairs(data_->shape, q.changed, truth, length), pair_products_);
  }
  std::size_t i = 0, j = 0;
  while (i < p.steps.size() && j < q.steps.size()) {
    const std::int64_t a = p.steps[i].first, b = q.steps[j].first;
    if (a == b) sum += p.steps[i].second * q.steps[j].second;
    i += a <= b;
    j += b <= a;
  }
  return p.scale * q.scale * sum;
}

void ChainPlanes::collect(std::int64_t i, const Plane& plane, double c) {
  const ChainShape& shape = data_->shape;
  const int stride = shape.stride(), length = data_->length(i);
  const std::int32_t* truth = data_->truth(i);
  const double factor = c * plane.scale;
  const auto size = static_cast<std::size_t>(length) * static_cast<std::size_t>(stride);
  if (coefficients_.size() < size) coefficients_.resize(size);
  auto touch = [](std::vector<int>& list, int t) {
    if (std::find(list.begin(), list.end(), t) == list.end()) list.push_back(t);
  };
  for (const ChangedLabel& change : plane.changed) {
    double* row = coefficients_.data() + static_cast<std::int64_t>(change.token) * stride;
    row[truth[change.token]] += factor;
    row[change.label] -= factor;
    touch(touched_, change.token);
  }
  if (shape.pair_features > 0) {
    const int width = shape.labels * stride;
    const auto pair_size = static_cast<std::size_t>(length) * static_cast<std::size_t>(width);
    if (pair_coefficients_.size() < pair_size) pair_coefficients_.resize(pair_size);
    for (const CodedChange& change : coded_pairs(shape, plane.changed, truth, length)) {
      double* block = pair_coefficients_.data() + static_cast<std::int64_t>(change.token) * width;
      block[change.truth / shape.labels * stride + change.truth % shape.labels] += factor;
      block[change.label / shape.labels * stride + change.label % shape.labels] -= factor;
      touch(touched_pairs_, change.token);
    }
  }
  for (const auto& [index, count] : plane.steps) steps_.emplace_back(index, factor * count);
}

}  // namespace maxmargin
