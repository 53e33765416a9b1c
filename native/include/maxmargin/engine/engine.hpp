// The dual engine: block coordinate ascent over per-example working sets of planes. What keeps w = sum alpha a is a policy.
//
// A visit to an example asks its block for the values of the planes at the current w, takes one step inside the
// block and moves w by what changed. The papers' n-slack variants, block-coordinate Frank-Wolfe and its multi-plane
// form, and the master problem of the 1-slack form (one block) differ only in the settings and in the order of visits.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/engine/ascent.hpp"
#include "maxmargin/engine/budget.hpp"
#include "maxmargin/engine/extrapolation.hpp"
#include "maxmargin/engine/weights.hpp"
#include "maxmargin/engine/working_sets.hpp"
#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

enum class Step : std::uint8_t { none, line_search, exact };

struct VisitSettings {
  Step step = Step::exact;
  bool fresh = true;          // planes outside the working set may enter
  double precision = 0.0;     // absolute violation at which a block counts as solved
  double relative = 0.0;      // the same, as a share of the violation found on entry
  int max_steps = 1000;       // ascent steps a visit
  double threshold = 0.0;     // a new plane enters only if it beats the working set by more than this
  std::int64_t max_added = 0; // stop after so many new planes; 0: no limit
  std::int32_t keep_idle = 0; // fresh visits for which an unused plane stays in the working set
  double overstep = 1.0;      // above 1, a visit makes one step, so many times too long: for the first pass with a cap
  bool coarse = false;        // w in float32, for a block that can: faster, and good to a millionth or so of the dual
};

struct VisitResult {
  std::int64_t visited = 0;   // examples seen, i.e. oracle calls where `fresh`
  std::int64_t added = 0;     // planes that entered
  std::int64_t steps = 0;     // ascent steps
  double gap = 0.0;           // sum of the gaps, each at the w its example saw (not for a hard margin)
  double slack = 0.0;         // largest slack met
  double violation = 0.0;     // largest violation met on entry
  bool unbounded = false;

  void merge(const VisitResult& other) {
    visited += other.visited;
    added += other.added;
    steps += other.steps;
    gap += other.gap;
    violation = std::max(violation, other.violation);
    slack = std::max(slack, other.slack);
    unbounded = unbounded || other.unbounded;
  }
};

// A block whose planes do not share a cap: each has its own, and the slack is the sum of theirs (labels/block.hpp).
template <class B>
concept SeparateBlock = requires(B block, const B& seen, double cap) {
  { seen.slack() } -> std::same_as<double>;
  { seen.has_new() } -> std::same_as<bool>;
  { block.line_search(cap) } -> std::same_as<Ascent>;
  { block.ascend(cap) } -> std::same_as<Ascent>;
};
// One whose planes share the cap of their example: zero() is the plane that takes up the rest of it.
template <class B>
concept SharingBlock = DirectionBlock<B> && requires(const B& seen, int k) {
  { seen.zero() } -> std::same_as<int>;
  { seen.in_working_set(k) } -> std::same_as<bool>;
};

// The dual variables of one example after the other, at a point of w (engine/weights.hpp). In a visit:
//   open(i, w, fresh)      makes an example current: the values b - <a, w> of its planes; at_rest: no plane in use, none violated
//   worst()                the plane of the largest value
//   load(list, cap, ridge, working_set_only), store(lists, keep_idle, aging, keep_new)   working sets in and out
//   spent, value, working_set_value, total, linear_change   sums over the planes, the last two after the steps
//   apply(w)               w += the change of sum alpha a
// and deposit(i, list, w) adds sum alpha a of an example to w and returns sum alpha b.
template <class B, class Point>
concept DualBlock = (SeparateBlock<B> || SharingBlock<B>) &&
                    requires(B block, const B& seen, SupportLists& lists, const SupportLists::List& list, Point w, std::int64_t i,
                             std::int32_t visits, double c, bool yes) {
  { B::kCoarse } -> std::convertible_to<bool>;
  { seen.prefetch(i) } -> std::same_as<void>;
  { seen.prefetch_early(i) } -> std::same_as<void>;
  { block.open(i, w, yes) } -> std::same_as<void>;
  { seen.at_rest(list) } -> std::same_as<bool>;
  { seen.worst() } -> std::same_as<int>;
  { block.load(list, c, c, yes) } -> std::same_as<void>;
  { block.store(lists, visits, yes, yes) } -> std::same_as<void>;
  { seen.spent() } -> std::same_as<double>;
  { seen.value() } -> std::same_as<double>;
  { seen.working_set_value() } -> std::same_as<double>;
  { seen.total() } -> std::same_as<double>;
  { seen.linear_change() } -> std::same_as<double>;
  { block.apply(w) } -> std::same_as<void>;
  { block.deposit(i, list, w) } -> std::same_as<double>;
};

