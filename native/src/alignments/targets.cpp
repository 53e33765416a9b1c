#include "maxmargin/alignments/targets.hpp"

namespace maxmargin::alignments {
namespace {

// Pairs, and the positions between two of them.
bool lies_in_band(const GridShape& shape, std::int32_t m, std::int32_t n, std::span<const Pair> pairs) {
  auto inside = [&](std::int32_t i, std::int32_t j) {
    const Columns columns = columns_in_band(shape, m, n, i);
    return j >= columns.begin && j < columns.end;
  };
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!inside(pairs[k].i, pairs[k].j)) return false;
    if (k == 0) continue;
    std::int32_t i = pairs[k - 1].i, j = pairs[k - 1].j;
    while (++i < pairs[k].i) {
      if (!inside(i, j)) return false;
    }
    for (--i; ++j < pairs[k].j;) {
      if (!inside(i, j)) return false;
    }
  }
  return true;
}

}  // namespace

std::int64_t AlignmentTargets::outside_band() const {
  for (std::int64_t i = 0; set->shape.band >= 0 && i < set->n(); ++i) {
    const std::int32_t m = set->length(set->x[static_cast<std::size_t>(i)]), n = set->length(set->candidates_of(i).front());
    if (!lies_in_band(set->shape, m, n, truth(i))) return i;
  }
  return -1;
}

}  // namespace maxmargin::alignments
