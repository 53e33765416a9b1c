// What the dynamic program of labels/forest.hpp computes: the best label vector, sums over all of them, the k best. By the loss: labels/strata.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/labels/forest.hpp"

namespace maxmargin {

// How the values of two alternatives become one: the higher, or the logarithm of the sum of what they are logarithms of.
struct Highest {
  static double join(double a, double b) { return std::max(a, b); }
};
struct LogSum {
  static double join(double a, double b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }
};

// A label adds `gain`, a pair of set labels its score.
template <class Join>
class JoinedLabels {
 public:
  explicit JoinedLabels(const LabelForest& forest) : forest_(&forest), up_(forest.order.size()), full_(up_), message_(up_) {}

  // The highest F, or the logarithm of the sum of exp F.
  double run(const LabelScores& scores) {
    scores_ = &scores;
    run_up(*forest_, *this);
    return up_[forest_->root].off;
  }
  void begin(int k) { up_[k] = Pair{0.0, k == forest_->root ? 0.0 : scores_->gain[k]}; }
  void absorb(int k, int child) {
    message_[child].off = Join::join(up_[child].off, up_[child].on);
    message_[child].on = forest_->pair[child] < 0 ? message_[child].off : Join::join(up_[child].off, up_[child].on + bonus(child, true));
    up_[k].off += message_[child].off;
    up_[k].on += message_[child].on;
  }

  // The best label vector.
  void labels(std::uint8_t* y) const {
    for (auto at = forest_->order.rbegin() + 1; at != forest_->order.rend(); ++at) {
      const int k = *at;
      y[k] = up_[k].on + bonus(k, is_set(y, forest_->parent[k])) > up_[k].off;
    }
  }

  // margin[k] = value of all vectors with y_k = 1 minus that of those with y_k = 0: of sums, the logarithm of the odds.
  void margins(double* margin) {
    for (auto at = forest_->order.rbegin() + 1; at != forest_->order.rend(); ++at) {
      const int k = *at;
      full_[k] = up_[k];
      if (forest_->pair[k] >= 0) {
        const Pair above = without(k);
        full_[k].off += Join::join(above.off, above.on);
        full_[k].on += Join::join(above.off, above.on + bonus(k, true));
      }
      margin[k] = full_[k].on - full_[k].off;
    }
  }

  // Adds to counts[p], for every pair, `weight` times the share of the vectors with both labels in the sum; after `margins`.
  void count_pairs(double weight, double* counts) const {
    for (int k = 0; k < forest_->root; ++k) {
      if (forest_->pair[k] < 0) continue;
      const Pair above = without(k);
      const double off = Join::join(above.off + up_[k].off, Join::join(above.off + up_[k].on, above.on + up_[k].off));
      counts[forest_->pair[k]] += weight / (1.0 + std::exp(off - (above.on + bonus(k, true) + up_[k].on)));
    }
  }

 private:
  struct Pair {
    double off = 0.0, on = 0.0;
  };
  bool is_set(const std::uint8_t* y, int k) const { return k != forest_->root && y[k] != 0; }
  double bonus(int k, bool parent_on) const { return parent_on && forest_->pair[k] >= 0 ? scores_->pairs[forest_->pair[k]] : 0.0; }
  // The value of the parent of k by its state, over all vectors of the labels that do not hang on k.
  Pair without(int k) const {
    const Pair& above = full_[forest_->parent[k]];
    return {above.off - message_[k].off, above.on - message_[k].on};
  }

  const LabelForest* forest_;
  const LabelScores* scores_ = nullptr;
  std::vector<Pair> up_, full_, message_;
};

using BestLabels = JoinedLabels<Highest>;
using SummedLabels = JoinedLabels<LogSum>;

// The k best different label vectors.
class BestLabelLists {
 public:
  BestLabelLists(const LabelForest& forest, int k) : forest_(&forest), k_(k), first_(forest.order.size()) {}

  void run(const LabelScores& scores) {
    scores_ = &scores;
    stages_.clear();
    run_up(*forest_, *this);
  }
  void begin(int node) {
    const bool label = node != forest_->root;
    first_[node] = static_cast<int>(stages_.size());
    stages_.emplace_back();
    stages_.back().lists[0].push_back({0.0, 0, 0, 0});
    if (label) stages_.back().lists[1].push_back({scores_->gain[node], 0, 0, 0});
  }
  void absorb(int node, int child) {
    Stage next;
    const Stage& before = stages_.back();
    const Stage& below = last(child);
    for (int y = 0; y < 2; ++y) {
      const double bonus = y == 1 && forest_->pair[child] >= 0 ? scores_->pairs[forest_->pair[child]] : 0.0;
      for (std::size_t rank = 0; rank < before.lists[y].size(); ++rank) {
        for (int below_y = 0; below_y < 2; ++below_y) {
          for (std::size_t below_rank = 0; below_rank < below.lists[below_y].size(); ++below_rank) {
            const double value = before.lists[y][rank].value + (below.lists[below_y][below_rank].value + (below_y == 1 ? bonus : 0.0));
            if (!insert(next.lists[y], {value, static_cast<std::int32_t>(rank), static_cast<std::int32_t>(below_rank), static_cast<std::uint8_t>(below_y)})) break;
          }
        }
      }
    }
    stages_.push_back(std::move(next));
  }

  // Label vector number `rank` (0 the best) and its score; minus infinity if there are not so many.
  double labels(int rank, std::uint8_t* y) const {
    const std::vector<Entry>& found = last(forest_->root).lists[0];
    if (rank >= static_cast<int>(found.size())) return -std::numeric_limits<double>::infinity();
    trace(forest_->root, 0, rank, y);
    return found[static_cast<std::size_t>(rank)].value;
  }

 private:
  struct Entry {
    double value;
    std::int32_t rank, below_rank;  // in the table before the child was added, and in that of the child
    std::uint8_t below_y;
  };
  struct Stage {
    std::vector<Entry> lists[2];  // by the value of the node's own label, best first
  };

  const Stage& last(int node) const { return stages_[static_cast<std::size_t>(first_[node]) + forest_->children(node).size()]; }

  bool insert(std::vector<Entry>& list, const Entry& entry) const {
    if (static_cast<int>(list.size()) == k_ && !(entry.value > list.back().value)) return false;
    const auto place = std::find_if(list.begin(), list.end(), [&](const Entry& other) { return other.value < entry.value; });
    list.insert(place, entry);
    if (static_cast<int>(list.size()) > k_) list.pop_back();
    return true;
  }

  void trace(int node, int own, int rank, std::uint8_t* y) const {
    if (node != forest_->root) y[node] = static_cast<std::uint8_t>(own);
    const auto children = forest_->children(node);
    for (std::size_t c = children.size(); c-- > 0;) {
      const Entry& entry = stages_[static_cast<std::size_t>(first_[node]) + c + 1].lists[own][static_cast<std::size_t>(rank)];
      trace(children[c], entry.below_y, entry.below_rank, y);
      rank = entry.rank;
    }
  }

  const LabelForest* forest_;
  int k_;
  const LabelScores* scores_ = nullptr;
  std::vector<int> first_;  // stage of each node alone; one more for each child, in order
  std::vector<Stage> stages_;
};

}  // namespace maxmargin
