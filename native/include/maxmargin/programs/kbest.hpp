// The k best derivations of a program, found lazily (Huang and Chiang 2005, algorithm 3).
//
// A derivation of a cell is an edge into it and the ranks of the derivations of its tails. Every cell that is asked has a heap of candidates,
// at first each edge with the best of its tails, and the derivations taken from it so far. After (edge, i, j) the next candidates are
// (edge, i, j + 1), and where j is 0 also (edge, i + 1, 0): every pair of ranks once. Only cells that the answers need are ever opened.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "maxmargin/programs/program.hpp"

namespace maxmargin::programs {

// Scores of edges in an array, as KBest asks for them: the value of a derivation from those of its tails.
template <class Real>
struct EdgeScores {
  const Real* scores;
  Real extend(Cell, Edge edge, Real first) const { return scores[edge] + first; }
  Real extend(Cell, Edge edge, Real first, Real second) const { return scores[edge] + first + second; }
};

template <DynamicProgram P, class Real, class Scores>
class KBest {  // keeps its memory from one program to the next
 public:
  // `values` are the best of every cell by the same scores, values[-1] = 0 for no tail (Best::values); all must outlive the answers.
  void start(const P& program, Scores scores, const Real* values) {
    program_ = &program;
    scores_ = scores;
    values_ = values;
    number_.assign(static_cast<std::size_t>(program.cells()), -1);
    used_ = 0;
  }

  // Finds derivation `rank` of the goal, 0 the best; false where there are not so many.
  bool find(std::int32_t rank) { return find(program_->goal(), rank); }
  Real value(std::int32_t rank) { return derived(program_->goal(), rank).value; }  // of a derivation that was found

  // The edges of derivation `rank`, which was found; each edge before those of its tails.
  void derivation(std::int32_t rank, std::vector<Edge>& edges) {
    edges.clear();
    walk(rank, [&](Cell, Edge edge) { edges.push_back(edge); });
  }
  // The heads of these edges.
  void cells_of(std::int32_t rank, std::vector<Cell>& cells) {
    cells.clear();
    walk(rank, [&](Cell cell, Edge) { cells.push_back(cell); });
  }

  // Calls visit(cell, edge) for the edges of derivation `rank`, in that order.
  template <class Visit>
  void walk(std::int32_t rank, Visit&& visit) {
    asked_.assign(1, {program_->goal(), rank});
    while (!asked_.empty()) {
      const Asked asked = asked_.back();
      asked_.pop_back();
      const Derived chosen = derived(asked.cell, asked.rank);
      visit(asked.cell, chosen.edge);
      const Tails from = program_->tails(asked.cell, chosen.edge);
      if (from.second != kNoTail) asked_.push_back({from.second, chosen.second});
      if (from.first != kNoTail) asked_.push_back({from.first, chosen.first});
    }
  }

 private:
  struct Derived {
    Real value;
    Edge edge;
    std::int32_t first, second;  // ranks of the derivations of the tails
  };
  struct Asked {
    Cell cell;
    std::int32_t rank;
  };
  struct Opened {
    std::vector<Derived> found, candidates;
    bool expanded = false;  // the candidates after the last found are in the heap
    bool done = false;      // there are no more than those found
  };
  // Of equal values the first edge, so that the best is what programs/best.hpp finds.
  static bool worse(const Derived& a, const Derived& b) {
    if (a.value != b.value) return a.value < b.value;
    if (a.edge != b.edge) return a.edge > b.edge;
    return a.first != b.first ? a.first > b.first : a.second > b.second;
  }

  Real best_of(Cell cell, Edge edge, Cell a, Cell b) const {
    if constexpr (P::kTails == 1) return scores_.extend(cell, edge, values_[a]);
    else return scores_.extend(cell, edge, values_[a], values_[b]);
  }

  Opened& opened(Cell cell) {
    std::int32_t& number = number_[static_cast<std::size_t>(cell)];
    if (number >= 0) return opened_[static_cast<std::size_t>(number)];
    number = used_++;
    if (number == static_cast<std::int32_t>(opened_.size())) opened_.emplace_back();
    Opened& own = opened_[static_cast<std::size_t>(number)];
    own.found.clear();
    own.candidates.clear();
    own.expanded = own.done = false;
    program_->incoming(cell, [&](Edge edge, Cell a, Cell b) {
      const Real value = best_of(cell, edge, a, b);
      if (value != kImpossible<Real>) own.candidates.push_back({value, edge, 0, 0});
    });
    std::make_heap(own.candidates.begin(), own.candidates.end(), worse);
    return own;
  }

