#include "maxmargin/diversity/cover.hpp"

#include <algorithm>
#include <limits>
#include <queue>

namespace maxmargin {
namespace {

struct Bound {
  double value;
  std::int32_t document;

  // The largest bound comes first, of equal ones the first document.
  bool operator<(const Bound& other) const {
    return value != other.value ? value < other.value : document > other.document;
  }
};

struct Look {
  double gain = 0.0;
  double bound = 0.0;
};

class Choice {
 public:
  explicit Choice(std::span<const Cover> covers) : covers_(covers) {
    for (const Cover& cover : covers) covered_.emplace_back(cover.benefit.size(), 0);
  }

  Look look(std::int32_t document) const {
    Look found;
    for (std::size_t c = 0; c < covers_.size(); ++c) {
      for (const std::int32_t item : items(c, document)) {
        if (covered_[c][item]) continue;
        const double benefit = covers_[c].benefit[item];
        found.gain += benefit;
        found.bound += std::max(benefit, 0.0);
      }
    }
    return found;
  }

  void choose(std::int32_t document) {
    for (std::size_t c = 0; c < covers_.size(); ++c)
      for (const std::int32_t item : items(c, document)) covered_[c][item] = 1;
  }

 private:
  std::span<const std::int32_t> items(std::size_t c, std::int32_t document) const {
    const Cover& cover = covers_[c];
    const auto first = cover.offsets[document], last = cover.offsets[document + 1];
    return cover.items.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  }

  std::span<const Cover> covers_;
  std::vector<std::vector<char>> covered_;
};

}  // namespace

Chosen choose_greedily(std::span<const Cover> covers, std::int64_t k) {
  const auto n = static_cast<std::int32_t>(covers.front().offsets.size()) - 1;
  Choice choice(covers);
  std::priority_queue<Bound> waiting;
  for (std::int32_t document = 0; document < n; ++document)
    waiting.push({std::numeric_limits<double>::infinity(), document});
  Chosen chosen;
  std::vector<Bound> seen;
  while (static_cast<std::int64_t>(chosen.documents.size()) < k && !waiting.empty()) {
    Bound best{-std::numeric_limits<double>::infinity(), 0};
    seen.clear();
    while (!waiting.empty() && waiting.top().value >= best.value) {
      const std::int32_t document = waiting.top().document;
      waiting.pop();
      const Look found = choice.look(document);
      ++chosen.looks;
      seen.push_back({found.bound, document});
      if (seen.size() == 1 || best < Bound{found.gain, document}) best = {found.gain, document};
    }
    for (const Bound& bound : seen)
      if (bound.document != best.document) waiting.push(bound);
    choice.choose(best.document);
    chosen.documents.push_back(best.document);
    chosen.gains.push_back(best.value);
  }
  return chosen;
}

}  // namespace maxmargin
