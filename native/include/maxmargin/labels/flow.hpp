// Maximum flow with real capacities on a small graph, by levels (Dinic).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace maxmargin {

class FlowGraph {
 public:
  // Empties the graph; `least` is the residual capacity below which an arc counts as full.
  void reset(int nodes, double least) {
    head_.assign(static_cast<std::size_t>(nodes), -1);
    arcs_.clear();
    least_ = least;
  }
  void add(int from, int to, double capacity, double back) {
    arcs_.push_back({to, head_[from], capacity});
    head_[from] = static_cast<int>(arcs_.size()) - 1;
    arcs_.push_back({from, head_[to], back});
    head_[to] = static_cast<int>(arcs_.size()) - 1;
  }

  double run(int source, int sink) {
    double total = 0.0;
    while (find_levels(source, sink)) {
      at_ = head_;
      while (const double pushed = push(source, sink, std::numeric_limits<double>::infinity())) total += pushed;
    }
    return total;
  }
  // Whether a node can still be reached from the source: the smallest source side of a minimum cut.
  bool reached(int node) const { return level_[node] >= 0; }

 private:
  struct Arc {
    int to, next;
    double left;
  };

  bool find_levels(int source, int sink) {
    level_.assign(head_.size(), -1);
    queue_.assign(1, source);
    level_[source] = 0;
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      for (int arc = head_[queue_[at]]; arc >= 0; arc = arcs_[arc].next) {
        if (arcs_[arc].left <= least_ || level_[arcs_[arc].to] >= 0) continue;
        level_[arcs_[arc].to] = level_[queue_[at]] + 1;
        queue_.push_back(arcs_[arc].to);
      }
    }
    return level_[sink] >= 0;
  }

  double push(int node, int sink, double limit) {
    if (node == sink) return limit;
    double sent = 0.0;
    for (int& arc = at_[node]; arc >= 0; arc = arcs_[arc].next) {
      Arc& forward = arcs_[arc];
      if (forward.left <= least_ || level_[forward.to] != level_[node] + 1) continue;
      const double pushed = push(forward.to, sink, std::min(limit - sent, forward.left));
      forward.left -= pushed;
      arcs_[arc ^ 1].left += pushed;
      sent += pushed;
      if (limit - sent <= least_) return sent;  // the arc may have room for more: it stays the next to try
    }
    return sent;
  }

  std::vector<Arc> arcs_;
  std::vector<int> head_, at_, level_, queue_;
  double least_ = 0.0;
};

}  // namespace maxmargin
