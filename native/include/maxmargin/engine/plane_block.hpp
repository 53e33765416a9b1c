// Blocks that know only the planes in their working set, and at most one new one per visit: all structures whose outputs cannot be
// listed. Each block keeps its planes and their Gram matrix.
//
// Plane 0 of a block is the zero plane (a = 0, b = 0), which takes up the rest of a cap; plane k > 0 is the k-th of the working set
// and belongs to entry k - 1 of the block's support list. In a visit the new plane, if there is one, comes last.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "maxmargin/engine/gram.hpp"
#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/engine/working_sets.hpp"

namespace maxmargin {

// What a structure says about its planes:
//   Plane                              a handle with a member b
//   open(block, w)                     makes a block current and reads w as far as the block needs it
//   value(plane)                       b - <a, w> in the block just opened
//   ask(working_set)                   the most violated plane there, if the store can find one itself and it is not in the working set
//   same(p, q)                         of two planes of the current block; nearly_same knows |p|^2 + |q|^2 and <p, q> as well
//   products(p, others, out)           of a plane with each of the others, and last with itself
//   mix(p, q, share)                   share * p + (1 - share) * q
//   collect(block, plane, c), flush(block, w)   w += sum of c a over what was collected since the last flush
template <class S, class Point = double*>
concept PlaneStore = requires(S store, const S& seen, const typename S::Plane& p, const std::vector<typename S::Plane>& working_set,
                              std::int64_t block, Point w, double* out, double c) {
  { S::kCoarse } -> std::convertible_to<bool>;
  { p.b } -> std::convertible_to<double>;
  { seen.prefetch(block) } -> std::same_as<void>;
  { seen.prefetch_early(block) } -> std::same_as<void>;
  { store.open(block, w) } -> std::same_as<void>;
  { store.value(p) } -> std::same_as<double>;
  { store.ask(working_set) } -> std::same_as<std::optional<typename S::Plane>>;
  { store.same(p, p) } -> std::same_as<bool>;
  { store.nearly_same(p, p, c, c) } -> std::same_as<bool>;
  { store.products(p, working_set, out) } -> std::same_as<void>;
  { store.mix(p, p, c) } -> std::same_as<typename S::Plane>;
  { store.collect(block, p, c) } -> std::same_as<void>;
  { store.flush(block, w) } -> std::same_as<void>;
};

template <class Store>
class WorkingSetBlock {
 public:
  using Plane = typename Store::Plane;
  using Group = GramGroup<Plane>;
  static constexpr bool kCoarse = Store::kCoarse;

  WorkingSetBlock(Store planes, std::int64_t blocks) : store_planes(std::move(planes)), groups_(static_cast<std::size_t>(blocks)) {}

  std::int64_t weight_count() const { return store_planes.weight_count(); }
  std::int64_t paired() const {
    if constexpr (requires { store_planes.paired(); }) return store_planes.paired();
    else return 0;
  }
  const std::vector<Plane>& planes(std::int64_t block) const { return groups_[static_cast<std::size_t>(block)].planes; }

  const Group& group(std::int64_t block) const { return groups_[static_cast<std::size_t>(block)]; }

  // Takes a plane of the block opened last in and returns true, or false where the working set has an equal one.
  bool add(std::int64_t block, Plane plane, SupportLists& lists) {
    Group& group = groups_[static_cast<std::size_t>(block)];
    if (!append(group, std::move(plane))) return false;
    hold(block, lists);
    return true;
  }

  void prefetch(std::int64_t block) const {
    store_planes.prefetch(block);
    groups_[static_cast<std::size_t>(block)].prefetch();
  }
  void prefetch_early(std::int64_t block) const {
    store_planes.prefetch_early(block);
    prefetch_line(&groups_[static_cast<std::size_t>(block)]);
  }

  template <class Point>
    requires PlaneStore<Store, Point>
  void open(std::int64_t block, Point weights, bool fresh) {
    block_ = block;
    group_ = &groups_[static_cast<std::size_t>(block)];
    working_set_size_ = static_cast<int>(group_->planes.size());
    store_planes.open(block, weights);
    if (fresh) {
      if (std::optional<Plane> asked = store_planes.ask(group_->planes)) append(*group_, std::move(*asked));
    }
    const std::size_t size = group_->planes.size() + 1;
    size_ = static_cast<int>(size);
    const std::size_t room = static_cast<std::size_t>(padded(size_));
    alpha_.assign(room, 0.0);
    change_.assign(size, 0.0);
    gradient_.assign(room, -std::numeric_limits<double>::infinity());
    gradient_[0] = 0.0;
    for (std::size_t k = 1; k < size; ++k) gradient_[k] = store_planes.value(group_->planes[k - 1]);
    ridge_ = 0.0;
  }

  // Whether the working set is empty and no plane was found: nothing to do.
  bool at_rest(const SupportLists::List&) const { return size_ == 1; }

  void load(const SupportLists::List& working_set, double cap, double ridge, bool) {
    total_ = value_ = linear_change_ = working_set_value_ = 0.0;
    for (int k = 1; k <= working_set_size_; ++k) {
      alpha_[k] = working_set.entries[k - 1].alpha;
      total_ += alpha_[k];
      value_ += alpha_[k] * gradient_[k];
      working_set_value_ = std::max(working_set_value_, gradient_[k]);
    }
    spent_ = total_;
    ridge_ = ridge;
    if (cap < std::numeric_limits<double>::infinity()) alpha_[0] = std::max(0.0, cap - total_);
    if (ridge > 0.0) {
      for (int k = 1; k < size_; ++k) gradient_[k] -= ridge * total_;
    }
  }

