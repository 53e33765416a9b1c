// Per-example working sets of plane handles with their dual variables.
//
// Most examples hold none to three planes, so lists live in chunks of an arena, in powers of two, and a list that
// outgrows its place moves to a larger one and leaves the old to the next that needs it. Nothing is ever copied
// wholesale: the memory in use is the memory held.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace maxmargin {

struct SupportEntry {
  std::int32_t output;  // what the structure calls this plane (a class, the number of a stored output)
  std::int32_t idle;    // visits since alpha was last positive
  double alpha;
  double marked = 0.0;  // alpha when it was last marked, see engine/extrapolation.hpp
};

class SupportLists {
 public:
  explicit SupportLists(std::int64_t blocks) : lists_(static_cast<std::size_t>(blocks)) {}
  SupportLists(const SupportLists&) = delete;
  SupportLists& operator=(const SupportLists&) = delete;

  struct List {
    SupportEntry* entries = nullptr;
    std::int32_t size = 0;
    std::int32_t level = -1;  // capacity is 2^level
    SupportEntry* begin() const { return entries; }
    SupportEntry* end() const { return entries + size; }
  };

  const List& operator[](std::int64_t block) const { return lists_[static_cast<std::size_t>(block)]; }
  List& operator[](std::int64_t block) { return lists_[static_cast<std::size_t>(block)]; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(lists_.size()); }
  std::int64_t plane_count() const { return plane_count_; }

  // Sets the length of a list; the old entries stay as far as they fit, new ones are zero.
  void resize(std::int64_t block, std::int32_t size) {
    List& list = (*this)[block];
    if (list.level < 0 ? size > 0 : size > (1 << list.level)) grow(list, size);
    for (std::int32_t k = list.size; k < size; ++k) list.entries[k] = {};
    plane_count_ += size - list.size;
    list.size = size;
  }

 private:
  static constexpr int kChunkLevel = 14;

  void grow(List& list, std::int32_t size) {
    int level = 0;
    while ((1 << level) < size) ++level;
    SupportEntry* place = allocate(level);
    for (std::int32_t k = 0; k < list.size; ++k) place[k] = list.entries[k];
    if (list.level >= 0) vacant_[static_cast<std::size_t>(list.level)].push_back(list.entries);
    list.entries = place;
    list.level = level;
  }

  SupportEntry* allocate(int level) {
    if (vacant_.size() <= static_cast<std::size_t>(level)) vacant_.resize(static_cast<std::size_t>(level) + 1);
    auto& vacant = vacant_[static_cast<std::size_t>(level)];
    if (!vacant.empty()) {
      SupportEntry* place = vacant.back();
      vacant.pop_back();
      return place;
    }
    const std::int64_t need = std::int64_t{1} << level;
    if (chunks_.empty() || used_ + need > capacity_) {
      capacity_ = std::max(need, std::int64_t{1} << kChunkLevel);
      chunks_.push_back(std::make_unique<SupportEntry[]>(static_cast<std::size_t>(capacity_)));
      used_ = 0;
    }
    SupportEntry* place = chunks_.back().get() + used_;
    used_ += need;
    return place;
  }

  std::vector<List> lists_;
  std::vector<std::vector<SupportEntry*>> vacant_;
  std::vector<std::unique_ptr<SupportEntry[]>> chunks_;
  std::int64_t used_ = 0, capacity_ = 0, plane_count_ = 0;
};

// Writes the alphas of an example's classes back. A plane that is not used is kept for `keep_idle` visits with fresh
// planes (`aging`), that of class `worst` at least once (-1 for none). `each(visit)` visits the classes whose alpha may be
// positive, and `worst`.
template <class Each>
void store_classes(SupportLists& lists, std::int64_t example, const double* alpha, int truth, int worst, std::int32_t keep_idle, bool aging, Each&& each) {
  SupportLists::List& list = lists[example];
  std::int32_t kept = 0;
  for (std::int32_t at = 0; at < list.size; ++at) {
    SupportEntry entry = list.entries[at];
    entry.alpha = alpha[entry.output];
    entry.idle = entry.alpha > 0.0 ? 0 : entry.idle + (aging ? 1 : 0);
    if (!aging || entry.idle <= keep_idle) list.entries[kept++] = entry;
  }
  const std::int32_t old = kept;
  lists.resize(example, kept);
  each([&](std::int32_t k) {
    if (k == truth || (alpha[k] <= 0.0 && k != worst)) return;
    for (std::int32_t at = 0; at < old; ++at) {
      if (list.entries[at].output == k) return;
    }
    lists.resize(example, kept + 1);
    list.entries[kept++] = SupportEntry{k, 0, alpha[k]};
  });
}

}  // namespace maxmargin
