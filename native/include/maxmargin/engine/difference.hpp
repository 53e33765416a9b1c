// The plane of an output that Python found: factor * (truth - features), in the shorter of two forms, with its score.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

struct Difference {
  std::vector<std::int32_t> index;  // ascending; empty for a dense plane
  std::vector<double> value;
  bool dense = false;
  double score = 0.0;  // <plane, w>
};

// Whether the features are finite, and their squares too.
inline bool usable(std::span<const double> features, double largest_square) {
  return kernels().dot(features.data(), features.data(), static_cast<std::int64_t>(features.size())) <= largest_square;
}

// Of two dense vectors: sparse where at most a third of it is not zero.
inline Difference difference(std::span<const double> truth, std::span<const double> features, double factor,
                             std::span<const double> w) {
  Difference found;
  found.value.resize(truth.size());
  std::size_t used = 0;
  for (std::size_t j = 0; j < truth.size(); ++j) {
    found.value[j] = factor * (truth[j] - features[j]);
    used += found.value[j] != 0.0;
  }
  found.score = kernels().dot(found.value.data(), w.data(), static_cast<std::int64_t>(w.size()));
  found.dense = 3 * used > truth.size();
  if (found.dense) return found;
  std::vector<double> kept;
  kept.reserve(used);
  found.index.reserve(used);
  for (std::size_t j = 0; j < truth.size(); ++j) {
    if (found.value[j] == 0.0) continue;
    found.index.push_back(static_cast<std::int32_t>(j));
    kept.push_back(found.value[j]);
  }
  found.value = std::move(kept);
  return found;
}

// Of two sparse vectors with ascending indices.
inline Difference difference(std::span<const std::int32_t> truth_index, std::span<const double> truth,
                             std::span<const std::int32_t> index, std::span<const double> features, double factor,
                             std::span<const double> w) {
  Difference found;
  auto keep = [&](std::int32_t j, double value) {
    if (value == 0.0) return;
    found.index.push_back(j);
    found.value.push_back(value);
    found.score += value * w[static_cast<std::size_t>(j)];
  };
  std::size_t s = 0, t = 0;
  while (s < truth_index.size() || t < index.size()) {
    if (t == index.size() || (s < truth_index.size() && truth_index[s] < index[t])) {
      keep(truth_index[s], factor * truth[s]);
      ++s;
    } else if (s == truth_index.size() || index[t] < truth_index[s]) {
      keep(index[t], -factor * features[t]);
      ++t;
    } else {
      keep(index[t], factor * (truth[s] - features[t]));
      ++s;
      ++t;
    }
  }
  return found;
}

}  // namespace maxmargin
