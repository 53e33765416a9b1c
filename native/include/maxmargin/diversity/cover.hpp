// Greedy choice of documents that cover items: item j is worth benefit[j] as soon as one chosen document has it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace maxmargin {

// Document d has items[offsets[d]] .. items[offsets[d + 1] - 1], each once; benefits may be negative.
struct Cover {
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> items;
  std::span<const double> benefit;
};

struct Chosen {
  std::vector<std::int32_t> documents;  // in the order of the choice
  std::vector<double> gains;            // what each added when it was chosen
  std::int64_t looks = 0;               // how often the gain of a document was summed up
};

// k times the document of largest gain, of equal ones the first; the items of all covers count.
//
// Lazily: the sum of the positive benefits that a document still adds can only fall as others are chosen, so the value
// of an earlier look bounds its gain, and a document is looked at again only where that bound reaches the best gain
// found. Sums run in the order of the items and rounding is monotone, so the answer is that of looking at everything.
Chosen choose_greedily(std::span<const Cover> covers, std::int64_t k);

}  // namespace maxmargin
