// Extrapolation along the recent path of the dual variables.
//
// Coordinate ascent soon zigzags along a valley: what a few visits to every block have changed adds up to a direction in
// which the dual can gain much more than any one block sees. Extrapolation goes further in it,
//   alpha <- alpha + factor (alpha - marked),   each block kept within its cap,
// and is kept only if the dual improves, so that nothing is lost by trying.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "maxmargin/engine/working_sets.hpp"

namespace maxmargin {

inline constexpr double kRounding = 1e-12;  // a gain of the dual below this share of it may be none

inline void mark(SupportLists& support) {
  for (std::int64_t i = 0; i < support.blocks(); ++i) {
    for (SupportEntry& entry : support[i]) entry.marked = entry.alpha;
  }
}

// Moves the dual variables of one block and marks them where they were. Whether any has moved. `separate`: every plane has
// a cap of its own.
inline bool extend(SupportLists::List& list, double factor, double cap, bool separate) {
  double total = 0.0;
  bool moved = false;
  for (SupportEntry& entry : list) {
    const double next = std::max(0.0, entry.alpha + factor * (entry.alpha - entry.marked));
    entry.marked = std::exchange(entry.alpha, separate ? std::min(cap, next) : next);
    moved = moved || entry.alpha != entry.marked;
    total += entry.alpha;
  }
  if (moved && !separate && total > cap) {
    for (SupportEntry& entry : list) entry.alpha *= cap / total;
  }
  return moved;
}

// Moves w and the dual of an engine by what the alpha of one block differ from the marked. `alpha` is scratch.
template <class Engine, class Point>
void follow(Engine& engine, std::int64_t i, Point w, std::vector<double>& alpha) {
  double now = 0.0, then = 0.0;
  alpha.clear();
  for (SupportEntry& entry : engine.support[i]) {
    now += entry.alpha;
    then += entry.marked;
    alpha.push_back(std::exchange(entry.alpha, entry.alpha - entry.marked));
  }
  engine.linear += engine.block.deposit(i, engine.support[i], w);
  engine.conjugate += 0.5 * engine.budget.ridge(i) * (now * now - then * then);
  for (std::size_t k = 0; k < alpha.size(); ++k) engine.support[i].entries[k].alpha = alpha[k];
}

// A step that can be undone.
struct Stretched {
  std::vector<std::int32_t> moved;
  double linear = 0.0, conjugate = 0.0;
};

template <class Engine, class Point>
void follow_all(Engine& engine, const std::vector<std::int32_t>& moved, Point w) {
  constexpr std::size_t kSoon = 4;
  std::vector<double> alpha;
  engine.moved();
  for (std::size_t at = 0; at < moved.size(); ++at) {
    if (at + kSoon < moved.size()) engine.block.prefetch(moved[at + kSoon]);
    follow(engine, moved[at], w, alpha);
  }
}

template <class Engine, class Point>
Stretched stretch(Engine& engine, double factor, Point w, bool separate) {
  Stretched step{{}, engine.linear, engine.conjugate};
  for (std::int64_t i = 0; i < engine.support.blocks(); ++i) {
    if (extend(engine.support[i], factor, std::max(0.0, engine.budget.cap(i)), separate)) step.moved.push_back(static_cast<std::int32_t>(i));
  }
  follow_all(engine, step.moved, w);
  return step;
}

// Takes back what stretch has done, but for w, which `restore(moved)` brings back.
template <class Engine, class Restore>
void take_back_by(Engine& engine, const Stretched& step, Restore&& restore) {
  for (std::int32_t i : step.moved) {
    for (SupportEntry& entry : engine.support[i]) std::swap(entry.alpha, entry.marked);
  }
  restore(step.moved);
  engine.linear = step.linear, engine.conjugate = step.conjugate;
}
template <class Engine, class Point>
void take_back(Engine& engine, const Stretched& step, Point w) {
  take_back_by(engine, step, [&](const std::vector<std::int32_t>& moved) { follow_all(engine, moved, w); });
}

// The gain of the dual; a step that gains nothing is undone.
template <class Engine, class Point>
double extrapolate(Engine& engine, double factor, Point w, bool separate) {
  const double dual = engine.dual();
  const Stretched step = stretch(engine, factor, w, separate);
  const double gain = engine.dual() - dual;
  if (gain > kRounding * std::abs(dual)) return gain;
  take_back(engine, step, w);
  return 0.0;
}
// The same for weights of which there are few beside what all rows hold: a copy of them is sooner brought back than moves are.
template <class Engine, class Weights, class Point>
double extrapolate_copied(Engine& engine, double factor, Weights& weights, Point w) {
  const double dual = engine.dual();
  const auto before = weights.numbers();
  const Stretched step = stretch(engine, factor, w, false);
  const double gain = engine.dual() - dual;
  if (gain > kRounding * std::abs(dual)) return gain;
  take_back_by(engine, step, [&](const std::vector<std::int32_t>&) {
    weights.numbers() = before;
    engine.moved();
  });
  return 0.0;
}

}  // namespace maxmargin
