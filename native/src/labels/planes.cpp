#include "maxmargin/labels/planes.hpp"

namespace maxmargin {
namespace {

LabelChanges mixed(const LabelChanges& p, const LabelChanges& q, double share) {
  LabelChanges result;
  std::size_t i = 0, j = 0;
  while (i < p.size() || j < q.size()) {
    const bool first = j == q.size() || (i < p.size() && p[i].first <= q[j].first);
    const bool second = i == p.size() || (j < q.size() && q[j].first <= p[i].first);
    const double sum = (first ? share * p[i].second : 0.0) + (second ? (1.0 - share) * q[j].second : 0.0);
    result.emplace_back(first ? p[i].first : q[j].first, sum);
    i += first;
    j += second;
  }
  return result;
}

}  // namespace

LabelPlane make_label_plane(const LabelData& data, const LabelLoss& loss, std::int64_t i, const std::uint8_t* y) {
  const LabelShape& shape = data.shape;
  const std::uint8_t* truth = data.truth(i);
  const Rescaled plane = rescaled(loss, truth, y, shape.labels);
  LabelPlane result;
  result.b = plane.b;
  for (int k = 0; k < shape.labels; ++k) {
    if (truth[k] != y[k]) result.labels.emplace_back(k, truth[k] ? plane.scale : -plane.scale);
  }
  for (int p = 0; p < shape.pair_count; ++p) {
    const bool before = truth[shape.first(p)] && truth[shape.second(p)], after = y[shape.first(p)] && y[shape.second(p)];
    if (before != after) result.pairs.emplace_back(p, before ? plane.scale : -plane.scale);
  }
  return result;
}

LabelRow plane_row(const LabelData& data, std::int64_t i, const LabelPlane& plane) {
  const LabelShape& shape = data.shape;
  const Row row = data.rows[i];
  LabelRow cells;
  auto add = [&](std::int64_t column, double value) {
    for (const auto& [k, c] : plane.labels) {
      if (value != 0.0) cells.emplace_back(column * shape.stride() + k, c * value);
    }
  };
  for (std::int64_t c = 0; c < row.count; ++c) add(row.column(c), row.value(c));
  if (row.bias != 0.0) add(row.width, row.bias);
  for (const auto& [p, c] : plane.pairs) cells.emplace_back(shape.pair_base() + p, shape.eta * c);
  std::sort(cells.begin(), cells.end());
  return cells;
}

LabelPlane LabelPlanes::mix(const Plane& p, const Plane& q, double share) const {
  Plane result;
  result.labels = mixed(p.labels, q.labels, share);
  result.pairs = mixed(p.pairs, q.pairs, share);
  result.b = share * p.b + (1.0 - share) * q.b;
  result.single = false;
  return result;
}

}  // namespace maxmargin
