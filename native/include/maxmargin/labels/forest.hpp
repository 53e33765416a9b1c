// The dynamic program over a forest of labels, once for all semirings (labels/semirings.hpp).
//
// A node numbered `labels`, which is no label, is the parent of all roots and holds the trees together.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "maxmargin/labels/labels.hpp"

namespace maxmargin {

struct LabelForest {
  int root;                 // the number of labels
  std::vector<int> order;   // children before parents; the root comes last
  std::vector<int> parent;  // of every label
  std::vector<int> pair;    // of a label and its parent, -1 where the parent is no label

  explicit LabelForest(const LabelShape& shape)
      : root(shape.labels), parent(static_cast<std::size_t>(root) + 1, -1), pair(parent.size(), -1), first_(parent.size() + 1) {
    std::vector<std::vector<std::pair<int, int>>> next(static_cast<std::size_t>(shape.labels));
    for (int p = 0; p < shape.pair_count; ++p) {
      next[shape.first(p)].emplace_back(shape.second(p), p);
      next[shape.second(p)].emplace_back(shape.first(p), p);
    }
    order.push_back(root);
    for (int start = 0; start < shape.labels; ++start) {
      if (parent[start] >= 0) continue;
      parent[start] = root;
      order.push_back(start);
      for (std::size_t at = order.size() - 1; at < order.size(); ++at) {
        const int k = order[at];
        for (const auto& [other, p] : next[k]) {
          if (p == pair[k]) continue;
          if (parent[other] >= 0) throw std::invalid_argument("the pairs of labels make a cycle");
          parent[other] = k;
          pair[other] = p;
          order.push_back(other);
        }
      }
    }
    std::reverse(order.begin(), order.end());
    for (int k = 0; k < root; ++k) ++first_[parent[k] + 1];
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
    children_.resize(static_cast<std::size_t>(root));
    std::vector<int> place(first_.begin(), first_.end() - 1);
    for (int k = 0; k < root; ++k) children_[place[parent[k]]++] = k;
  }

  std::span<const int> children(int k) const {
    return {children_.data() + first_[k], children_.data() + first_[k + 1]};
  }

 private:
  std::vector<int> first_, children_;
};

// Semiring concept: begin(k) makes the table of node k alone; absorb(k, child) adds the complete table of a child to it.
template <class Semiring>
void run_up(const LabelForest& forest, Semiring& semiring) {
  for (int k : forest.order) {
    semiring.begin(k);
    for (int child : forest.children(k)) semiring.absorb(k, child);
  }
}

}  // namespace maxmargin
