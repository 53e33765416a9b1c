// Items that are in the same documents and have equal numbers, as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace maxmargin {

// Groups in the order in which the first item of each appears.
struct ItemGroups {
  std::vector<std::int64_t> first, count;  // of each group: the first item, how many there are
  std::vector<std::int64_t> offsets{0};    // document d has groups[offsets[d]] .. groups[offsets[d + 1] - 1], ascending
  std::vector<std::int32_t> groups;
};

// Document document[e] has item item[e], each once, the documents of an item ascending; items i and j are alike where they are in the same documents
// and one[i] = one[j], other[i] = other[j].
ItemGroups group_items(std::span<const std::int64_t> document, std::span<const std::int64_t> item, std::span<const std::int64_t> one,
                       std::span<const std::int64_t> other, std::int64_t documents);

}  // namespace maxmargin