// Coarse visits are for blocks with kCoarse.
template <class Block, WeightsPolicy Weights = ExplicitWeights>
  requires DualBlock<Block, typename Weights::Point> && (!Block::kCoarse || DualBlock<Block, typename Weights::CoarsePoint>)
class BlockEngine {
  // Whether the block can have weights that lie label by label, where turns() says that its rows are for that.
  static constexpr bool kTurns = std::same_as<Weights, ExplicitWeights> && DualBlock<Block, TurnedWeights> && requires(const Block& seen) {
    { seen.turns() } -> std::same_as<bool>;
    { seen.stride() } -> std::same_as<int>;
  };

 public:
  BlockEngine(Block planes, std::int64_t blocks, Budget budget, Weights weights)
      : block(std::move(planes)),
        support(blocks),
        gaps(static_cast<std::size_t>(blocks), std::numeric_limits<float>::infinity()),
        budget(budget),
        weights_(std::move(weights)) {}
  // With weights that need no more than their number.
  BlockEngine(Block planes, std::int64_t blocks, Budget budget)
    requires std::constructible_from<Weights, std::int64_t>
      : block(std::move(planes)),
        support(blocks),
        gaps(static_cast<std::size_t>(blocks), std::numeric_limits<float>::infinity()),
        budget(budget),
        weights_(block.weight_count()) {
    if constexpr (requires { weights_.pair(block.paired()); }) weights_.pair(block.paired());
    if constexpr (kTurns) {
      if (block.turns()) weights_.turn(block.stride());
    }
  }

  VisitResult visit(std::span<const std::int32_t> order, const VisitSettings& settings) {
    moved();
    if constexpr (kTurns) {
      if (settings.coarse && weights_.is_turned()) return visit_all(order, settings, weights_.turned_point());
    }
    if constexpr (Block::kCoarse) {
      if (settings.coarse && !weights_.is_paired()) return visit_all(order, settings, weights_.coarse_point());
    }
    return visit_all(order, settings, weights().point());
  }

  // Ends a series of coarse visits: w anew from alpha, in full precision.
  void sharpen() {
    if (!weights_.is_fine()) refresh();
  }
  // w = sum alpha a.
  Weights& weights() {
    sharpen();
    return weights_;
  }
  // The same as the last visit left it.
  const Weights& rough_weights() const { return weights_; }

  // Steps over the planes in working sets until no block is violated by more than `tolerance`, or for `max_passes` passes. A pass
  // goes over the blocks that the pass before left violated; before the end one goes over all. `blocks`: only these, where there are any.
  VisitResult settle(VisitSettings settings, double tolerance, std::int64_t max_passes, std::span<const std::int32_t> blocks = {}) {
    const typename Weights::Point w = weights().point();
    moved();
    settings.fresh = false;
    VisitResult total;
    std::vector<std::int32_t> everyone, active, next;
    for (std::int32_t i : blocks) {
      if (support[i].size > 0) everyone.push_back(i);
    }
    for (std::int64_t i = 0; blocks.empty() && i < support.blocks(); ++i) {
      if (support[i].size > 0) everyone.push_back(static_cast<std::int32_t>(i));
    }
    active = everyone;
    double last_complete = 0.0;
    for (std::int64_t pass = 0; pass < max_passes && !active.empty() && !total.unbounded; ++pass) {
      next.clear();
      VisitResult result;
      for (std::int32_t i : active) {
        VisitResult one;
        visit_one(i, settings, w, one);
        ++one.visited;
        if (one.violation > tolerance) next.push_back(i);
        result.merge(one);
        if (result.unbounded) break;
      }
      const bool complete = active.size() == everyone.size();
      total.merge(result);
      if (complete) last_complete = result.violation;
      total.violation = std::max(result.violation, last_complete);  // a pass over some blocks says nothing of the others
      total.gap = result.gap;
      if (next.empty()) {
        if (complete) break;
        active = everyone;
      } else {
        active.swap(next);
        std::reverse(active.begin(), active.end());  // information flows both ways between correlated blocks
      }
    }
    return total;
  }

