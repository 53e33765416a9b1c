// Planes stored as rows of numbers: those that come from Python, and the cuts of the 1-slack form. See engine/plane_block.hpp.
//
// Over rows with a kernel (rows/kernel_patch.hpp) a plane has coefficients of training rows where weights have the scores F of these,
// so that its product with weights is a plain one, while a move along it changes scores and coefficients.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "maxmargin/engine/plane_block.hpp"
#include "maxmargin/rows/rows.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

struct StoredPlane {
  std::vector<std::int32_t> index;  // ascending; empty for a dense plane
  std::vector<double> value;
  double b = 0.0;
  bool dense = false;

  double dot(const double* weights) const {
    const auto count = static_cast<std::int64_t>(value.size());
    return dense ? kernels().dot(value.data(), weights, count)
                 : kernels().sparse_dot(index.data(), value.data(), count, weights);
  }
  void add_to(double* weights, double c) const {
    const auto count = static_cast<std::int64_t>(value.size());
    if (dense) {
      kernels().axpy(c, value.data(), weights, count);
    } else {
      kernels().sparse_axpy(c, index.data(), value.data(), count, weights);
    }
  }
  double dot(const StoredPlane& other) const {
    if (other.dense) return dot(other.value.data());
    if (dense) return other.dot(value.data());
    double sum = 0.0;
    std::size_t i = 0, j = 0;
    while (i < index.size() && j < other.index.size()) {
      if (index[i] == other.index[j]) {
        sum += value[i++] * other.value[j++];
      } else if (index[i] < other.index[j]) {
        ++i;
      } else {
        ++j;
      }
    }
    return sum;
  }
};

class StoredPlanes {
 public:
  using Plane = StoredPlane;
  static constexpr bool kCoarse = false;

  // `rows` are those that planes are combinations of, where they have a kernel; planes are sparse then.
  explicit StoredPlanes(std::int64_t dimension, const Rows* rows = nullptr)
      : dimension_(dimension), scratch_(static_cast<std::size_t>(dimension)), rows_(rows) {}

  std::int64_t weight_count() const { return dimension_; }
  std::int64_t paired() const { return rows_ == nullptr ? 0 : rows_->paired(1); }
  void prefetch(std::int64_t) const {}
  void prefetch_early(std::int64_t) const {}

  void open(std::int64_t, const double* weights) { weights_ = weights; }
  double value(const Plane& plane) const { return plane.b - plane.dot(weights_); }
  std::optional<Plane> ask(const std::vector<Plane>&) const { return std::nullopt; }
  bool same(const Plane&, const Plane&) const { return false; }
  void products(const Plane& plane, const std::vector<Plane>& others, double* out) {
    if (rows_ != nullptr) return products_by_kernel(plane, others, out);
    for (const Plane& other : others) *out++ = plane.dot(other);
    *out = plane.dot(plane);
  }
  // `squares` is |p|^2 + |q|^2 and `product` <p, q>: equal rows may be stored differently, or differ by rounding.
  bool nearly_same(const Plane& p, const Plane& q, double squares, double product) const {
    return squares - 2.0 * product <= 1e-14 * squares && std::abs(p.b - q.b) <= 1e-14 * std::abs(p.b);
  }
  void collect(std::int64_t, const Plane& plane, double c) { collected_.emplace_back(&plane, c); }
  void flush(std::int64_t, double* weights) {
    for (const auto& [plane, c] : collected_) move(*plane, c, weights, rows_ == nullptr ? nullptr : rows_->kernel->scores);
    collected_.clear();
  }

  // share * a + (1 - share) * b
  Plane mix(const Plane& a, const Plane& b, double share) {
    Plane mixed;
    mixed.b = share * a.b + (1.0 - share) * b.b;
    a.add_to(scratch_.data(), share);
    b.add_to(scratch_.data(), 1.0 - share);
    if (a.dense || b.dense) {
      mixed.dense = true;
      mixed.value = scratch_;
      std::fill(scratch_.begin(), scratch_.end(), 0.0);
      return mixed;
    }
    std::set_union(a.index.begin(), a.index.end(), b.index.begin(), b.index.end(), std::back_inserter(mixed.index));
    mixed.value.reserve(mixed.index.size());
    for (std::int32_t j : mixed.index) mixed.value.push_back(std::exchange(scratch_[static_cast<std::size_t>(j)], 0.0));
    return mixed;
  }

 private:
  // weights += c a; `scores` are those of the rows of the patch in a copy for whoever asks about rows, or null.
  void move(const Plane& plane, double c, double* weights, double* scores) const {
    if (rows_ == nullptr) return plane.add_to(weights, c);
    const KernelPatch& patch = *rows_->kernel;
    const std::int64_t n = rows_->n;
    for (std::size_t k = 0; k < plane.index.size(); ++k) {
      const std::int64_t j = plane.index[k];
      const double step = c * plane.value[k];
      if (j >= n) {
        weights[j] += step;
        continue;
      }
      weights[n + j] += step;
      const std::int64_t at = patch.place[static_cast<std::size_t>(j)];
      if (at < 0) continue;
      const double* values = patch.values + at * patch.size;
      kernels().sparse_axpy(step, patch.rows, values, patch.size, weights);
      for (std::int64_t r = 0; scores != nullptr && r < patch.size; ++r) scores[r] += step * values[r];
    }
  }

  void products_by_kernel(const Plane& plane, const std::vector<Plane>& others, double* out) {
    const KernelPatch& patch = *rows_->kernel;
    for (std::int32_t j : plane.index) {
      if (j < rows_->n && patch.place[static_cast<std::size_t>(j)] < 0) throw std::logic_error("a product of rows outside the patch of the kernel matrix was asked for");
    }
    move(plane, 1.0, scratch_.data(), nullptr);
    for (const Plane& other : others) *out++ = other.dot(scratch_.data());
    *out = plane.dot(scratch_.data());
    for (std::int64_t k = 0; k < patch.size; ++k) scratch_[static_cast<std::size_t>(patch.rows[k])] = 0.0;
    for (std::int32_t j : plane.index) scratch_[static_cast<std::size_t>(j < rows_->n ? rows_->n + j : j)] = 0.0;
  }

  std::int64_t dimension_;
  std::vector<double> scratch_;  // zero between calls
  const Rows* rows_ = nullptr;
  const double* weights_ = nullptr;
  std::vector<std::pair<const Plane*, double>> collected_;
};

using StoredBlock = WorkingSetBlock<StoredPlanes>;

}  // namespace maxmargin
