#include "maxmargin/chains/planes.hpp"

namespace maxmargin {
namespace {

// share * p + (1 - share) * q, both ordered by token and label.
std::vector<ChangedLabel> mixed(const std::vector<ChangedLabel>& p, const std::vector<ChangedLabel>& q, double share) {
  std::vector<ChangedLabel> result;
  std::size_t i = 0, j = 0;
  auto key = [](const ChangedLabel& change) { return std::pair(change.token, change.label); };
  while (i < p.size() || j < q.size()) {
    const bool first = j == q.size() || (i < p.size() && key(p[i]) <= key(q[j]));
    const bool second = i == p.size() || (j < q.size() && key(q[j]) <= key(p[i]));
    ChangedLabel change = first ? p[i] : q[j];
    change.weight = (first ? share * p[i].weight : 0.0) + (second ? (1.0 - share) * q[j].weight : 0.0);
    result.push_back(change);
    i += first;
    j += second;
  }
  return result;
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
  if (counts.empty()) return;
  const auto [lowest, highest] = std::minmax_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::int64_t first = lowest->first;
  const auto range = static_cast<std::size_t>(highest->first - first) + 1;
  std::size_t kept = 0;
  if (range <= 4 * counts.size()) {  // many counts of few numbers, as in long sequences: no need to sort
    thread_local std::vector<double> sums;
    sums.assign(range, 0.0);
    for (const auto& [index, count] : counts) sums[static_cast<std::size_t>(index - first)] += count;
    counts.clear();
    for (std::size_t at = 0; at < range; ++at) {
      if (sums[at] != 0.0) counts.emplace_back(first + static_cast<std::int64_t>(at), sums[at]);
    }
    return;
  }
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t at = 0; at < counts.size();) {
    auto sum = counts[at++];
    while (at < counts.size() && counts[at].first == sum.first) sum.second += counts[at++].second;
    if (sum.second != 0.0) counts[kept++] = sum;
  }
  counts.resize(kept);
}

std::uint64_t key_of(const std::int32_t* labels, int length) {
  std::uint64_t key = 1;
  for (int t = 0; t < length; ++t) key = (key ^ static_cast<std::uint32_t>(labels[t])) * 0x9E3779B97F4A7C15u + 1;
  return key == 0 ? 1 : key;
}

bool is_plane_of(const ChainPlane& plane, std::uint64_t key, const std::int32_t* truth, const std::vector<std::int32_t>& labels) {
  if (plane.key != key) return false;
  auto change = plane.changed.begin();
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(labels.size()); ++t) {
    const bool changed = change != plane.changed.end() && change->token == t;
    if (labels[static_cast<std::size_t>(t)] != (changed ? change->label : truth[t])) return false;
    change += changed;
  }
  return true;
}

ChainPlane make_chain_plane(const ChainData& data, const ChainLoss& loss, std::int64_t i, const std::int32_t* labels) {
  const std::int32_t* truth = data.truth(i);
  const int length = data.length(i), classes = data.shape.labels, stride = data.shape.stride();
  const Rescaled rescaling = rescaled(loss, classes, loss.rows_of(data, i), labels, length);
  ChainPlane plane;
  plane.b = rescaling.b;
  plane.key = key_of(labels, length);
  std::size_t changes = 0;
  for (int t = 0; t < length; ++t) changes += labels[t] != truth[t];
  plane.changed.reserve(changes);
  for (int t = 0; t < length; ++t) {
    if (labels[t] != truth[t]) plane.changed.push_back({t, truth[t], labels[t], rescaling.scale});
  }
  if (data.shape.pair_features > 0) {
    for_each_window(plane.changed, length, 1, [&](int t) {
      plane.changed_pairs.push_back({t, truth[t - 1] * stride + truth[t], labels[t - 1] * stride + labels[t], rescaling.scale});
    });
  }
  thread_local SparseCounts steps;  // so that the plane's own list is made once, of its size
  steps.clear();
  count_steps(data.shape, truth, length, plane.changed, rescaling.scale, steps);
  count_steps(data.shape, labels, length, plane.changed, -rescaling.scale, steps);
  tidy(steps);
  plane.steps.assign(steps.begin(), steps.end());
  return plane;
}

