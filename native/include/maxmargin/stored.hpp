// Planes held as rows of numbers: those that come from Python, and the cuts of the 1-slack form.
//
// Each block keeps its planes and their Gram matrix. Plane 0 of a block is the zero plane (a = 0, b = 0), which takes
// up the rest of a cap; plane k > 0 is the k-th stored one and belongs to entry k - 1 of the block's support list.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/budget.hpp"
#include "maxmargin/kernels.hpp"
#include "maxmargin/support.hpp"

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

class StoredBlock {
 public:
  static constexpr bool kCoarse = false;

  StoredBlock(std::int64_t blocks, std::int64_t dimension)
      : groups_(static_cast<std::size_t>(blocks)), dimension_(dimension), scratch_(static_cast<std::size_t>(dimension)) {}

  std::int64_t weight_count() const { return dimension_; }
  const std::vector<StoredPlane>& planes(std::int64_t block) const { return groups_[static_cast<std::size_t>(block)].planes; }

  // Takes a plane in and returns true, or false where an equal one is held already.
  bool add(std::int64_t block, StoredPlane plane, SupportLists& lists) {
    Group& group = groups_[static_cast<std::size_t>(block)];
    const std::size_t count = group.planes.size();
    const double square = plane.dot(plane);
    row_.resize(count + 1);
    for (std::size_t k = 0; k < count; ++k) {
      row_[k] = plane.dot(group.planes[k]);
      const double scale = square + group.at(k, k);
      const bool equal = square + group.at(k, k) - 2.0 * row_[k] <= 1e-14 * scale;
      if (equal && std::abs(plane.b - group.planes[k].b) <= 1e-14 * std::abs(plane.b)) return false;
    }
    row_[count] = square;
    group.append(row_);
    group.planes.push_back(std::move(plane));
    lists.resize(block, static_cast<std::int32_t>(count + 1));
    lists[block].entries[count] = SupportEntry{static_cast<std::int32_t>(count), 0, 0.0};
    return true;
  }

  // Merges the least used planes of a block until at most `capacity` are left. The merged plane is their mean
  // weighted by alpha, again a lower bound of the slack, and w does not change.
  void merge(std::int64_t block, std::int32_t capacity, SupportLists& lists) {
    Group& group = groups_[static_cast<std::size_t>(block)];
    SupportLists::List& list = lists[block];
    while (list.size > capacity && list.size > 1) {
      std::int32_t first = 0, second = 1;  // the two smallest alpha
      if (list.entries[1].alpha < list.entries[0].alpha) std::swap(first, second);
      for (std::int32_t k = 2; k < list.size; ++k) {
        if (list.entries[k].alpha < list.entries[first].alpha) {
          second = std::exchange(first, k);
        } else if (list.entries[k].alpha < list.entries[second].alpha) {
          second = k;
        }
      }
      const double total = list.entries[first].alpha + list.entries[second].alpha;
      if (total > 0.0) {
        blend(group, first, second, list.entries[first].alpha / total);
        list.entries[second].alpha = total;
      }
      drop(group, lists, block, first);
    }
  }

  void prefetch(std::int64_t) const {}
  void prefetch_early(std::int64_t) const {}

  void open(std::int64_t block, const double* weights) {
    block_ = block;
    group_ = &groups_[static_cast<std::size_t>(block)];
    size_ = static_cast<int>(group_->planes.size()) + 1;
    alpha_.assign(static_cast<std::size_t>(size_), 0.0);
    change_.assign(static_cast<std::size_t>(size_), 0.0);
    gradient_.assign(static_cast<std::size_t>(size_), 0.0);
    for (int k = 1; k < size_; ++k) gradient_[k] = plane(k).b - plane(k).dot(weights);
    ridge_ = 0.0;
  }

  void load(const SupportLists::List& held, double cap, double ridge, bool) {
    total_ = value_ = linear_change_ = 0.0;
    for (int k = 1; k < size_; ++k) {
      alpha_[k] = held.entries[k - 1].alpha;
      total_ += alpha_[k];
      value_ += alpha_[k] * gradient_[k];
    }
    spent_ = total_;
    ridge_ = ridge;
    if (cap < std::numeric_limits<double>::infinity()) alpha_[0] = std::max(0.0, cap - total_);
    if (ridge > 0.0) {
      for (int k = 1; k < size_; ++k) gradient_[k] -= ridge * total_;
    }
  }

  void store(SupportLists& lists, std::int32_t keep_idle, bool aging) {
    SupportLists::List& list = lists[block_];
    for (int k = size_ - 1; k >= 1; --k) {
      SupportEntry& entry = list.entries[k - 1];
      entry.alpha = alpha_[k];
      entry.idle = entry.alpha > 0.0 ? 0 : entry.idle + (aging ? 1 : 0);
      if (aging && entry.idle > keep_idle) drop(*group_, lists, block_, k - 1);
    }
  }

  void apply(double* weights) const {
    for (int k = 1; k < size_; ++k) {
      if (change_[k] != 0.0) plane(k).add_to(weights, change_[k]);
    }
  }

  // Adds sum alpha a of a block to the weights and returns sum alpha b.
  double deposit(std::int64_t block, const SupportLists::List& list, double* weights) const {
    double linear = 0.0;
    for (std::int32_t k = 0; k < list.size; ++k) {
      const StoredPlane& held = planes(block)[static_cast<std::size_t>(k)];
      held.add_to(weights, list.entries[k].alpha);
      linear += list.entries[k].alpha * held.b;
    }
    return linear;
  }

