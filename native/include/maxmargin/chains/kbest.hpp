// The k best paths of a trellis: the lazy search of programs/kbest.hpp, over the values that the vector kernels of BestPath find.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/chains/semirings.hpp"
#include "maxmargin/chains/trellis.hpp"
#include "maxmargin/programs/kbest.hpp"

namespace maxmargin {

// A trellis as a dynamic program. Its cells are the places of BestPath's values: after token t, row by row of `stride` cells, of which the first
// `labels` are states; the goal comes after all of them. An edge into a state is the number of its predecessor in the fan, one into the
// goal the last state.
template <class Real>
class TrellisProgram {
 public:
  static constexpr int kTails = 1;

  TrellisProgram() = default;
  explicit TrellisProgram(const Trellis<Real>& trellis)
      : trellis_(&trellis),
        growing_(cells_before(trellis, std::min(trellis.order - 1, trellis.length))),
        goal_(static_cast<programs::Cell>(cells_before(trellis, trellis.length) * trellis.stride)) {}

  std::int32_t cells() const { return goal_ + 1; }
  programs::Cell goal() const { return goal_; }
  programs::Tails tails(programs::Cell cell, programs::Edge edge) const {
    if (cell == goal_) return {cell_of(trellis_->length - 1, edge), programs::kNoTail};
    const Place at = place(cell);
    if (at.t == 0) return {programs::kNoTail, programs::kNoTail};
    return {cell_of(at.t - 1, at.row + edge * fan_into(*trellis_, at.t).apart), programs::kNoTail};
  }
  template <class Visit>
  void incoming(programs::Cell cell, Visit&& visit) const {
    if (cell == goal_) {
      const std::int64_t states = trellis_->rows(trellis_->length - 1) * trellis_->labels;
      for (std::int64_t s = 0; s < states; ++s) visit(static_cast<programs::Edge>(s), cell_of(trellis_->length - 1, s), programs::kNoTail);
      return;
    }
    const Place at = place(cell);
    if (at.t == 0) {
      visit(programs::Edge{0}, programs::kNoTail, programs::kNoTail);
      return;
    }
    const Fan fan = fan_into(*trellis_, at.t);
    for (int j = 0; j < fan.count; ++j) visit(programs::Edge{j}, cell_of(at.t - 1, at.row + j * fan.apart), programs::kNoTail);
  }

  // The value of a path that goes on over an edge, added up as BestPath does.
  Real extend(programs::Cell cell, programs::Edge edge, Real before) const {
    if (cell == goal_) return before;
    const Place at = place(cell);
    const Real node = trellis_->node(at.t)[at.y];
    if (at.t == 0) return node;
    return (before + trellis_->step(at.t, at.row + edge * fan_into(*trellis_, at.t).apart, at.y)) + node;
  }
  int token(programs::Cell cell) const { return place(cell).t; }
  int label(programs::Cell cell) const { return place(cell).y; }

 private:
  struct Place {
    int t;
    std::int64_t row;
    int y;
  };
  Place place(programs::Cell cell) const {
    const std::int32_t row = cell / trellis_->stride, y = cell % trellis_->stride;
    if (row >= growing_) {
      const auto rows = static_cast<std::int32_t>(trellis_->rows(trellis_->order - 1)), later = row - static_cast<std::int32_t>(growing_);
      return {trellis_->order - 1 + later / rows, later % rows, y};
    }
    int t = 0;
    while (cells_before(*trellis_, t + 1) <= row) ++t;
    return {t, row - cells_before(*trellis_, t), y};
  }
  programs::Cell cell_of(int t, std::int64_t state) const {
    return static_cast<programs::Cell>((cells_before(*trellis_, t) + state / trellis_->labels) * trellis_->stride + state % trellis_->labels);
  }

  const Trellis<Real>* trellis_ = nullptr;
  std::int64_t growing_ = 0;  // rows of the tokens before a tuple of labels is full
  programs::Cell goal_ = 0;
};
static_assert(programs::DynamicProgram<TrellisProgram<double>>);

// The k best different paths, one after the other.
template <class Real>
class BestPaths {
 public:
  void run(const Trellis<Real>& trellis) {
    program_ = TrellisProgram<Real>(trellis);
    best_.run(trellis);
    search_.start(program_, program_, best_.all_values());
  }

  // Path number `rank` (0 the best) and its score; minus infinity if there are not so many. Ranks are asked from 0 on.
  double path(int rank, std::int32_t* labels) {
    if (best_.all_values()[program_.goal()] == programs::kImpossible<Real> || !search_.find(rank)) return -std::numeric_limits<double>::infinity();
    search_.cells_of(rank, path_);
    for (const programs::Cell cell : path_) {
      if (cell != program_.goal()) labels[program_.token(cell)] = program_.label(cell);
    }
    return static_cast<double>(search_.value(rank));
  }

 private:
  TrellisProgram<Real> program_;
  BestPath<Real> best_;
  programs::KBest<TrellisProgram<Real>, Real, TrellisProgram<Real>> search_;
  std::vector<programs::Cell> path_;
};

}  // namespace maxmargin