SparseCounts plane_row(const ChainData& data, std::int64_t i, const ChainPlane& plane) {
  const int stride = data.shape.stride(), width = data.shape.labels * stride;
  SparseCounts cells = plane.steps;
  auto add = [&](const Row& row, std::int64_t first, int apart, int truth, int label, double weight) {
    auto cell = [&](std::int64_t column, double value) {
      cells.emplace_back(first + column * apart + truth, weight * value);
      cells.emplace_back(first + column * apart + label, -weight * value);
    };
    for (std::int64_t c = 0; c < row.count; ++c) cell(row.column(c), row.value(c));
    if (row.bias != 0.0) cell(row.width, row.bias);
  };
  for (const ChangedLabel& change : plane.changed) {
    add(data.tokens[data.offsets[i] + change.token], 0, stride, change.truth, change.label, change.weight);
  }
  for (const ChangedLabel& change : plane.changed_pairs) {
    add(data.pairs[data.offsets[i] + change.token], data.shape.pair_row() * stride, width, change.truth, change.label, change.weight);
  }
  tidy(cells);
  return cells;
}

void ChainPlanes::products(const Plane& plane, const std::vector<Plane>& others, double* out) {
  const bool pairs = data_->shape.pair_features > 0;
  std::size_t touches = plane.changed.size(), pair_touches = plane.changed_pairs.size();
  for (const Plane& other : others) touches += other.changed.size(), pair_touches += other.changed_pairs.size();
  token_scores_.open(current_, plane.changed, touches);
  if (pairs) pair_scores_.open(current_, plane.changed_pairs, pair_touches);
  auto product = [&](const Plane& other) {
    double sum = token_scores_.product(other.changed);
    if (pairs) sum += pair_scores_.product(other.changed_pairs);
    std::size_t i = 0, j = 0;
    while (i < plane.steps.size() && j < other.steps.size()) {
      const std::int64_t a = plane.steps[i].first, b = other.steps[j].first;
      if (a == b) sum += plane.steps[i].second * other.steps[j].second;
      i += a <= b;
      j += b <= a;
    }
    return sum;
  };
  for (const Plane& other : others) *out++ = product(other);
  *out = product(plane);
  token_scores_.close();
  if (pairs) pair_scores_.close();
}

ChainPlane ChainPlanes::mix(const Plane& p, const Plane& q, double share) const {
  Plane result;
  result.b = share * p.b + (1.0 - share) * q.b;
  result.changed = mixed(p.changed, q.changed, share);
  result.changed_pairs = mixed(p.changed_pairs, q.changed_pairs, share);
  for (const auto& [index, count] : p.steps) result.steps.emplace_back(index, share * count);
  for (const auto& [index, count] : q.steps) result.steps.emplace_back(index, (1.0 - share) * count);
  tidy(result.steps);
  return result;
}

void ChainPlanes::collect(std::int64_t i, const Plane& plane, double c) {
  const ChainShape& shape = data_->shape;
  const int stride = shape.stride(), width = shape.labels * stride;
  const auto length = static_cast<std::size_t>(data_->length(i));
  auto room = [](std::vector<double>& numbers, std::size_t size) {
    if (numbers.size() < size) numbers.resize(size);
  };
  room(coefficients_, length * static_cast<std::size_t>(stride));
  for (const ChangedLabel& change : plane.changed) {
    double* row = coefficients_.data() + static_cast<std::int64_t>(change.token) * stride;
    row[change.truth] += c * change.weight;
    row[change.label] -= c * change.weight;
    touched_.add(change.token);
  }
  if (shape.pair_features > 0) room(pair_coefficients_, length * static_cast<std::size_t>(width));
  for (const ChangedLabel& change : plane.changed_pairs) {
    double* block = pair_coefficients_.data() + static_cast<std::int64_t>(change.token) * width;
    block[change.truth] += c * change.weight;
    block[change.label] -= c * change.weight;
    touched_pairs_.add(change.token);
  }
  for (const auto& [index, count] : plane.steps) steps_.emplace_back(index, c * count);
}

}  // namespace maxmargin
