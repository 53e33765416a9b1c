#include "maxmargin/diversity/item_groups.hpp"

#include <algorithm>
#include <bit>

namespace maxmargin {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::int64_t number) {
  hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15ULL;
  return hash ^ hash >> 29;
}

// The documents of every item, from entries in any order of the items.
class Holders {
 public:
  Holders(std::span<const std::int64_t> document, std::span<const std::int64_t> item, std::size_t items) : begin_(items + 1), documents_(document.size()) {
    for (const std::int64_t i : item) ++begin_[static_cast<std::size_t>(i) + 1];
    for (std::size_t i = 0; i < items; ++i) begin_[i + 1] += begin_[i];
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t e = 0; e < item.size(); ++e) documents_[next[static_cast<std::size_t>(item[e])]++] = document[e];
  }

  std::span<const std::int64_t> of(std::size_t item) const { return std::span(documents_).subspan(begin_[item], begin_[item + 1] - begin_[item]); }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::int64_t> documents_;
};

}  // namespace

ItemGroups group_items(std::span<const std::int64_t> document, std::span<const std::int64_t> item, std::span<const std::int64_t> one,
                       std::span<const std::int64_t> other, std::int64_t documents) {
  const std::size_t items = one.size();
  const Holders holders(document, item, items);
  ItemGroups out;
  std::vector<std::int64_t> table(std::bit_ceil(2 * items + 2), -1);  // numbers of groups
  for (std::size_t i = 0; i < items; ++i) {
    const auto own = holders.of(i);
    std::uint64_t hash = mixed(mixed(1, one[i]), other[i]);
    for (const std::int64_t d : own) hash = mixed(hash, d);
    for (std::size_t place = hash & (table.size() - 1);; place = (place + 1) & (table.size() - 1)) {
      if (table[place] < 0) {
        table[place] = std::ssize(out.first);
        out.first.push_back(static_cast<std::int64_t>(i));
        out.count.push_back(1);
        break;
      }
      const auto known = static_cast<std::size_t>(out.first[static_cast<std::size_t>(table[place])]);
      if (one[known] == one[i] && other[known] == other[i] && std::ranges::equal(holders.of(known), own)) {
        ++out.count[static_cast<std::size_t>(table[place])];
        break;
      }
    }
  }
  std::vector<std::int64_t> next(static_cast<std::size_t>(documents) + 1, 0);
  for (const std::int64_t i : out.first) {
    for (const std::int64_t d : holders.of(static_cast<std::size_t>(i))) ++next[static_cast<std::size_t>(d) + 1];
  }
  for (std::size_t d = 1; d < next.size(); ++d) next[d] += next[d - 1];
  out.offsets = next;
  out.groups.resize(static_cast<std::size_t>(next.back()));
  for (std::size_t g = 0; g < out.first.size(); ++g) {
    for (const std::int64_t d : holders.of(static_cast<std::size_t>(out.first[g]))) {
      out.groups[static_cast<std::size_t>(next[static_cast<std::size_t>(d)]++)] = static_cast<std::int32_t>(g);
    }
  }
  return out;
}

}  // namespace maxmargin
