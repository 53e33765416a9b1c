// The edges of a program that are in a derivation of some value, listed: what the questions that number edges take.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "maxmargin/programs/topology.hpp"

namespace maxmargin::programs {

template <DynamicProgram P>
class LikelyEdges {  // keeps its memory from one program to the next
 public:
  // The edges whose best derivation of the goal has a value of at least `least`; there must be one. `inner` has the value of each cell, and 0 at -1
  // for no tail; extend(cell, edge, first, second) is that of a derivation from those of its tails.
  template <class Extend>
  void list(const P& program, const double* inner, const Extend& extend, double least = kImpossible<double>) {
    outer_.assign(static_cast<std::size_t>(program.cells()) + 1, kImpossible<double>);
    double* outer = outer_.data() + 1;
    const auto through = [&](Cell cell, Edge edge, Cell a, Cell b) { return outer[cell] + extend(cell, edge, inner[a], inner[b]); };
    const auto has = [&](double value) { return value >= least && value != kImpossible<double>; };
    outer[program.goal()] = 0.0;
    for (Cell cell = program.goal(); cell >= 0; --cell) {
      if (outer[cell] == kImpossible<double>) continue;
      program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
        const double value = through(cell, edge, a, b);
        if (!has(value)) return;
        if (a != kNoTail) outer[a] = std::max(outer[a], value - inner[a]);
        if (P::kTails == 2 && b != kNoTail) outer[b] = std::max(outer[b], value - inner[b]);
      });
    }
    number_.assign(static_cast<std::size_t>(program.cells()), kNoTail);
    first_.clear(), tails_.clear(), cell_.clear(), edge_.clear(), scores_.clear();
    Cell used = 0;
    for (Cell cell = 0; cell <= program.goal(); ++cell) {
      if (outer[cell] == kImpossible<double>) continue;
      number_[static_cast<std::size_t>(cell)] = used++;
      first_.push_back(static_cast<Edge>(edge_.size()));
      program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
        if (!has(through(cell, edge, a, b))) return;
        tails_.push_back(a == kNoTail ? kNoTail : number_[static_cast<std::size_t>(a)]);
        if (P::kTails == 2) tails_.push_back(b == kNoTail ? kNoTail : number_[static_cast<std::size_t>(b)]);
        cell_.push_back(cell);
        edge_.push_back(edge);
        scores_.push_back(extend(cell, edge, 0.0, 0.0));
      });
      if (edge_.size() > static_cast<std::size_t>(std::numeric_limits<Edge>::max())) throw std::length_error("a program has too many edges to be listed");
    }
    first_.push_back(static_cast<Edge>(edge_.size()));
    cells_ = used;
  }

  Edges<P::kTails> edges() const { return {cells_, cells_ - 1, first_.data(), tails_.data(), nullptr}; }
  const std::vector<double>& scores() const { return scores_; }
  Edge size() const { return static_cast<Edge>(edge_.size()); }
  // The head and the number of a listed edge in the program.
  Cell cell(Edge edge) const { return cell_[static_cast<std::size_t>(edge)]; }
  Edge number(Edge edge) const { return edge_[static_cast<std::size_t>(edge)]; }

 private:
  Cell cells_ = 0;
  std::vector<Cell> number_, tails_, cell_;
  std::vector<Edge> first_, edge_;
  std::vector<double> scores_, outer_;
};

}  // namespace maxmargin::programs
