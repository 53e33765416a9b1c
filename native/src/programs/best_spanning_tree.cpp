#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "maxmargin/programs/spanning_trees.hpp"

namespace maxmargin {
namespace {

constexpr std::int32_t kAbsent = std::numeric_limits<std::int32_t>::max();

// An arc into a word or into a contracted cycle: its score, the number of arcs from the root, and the word it enters.
struct Arc {
  double score = 0.0;
  std::int32_t roots = kAbsent;
  std::int32_t word = 0;

  bool absent() const { return roots == kAbsent; }
  bool better(const Arc& other) const {
    if (absent() || other.absent()) return !absent() && other.absent();
    return roots < other.roots || (roots == other.roots && score > other.score);
  }
  Arc relative_to(const Arc& chosen) const {
    return absent() ? *this : Arc{score - chosen.score, roots - chosen.roots, word};
  }
};

class Contraction {
 public:
  Contraction(std::span<const double> scores, std::int32_t n, bool single_root)
      : n_(n), width_(static_cast<std::size_t>(n) + 1), arcs_(static_cast<std::size_t>(n) * width_) {
    const std::size_t most = 2 * width_;
    top_.resize(width_);
    row_.resize(most);
    up_.assign(most, -1);
    source_.assign(most, -1);
    chosen_.resize(most);
    state_.assign(most, kNew);
    state_[0] = kDone;
    for (std::int32_t v = 0; v <= n; ++v) top_[static_cast<std::size_t>(v)] = v;
    for (std::int32_t d = 1; d <= n; ++d) {
      row_[static_cast<std::size_t>(d)] = d - 1;
      for (std::int32_t h = 0; h <= n; ++h) {
        const std::size_t at = static_cast<std::size_t>(d - 1) * width_ + static_cast<std::size_t>(h);
        if (h != d && scores[at] > -std::numeric_limits<double>::infinity())
          arcs_[at] = {scores[at], single_root && h == 0 ? 1 : 0, d};
      }
    }
    nodes_ = n + 1;
  }

  // Grows paths of best arcs backwards; a path that meets itself is contracted, one that meets the root is done.
  bool run() {
    std::vector<std::int32_t> path;
    for (std::int32_t v = 1; v <= n_; ++v) {
      if (state(top(v)) != kNew) continue;
      path.assign(1, top(v));
      state(top(v)) = kOnPath;
      for (;;) {
        const std::int32_t node = path.back();
        if (!choose(node)) return false;
        const std::int32_t before = top(source_[static_cast<std::size_t>(node)]);
        if (state(before) == kDone) break;
        if (state(before) == kNew) {
          state(before) = kOnPath;
          path.push_back(before);
        } else {
          contract(path, before);
        }
      }
      for (const std::int32_t node : path) state(node) = kDone;
    }
    return true;
  }

  // An arc into a cycle replaces the arc of the cycle that enters the same word.
  void expand(std::span<std::int32_t> heads) const {
    std::vector<bool> settled(static_cast<std::size_t>(nodes_), false);
    for (std::int32_t node = nodes_ - 1; node > 0; --node) {
      const auto at = static_cast<std::size_t>(node);
      if (settled[at]) continue;
      const std::int32_t word = chosen_[at].word;
      heads[static_cast<std::size_t>(word - 1)] = source_[at];
      for (std::int32_t inner = word; inner != node; inner = up_[static_cast<std::size_t>(inner)])
        settled[static_cast<std::size_t>(inner)] = true;
    }
  }

 private:
  enum State : char { kNew, kOnPath, kDone };

  std::int32_t& top(std::int32_t word) { return top_[static_cast<std::size_t>(word)]; }
  State& state(std::int32_t node) { return state_[static_cast<std::size_t>(node)]; }
  Arc* row(std::int32_t node) {
    return arcs_.data() + static_cast<std::size_t>(row_[static_cast<std::size_t>(node)]) * width_;
  }

  bool choose(std::int32_t node) {
    const Arc* arcs = row(node);
    std::size_t best = 0;
    for (std::size_t h = 1; h < width_; ++h)
      if (arcs[h].better(arcs[best])) best = h;
    source_[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(best);
    chosen_[static_cast<std::size_t>(node)] = arcs[best];
    return !arcs[best].absent();
  }

  void contract(std::vector<std::int32_t>& path, std::int32_t first) {
    const std::int32_t cycle = nodes_++;
    Arc* merged = row(first);
    row_[static_cast<std::size_t>(cycle)] = row_[static_cast<std::size_t>(first)];
    for (std::size_t h = 0; h < width_; ++h) merged[h] = merged[h].relative_to(chosen_[static_cast<std::size_t>(first)]);
    for (;;) {
      const std::int32_t member = path.back();
      path.pop_back();
      up_[static_cast<std::size_t>(member)] = cycle;
      if (member == first) break;
      const Arc* arcs = row(member);
      for (std::size_t h = 0; h < width_; ++h) {
        const Arc arc = arcs[h].relative_to(chosen_[static_cast<std::size_t>(member)]);
        if (arc.better(merged[h])) merged[h] = arc;
      }
    }
    for (std::size_t v = 0; v < width_; ++v)
      if (up_[static_cast<std::size_t>(top_[v])] == cycle) {
        top_[v] = cycle;
        merged[v] = Arc{};
      }
    state(cycle) = kOnPath;
    path.push_back(cycle);
  }

  std::int32_t n_, nodes_ = 0;
  std::size_t width_;
  std::vector<Arc> arcs_;                  // a row of arcs for each word; a cycle takes the row of its first member
  std::vector<std::int32_t> top_;          // of each word: the outermost cycle around it, or itself
  std::vector<std::int32_t> row_, up_;     // of each node: its row of arcs, and the cycle directly around it
  std::vector<std::int32_t> source_;       // of each node: the word where its chosen arc starts
  std::vector<Arc> chosen_;
  std::vector<State> state_;
};

}  // namespace

bool best_spanning_tree(std::span<const double> scores, std::int32_t n, bool single_root,
                        std::span<std::int32_t> heads) {
  Contraction contraction(scores, n, single_root);
  if (!contraction.run()) return false;
  contraction.expand(heads);
  if (!single_root) return true;
  std::int32_t roots = 0;
  for (const std::int32_t head : heads) roots += head == 0;
  return roots == 1;
}

}  // namespace maxmargin