  // sum alpha b - sum (sum alpha)^2 / (2 C s) - 1/2 |w|^2
  double dual() const {
    if (!square_) square_ = weights_.square();
    return linear - conjugate - 0.5 * *square_;
  }
  // To be called by whatever moves w: its square is computed again when the dual is asked for.
  void moved() { square_.reset(); }

  // Dual state from outside, planes being already in the lists in this order. Over the cap, a block is scaled down.
  void set_alpha(std::span<const double> alpha) {
    std::size_t at = 0;
    for (std::int64_t i = 0; i < support.blocks(); ++i) {
      double total = 0.0;
      for (SupportEntry& entry : support[i]) total += entry.alpha = std::max(0.0, alpha[at++]);
      const double cap = std::max(0.0, budget.cap(i));
      if (total <= cap) continue;
      for (SupportEntry& entry : support[i]) entry.alpha = SeparateBlock<Block> ? std::min(cap, entry.alpha) : entry.alpha * (cap / total);
    }
    refresh();
  }

  // Remembers alpha as it is, for `extrapolate`.
  void mark() { maxmargin::mark(support); }
  // Extrapolates along the path from the mark to here (engine/extrapolation.hpp). The gain of the dual; without one, all is as before.
  double extrapolate(double factor) {
    if constexpr (kTurns) {
      if (weights_.is_turned() && weights_.is_coarse()) return extrapolate_copied(*this, factor, weights_, weights_.turned_point());
    }
    if constexpr (Block::kCoarse) {
      if (weights_.is_coarse()) return maxmargin::extrapolate(*this, factor, weights_.coarse_point(), SeparateBlock<Block>);
    }
    return maxmargin::extrapolate(*this, factor, weights().point(), SeparateBlock<Block>);
  }

  // The same in two steps, for weights that somebody else completes before the dual is known.
  Stretched stretch(double factor) { return maxmargin::stretch(*this, factor, weights().point(), SeparateBlock<Block>); }
  void take_back(const Stretched& step) { maxmargin::take_back(*this, step, weights().point()); }

  // Computes w and the dual anew from alpha: sums that were updated a million times have drifted a little.
  void refresh() {
    weights_.clear();
    moved();
    linear = conjugate = 0.0;
    if constexpr (kTurns) {
      if (weights_.is_turned()) return weights_.sum_turned([this](TurnedOf<double> w) { deposit_all(w); });
    }
    deposit_all(weights_.point());
  }

  Block block;
  SupportLists support;
  std::vector<float> gaps;  // last known gap of each block
  Budget budget;
  double linear = 0.0, conjugate = 0.0;

 private:
  template <class Point>
  void deposit_all(Point w) {
    for (std::int64_t i = 0; i < support.blocks(); ++i) {
      double total = 0.0;
      for (const SupportEntry& entry : support[i]) total += entry.alpha;
      if (total == 0.0) continue;
      linear += block.deposit(i, support[i], w);
      conjugate += 0.5 * budget.ridge(i) * total * total;
    }
  }