  // Writes the dual state back. The new plane stays if it is used or `keep_new`; one that is not used stays for
  // `keep_idle` visits with fresh planes (`aging`).
  void store(SupportLists& lists, std::int32_t keep_idle, bool aging, bool keep_new) {
    if (size_ - 1 > working_set_size_) {
      if (alpha_[size_ - 1] > 0.0 || keep_new) {
        hold(block_, lists);
        lists[block_].entries[working_set_size_].alpha = alpha_[size_ - 1];
      } else {
        group_->erase(static_cast<std::size_t>(working_set_size_));
      }
    }
    SupportLists::List& list = lists[block_];
    for (int k = working_set_size_; k >= 1; --k) {
      SupportEntry& entry = list.entries[k - 1];
      entry.alpha = alpha_[k];
      entry.idle = entry.alpha > 0.0 ? 0 : entry.idle + (aging ? 1 : 0);
      if (aging && entry.idle > keep_idle) drop(block_, k - 1, lists);
    }
  }

  template <class Point>
    requires PlaneStore<Store, Point>
  void apply(Point weights) {
    for (int k = 1; k < size_; ++k) {
      if (change_[k] != 0.0) store_planes.collect(block_, plane(k), change_[k]);
    }
    store_planes.flush(block_, weights);
  }

  // Adds sum alpha a of a block to the weights and returns sum alpha b.
  template <class Point>
    requires PlaneStore<Store, Point>
  double deposit(std::int64_t block, const SupportLists::List& list, Point weights) {
    double linear = 0.0;
    for (std::int32_t k = 0; k < list.size; ++k) {
      if (list.entries[k].alpha == 0.0) continue;
      const Plane& plane = planes(block)[static_cast<std::size_t>(k)];
      store_planes.collect(block, plane, list.entries[k].alpha);
      linear += list.entries[k].alpha * plane.b;
    }
    store_planes.flush(block, weights);
    return linear;
  }

  int size() const { return size_; }
  int zero() const { return 0; }
  double alpha(int k) const { return alpha_[k]; }
  double gradient(int k) const { return gradient_[k]; }
  double spent() const { return spent_; }
  double total() const { return total_; }
  double value() const { return value_; }
  double working_set_value() const { return working_set_value_; }
  double linear_change() const { return linear_change_; }
  bool in_working_set(int k) const { return k <= working_set_size_; }

  int worst() const {
    return static_cast<int>(std::max_element(gradient_.begin(), gradient_.begin() + size_) - gradient_.begin());
  }

  Extremes extremes() const { return kernels().extremes(gradient_.data(), alpha_.data(), padded(size_)); }

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
        blend(group, static_cast<std::size_t>(first), static_cast<std::size_t>(second), list.entries[first].alpha / total);
        list.entries[second].alpha = total;
      }
      drop(block, first, lists);
    }
  }

  Store store_planes;

 private:
  const Plane& plane(int k) const { return group_->planes[static_cast<std::size_t>(k - 1)]; }
  double gram(int k, int l) const {
    return k == 0 || l == 0 ? 0.0 : group_->at(static_cast<std::size_t>(k - 1), static_cast<std::size_t>(l - 1));
  }

  bool append(Group& group, Plane plane) {
    const std::size_t count = group.planes.size();
    for (const Plane& other : group.planes) {
      if (store_planes.same(plane, other)) return false;
    }
    row_.resize(count + 1);
    store_planes.products(plane, group.planes, row_.data());
    for (std::size_t k = 0; k < count; ++k) {
      if (store_planes.nearly_same(plane, group.planes[k], row_[count] + group.at(k, k), row_[k])) return false;
    }
    group.append(std::move(plane), row_);
    return true;
  }

  void shift(int k, double t) {
    alpha_[k] += t;
    if (k == 0) return;
    total_ += t;
    change_[k] += t;
    linear_change_ += t * plane(k).b;
    const double* row = group_->row(static_cast<std::size_t>(k - 1));
    for (int l = 1; l < size_; ++l) gradient_[l] -= t * (row[l - 1] + ridge_);
  }

  // Plane `q` becomes share * p + (1 - share) * q, and so do its products.
  void blend(Group& group, std::size_t p, std::size_t q, double share) {
    const double cross = group.at(p, q);
    const double own = share * share * group.at(p, p) + 2.0 * share * (1.0 - share) * cross +
                       (1.0 - share) * (1.0 - share) * group.at(q, q);
    for (std::size_t k = 0; k < group.planes.size(); ++k) {
      if (k != q) group.gram[q * group.room + k] = group.gram[k * group.room + q] = share * group.at(p, k) + (1.0 - share) * group.at(q, k);
    }
    group.gram[q * group.room + q] = own;
    group.planes[q] = store_planes.mix(group.planes[p], group.planes[q], share);
  }

  void hold(std::int64_t block, SupportLists& lists) {
    const std::int32_t size = lists[block].size;
    lists.resize(block, size + 1);
    lists[block].entries[size] = SupportEntry{size, 0, 0.0};
  }

  void drop(std::int64_t block, std::int32_t gone, SupportLists& lists) {
    SupportLists::List& list = lists[block];
    groups_[static_cast<std::size_t>(block)].erase(static_cast<std::size_t>(gone));
    for (std::int32_t k = gone; k + 1 < list.size; ++k) list.entries[k] = list.entries[k + 1];
    lists.resize(block, list.size - 1);
  }

  std::vector<Group> groups_;
  std::vector<double> row_;

  std::int64_t block_ = 0;
  Group* group_ = nullptr;
  int size_ = 0, working_set_size_ = 0;
  double ridge_ = 0.0, spent_ = 0.0, total_ = 0.0, value_ = 0.0, working_set_value_ = 0.0, linear_change_ = 0.0;
  std::vector<double> alpha_, gradient_, change_;  // the first two padded: planes that are never used, nor worth using
};

}  // namespace maxmargin
