// What the dynamic program of label_forest.hpp computes: the best label vector, the k best. By the loss: label_strata.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/label_forest.hpp"

namespace maxmargin {

// A label adds `gain`, a pair of set labels its score.
class BestLabels {
 public:
  explicit BestLabels(const LabelForest& forest) : forest_(&forest), up_(forest.order.size()), full_(up_) {}

  void run(const LabelScores& scores) {
    scores_ = &scores;
    run_up(*forest_, *this);
  }
  void begin(int k) { up_[k] = Pair{0.0, k == forest_->root ? 0.0 : scores_->gain[k]}; }
  void absorb(int k, int child) {
    up_[k].off += message(child, false);
    up_[k].on += message(child, true);
  }

  void labels(std::uint8_t* y) const {
    for (auto at = forest_->order.rbegin() + 1; at != forest_->order.rend(); ++at) {
      const int k = *at;
      y[k] = up_[k].on + bonus(k, is_set(y, forest_->parent[k])) > up_[k].off;
    }
  }

  // margin[k] = max of F with y_k = 1 minus max of F with y_k = 0.
  void margins(double* margin) {
    for (auto at = forest_->order.rbegin() + 1; at != forest_->order.rend(); ++at) {
      const int k = *at, above = forest_->parent[k];
      full_[k] = up_[k];
      if (forest_->pair[k] >= 0) {
        const double off = full_[above].off - message(k, false), on = full_[above].on - message(k, true);
        full_[k].off += std::max(off, on);
        full_[k].on += std::max(off, on + bonus(k, true));
      }
      margin[k] = full_[k].on - full_[k].off;
    }
  }

 private:
  struct Pair {
    double off = 0.0, on = 0.0;
  };
  bool is_set(const std::uint8_t* y, int k) const { return k != forest_->root && y[k] != 0; }
  double bonus(int k, bool parent_on) const { return parent_on && forest_->pair[k] >= 0 ? scores_->pairs[forest_->pair[k]] : 0.0; }
  double message(int child, bool parent_on) const { return std::max(up_[child].off, up_[child].on + bonus(child, parent_on)); }

  const LabelForest* forest_;
  const LabelScores* scores_ = nullptr;
  std::vector<Pair> up_, full_;
};

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
    const auto place = std::find_if(list.begin(), list.end(), [&](const Entry& held) { return held.value < entry.value; });
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