  template <class Point>
  VisitResult visit_all(std::span<const std::int32_t> order, const VisitSettings& settings, Point w) {
    VisitResult result;
    constexpr std::size_t kSoon = 12, kLater = 24;  // visits ahead; an address must be there before what it points to
    for (std::size_t at = 0; at < order.size(); ++at) {
      if (at + kLater < order.size()) {
        const std::int32_t later = order[at + kLater];
        block.prefetch_early(later);
        prefetch_line(&support[later]);
        prefetch_line(&gaps[static_cast<std::size_t>(later)]);
      }
      if (at + kSoon < order.size()) {
        if constexpr (!requires { block.look_ahead(order, w); }) block.prefetch(order[at + kSoon]);
        prefetch_line(support[order[at + kSoon]].entries);
      }
      if constexpr (requires { block.look_ahead(order, w); }) {
        if (at % Block::kAhead == 0) block.look_ahead(order.subspan(at), w);
      }
      ++result.visited;
      visit_one(order[at], settings, w, result);
      if (result.unbounded || (settings.max_added > 0 && result.added >= settings.max_added)) break;
    }
    return result;
  }

  template <class Point>
  void visit_one(std::int64_t i, const VisitSettings& settings, Point w, VisitResult& result) {
    if (!(budget.total(i) > 0.0)) {
      gaps[static_cast<std::size_t>(i)] = 0.0F;
      return;
    }
    const double cap = budget.cap(i), ridge = budget.ridge(i);
    block.open(i, w, settings.fresh);
    if (block.at_rest(support[i])) {
      if (settings.fresh) gaps[static_cast<std::size_t>(i)] = 0.0F;
      return;
    }
    const int worst = block.worst();
    const double slack = slack_at(worst);
    block.load(support[i], cap, ridge, !settings.fresh);
    const double gap = budget.gap(i, slack, block.spent(), block.value());
    if (settings.fresh) gaps[static_cast<std::size_t>(i)] = static_cast<float>(gap);
    result.slack = std::max(result.slack, slack);
    if (budget.slack != Slack::hard) result.gap += gap;
    const bool enters = settings.fresh && slack > block.working_set_value() + settings.threshold && is_new(worst);
    if (enters) ++result.added;
    const Ascent ascent = step(worst, cap, settings);
    result.steps += ascent.steps;
    result.violation = std::max(result.violation, ascent.violation);
    result.unbounded = ascent.unbounded;
    if (ascent.steps > 0) {
      linear += block.linear_change();
      conjugate += 0.5 * ridge * (block.total() * block.total() - block.spent() * block.spent());
      block.apply(w);
    }
    // Without a step the new plane waits for the next ascent; without a bound it is part of the proof of that.
    const bool waits = enters && (settings.step == Step::none || ascent.unbounded);
    block.store(support, settings.keep_idle, settings.fresh, waits);
  }

  double slack_at(int worst) const {
    if constexpr (SeparateBlock<Block>) return block.slack();
    else return block.gradient(worst);
  }
  bool is_new(int worst) const {
    if constexpr (SeparateBlock<Block>) return block.has_new();
    else return worst != block.zero() && !block.in_working_set(worst);
  }

  Ascent step(int worst, double cap, const VisitSettings& settings) {
    if constexpr (SeparateBlock<Block>) {
      if (settings.step == Step::none) return {};
      return settings.step == Step::line_search ? block.line_search(cap) : block.ascend(cap);
    } else {
      return step_together(worst, cap, settings);
    }
  }
  Ascent step_together(int worst, double cap, const VisitSettings& settings) {
    switch (settings.step) {
      case Step::none: return {};
      case Step::line_search:
        return budget.capped() ? line_search_capped(block, worst, cap, direction_)
                               : line_search_free(block, worst, settings.precision, direction_);
      default: break;
    }
    return budget.capped() ? ascend_capped(block, settings.precision, settings.relative, settings.max_steps, settings.overstep)
                           : ascend_free(block, settings.precision, settings.relative, settings.max_steps);
  }

  Weights weights_;
  mutable std::optional<double> square_;  // |w|^2, where it is known
  std::vector<double> direction_;
};

}  // namespace maxmargin