  int size() const { return size_; }
  int zero() const { return 0; }
  double alpha(int k) const { return alpha_[k]; }
  double gradient(int k) const { return gradient_[k]; }
  double spent() const { return spent_; }
  double total() const { return total_; }
  double value() const { return value_; }
  double held_value() const { return 0.0; }
  double linear_change() const { return linear_change_; }
  bool holds(int) const { return true; }

  int worst() const {
    return static_cast<int>(std::max_element(gradient_.begin(), gradient_.begin() + size_) - gradient_.begin());
  }

  double curvature(int k, int l) const { return std::max(0.0, gram(k, k) + gram(l, l) - 2.0 * gram(k, l)); }
  double curvature(int k) const { return k == 0 ? 0.0 : gram(k, k) + ridge_; }

  double quadratic(const double* d) const {
    double sum = 0.0, spent = 0.0;
    for (int k = 1; k < size_; ++k) {
      if (d[k] == 0.0) continue;
      double inner = 0.0;
      for (int l = 1; l < size_; ++l) inner += gram(k, l) * d[l];
      sum += d[k] * inner;
      spent += d[k];
    }
    return sum + ridge_ * spent * spent;
  }

  void move(int k, int l, double t) {
    shift(k, t);
    shift(l, -t);
  }
  void move(int k, double t) { shift(k, t); }

 private:
  // The Gram matrix of a block, with room to grow.
  struct Group {
    std::vector<StoredPlane> planes;
    std::vector<double> gram;
    std::size_t room = 0;

    double at(std::size_t k, std::size_t l) const { return gram[k * room + l]; }
    void append(const std::vector<double>& row) {
      const std::size_t count = row.size() - 1;
      if (count == room) {
        const std::size_t larger = room == 0 ? 2 : 2 * room;
        std::vector<double> grown(larger * larger);
        for (std::size_t k = 0; k < count; ++k) std::copy_n(&gram[k * room], count, &grown[k * larger]);
        gram = std::move(grown);
        room = larger;
      }
      for (std::size_t k = 0; k <= count; ++k) gram[k * room + count] = gram[count * room + k] = row[k];
    }
    void erase(std::size_t gone) {
      const std::size_t count = planes.size();
      for (std::size_t k = 0; k < count; ++k) {
        std::copy(&gram[k * room + gone] + 1, &gram[k * room] + count, &gram[k * room + gone]);
      }
      for (std::size_t k = gone; k + 1 < count; ++k) std::copy_n(&gram[(k + 1) * room], count, &gram[k * room]);
      planes.erase(planes.begin() + static_cast<std::ptrdiff_t>(gone));
    }
  };

  const StoredPlane& plane(int k) const { return group_->planes[static_cast<std::size_t>(k - 1)]; }
  double gram(int k, int l) const {
    return k == 0 || l == 0 ? 0.0 : group_->at(static_cast<std::size_t>(k - 1), static_cast<std::size_t>(l - 1));
  }

  void shift(int k, double t) {
    alpha_[k] += t;
    if (k == 0) return;
    total_ += t;
    change_[k] += t;
    linear_change_ += t * plane(k).b;
    const double* row = &group_->gram[static_cast<std::size_t>(k - 1) * group_->room];
    for (int l = 1; l < size_; ++l) gradient_[l] -= t * (row[l - 1] + ridge_);
  }

  // Plane `second` becomes share * first + (1 - share) * second, and so do its products.
  void blend(Group& group, std::int32_t first, std::int32_t second, double share) {
    const auto p = static_cast<std::size_t>(first), q = static_cast<std::size_t>(second);
    const std::size_t count = group.planes.size();
    const double cross = group.at(p, q);
    const double own = share * share * group.at(p, p) + 2.0 * share * (1.0 - share) * cross +
                       (1.0 - share) * (1.0 - share) * group.at(q, q);
    for (std::size_t k = 0; k < count; ++k) {
      if (k != q) group.gram[q * group.room + k] = group.gram[k * group.room + q] = share * group.at(p, k) + (1.0 - share) * group.at(q, k);
    }
    group.gram[q * group.room + q] = own;
    group.planes[q] = mix(group.planes[p], group.planes[q], share);
  }

  StoredPlane mix(const StoredPlane& a, const StoredPlane& b, double share) {
    StoredPlane mixed;
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

  void drop(Group& group, SupportLists& lists, std::int64_t block, std::int32_t gone) {
    SupportLists::List& list = lists[block];
    group.erase(static_cast<std::size_t>(gone));
    for (std::int32_t k = gone; k + 1 < list.size; ++k) list.entries[k] = list.entries[k + 1];
    lists.resize(block, list.size - 1);
  }

  std::vector<Group> groups_;
  std::int64_t dimension_;
  std::vector<double> scratch_;  // zero between calls
  std::vector<double> row_;

  std::int64_t block_ = 0;
  Group* group_ = nullptr;
  int size_ = 0;
  double ridge_ = 0.0, spent_ = 0.0, total_ = 0.0, value_ = 0.0, linear_change_ = 0.0;
  std::vector<double> alpha_, gradient_, change_;
};

}  // namespace maxmargin