  bool is_known(Cell cell, std::int32_t rank) {
    const std::int32_t number = number_[static_cast<std::size_t>(cell)];
    if (number < 0) return false;
    const Opened& own = opened_[static_cast<std::size_t>(number)];
    return own.done || rank < static_cast<std::int32_t>(own.found.size());
  }

  bool find(Cell cell, std::int32_t rank) {  // with a stack of its own: derivations are as deep as the program is long
    asked_.assign(1, {cell, rank});
    while (!asked_.empty()) {
      const Asked asked = asked_.back();
      opened(asked.cell);
      if (is_known(asked.cell, asked.rank)) {
        asked_.pop_back();
      } else if (ask_for_tails(asked.cell)) {
        take_next(asked.cell);
      }
    }
    return rank < static_cast<std::int32_t>(opened(cell).found.size());
  }

  // True where the candidates after the last found could be made; else their tails were put on the stack.
  bool ask_for_tails(Cell cell) {
    Opened& own = opened(cell);
    if (own.found.empty() || own.expanded) return true;
    const Derived last = own.found.back();
    const Tails from = program_->tails(cell, last.edge);
    const bool first = from.first != kNoTail && last.second == 0, second = from.second != kNoTail;
    bool ready = true;
    if (second && !is_known(from.second, last.second + 1)) asked_.push_back({from.second, last.second + 1}), ready = false;
    if (first && !is_known(from.first, last.first + 1)) asked_.push_back({from.first, last.first + 1}), ready = false;
    if (!ready) return false;
    if (second) add(cell, last.edge, from, last.first, last.second + 1);
    if (first) add(cell, last.edge, from, last.first + 1, 0);
    opened(cell).expanded = true;
    return true;
  }

  void add(Cell cell, Edge edge, Tails from, std::int32_t first, std::int32_t second) {
    if (!exists(from.first, first) || !exists(from.second, second)) return;
    Opened& own = opened(cell);
    if constexpr (P::kTails == 1) {
      own.candidates.push_back({scores_.extend(cell, edge, value_of(from.first, first)), edge, first, second});
    } else {
      own.candidates.push_back({scores_.extend(cell, edge, value_of(from.first, first), value_of(from.second, second)), edge, first, second});
    }
    std::push_heap(own.candidates.begin(), own.candidates.end(), worse);
  }
  bool exists(Cell cell, std::int32_t rank) { return rank == 0 || rank < static_cast<std::int32_t>(opened(cell).found.size()); }
  Real value_of(Cell cell, std::int32_t rank) { return rank == 0 ? values_[cell] : opened(cell).found[static_cast<std::size_t>(rank)].value; }

  void take_next(Cell cell) {
    Opened& own = opened(cell);
    if (own.candidates.empty()) {
      own.done = true;
      return;
    }
    std::pop_heap(own.candidates.begin(), own.candidates.end(), worse);
    own.found.push_back(own.candidates.back());
    own.candidates.pop_back();
    own.expanded = false;
  }

  // The best of a cell that was never opened is found as programs/best.hpp does.
  Derived derived(Cell cell, std::int32_t rank) {
    const std::int32_t number = number_[static_cast<std::size_t>(cell)];
    if (number >= 0 && rank < static_cast<std::int32_t>(opened_[static_cast<std::size_t>(number)].found.size())) {
      return opened_[static_cast<std::size_t>(number)].found[static_cast<std::size_t>(rank)];
    }
    Edge found = -1;
    program_->incoming(cell, [&](Edge edge, Cell a, Cell b) {
      if (found < 0 && best_of(cell, edge, a, b) == values_[cell]) found = edge;
    });
    if (found < 0) refuse_scores();
    return {values_[cell], found, 0, 0};
  }

  const P* program_ = nullptr;
  Scores scores_{};
  const Real* values_ = nullptr;
  std::int32_t used_ = 0;
  std::vector<std::int32_t> number_;  // of the opened cells
  std::vector<Opened> opened_;
  std::vector<Asked> asked_;
};

}  // namespace maxmargin::programs
