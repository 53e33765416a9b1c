// A dynamic program whose edges are listed in arrays: which cells there are and how edges connect them, without scores.
//
// Inside, edges are in the order of their heads (stable); that number is the edge's *place*. Callers from outside speak of edges by
// the number that they gave them: `numbers()[place]`, and `places()[number]`. Both are empty where the two orders are the same.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "maxmargin/programs/program.hpp"

namespace maxmargin::programs {

// A fault of the edges, in a sentence.
struct BadTopology : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

template <int kMostTails>
class Edges {  // a view that the queries read
 public:
  static constexpr int kTails = kMostTails;

  Edges(std::int32_t cells, Cell goal, const Edge* first, const Cell* tails, const Cell* runs)
      : cells_(cells), goal_(goal), first_(first), tails_(tails), runs_(runs) {}

  std::int32_t cells() const { return cells_; }
  std::int32_t edges() const { return first_[cells_]; }
  Cell goal() const { return goal_; }
  Edge first(Cell cell) const { return first_[cell]; }
  const Edge* first_list() const { return first_; }  // by cell, and the number of edges
  Tails tails(Edge edge) const {
    if constexpr (kTails == 1) return {tails_[edge], kNoTail};
    return {tails_[2 * static_cast<std::int64_t>(edge)], tails_[2 * static_cast<std::int64_t>(edge) + 1]};
  }
  Tails tails(Cell, Edge edge) const { return tails(edge); }
  // The numbers that `tails` reads, kTails per edge.
  const Cell* tail_list(Edge edge) const { return tails_ + static_cast<std::int64_t>(kTails) * edge; }
  // Where edges have one tail: that of the first edge into a cell if those of the others are the next ones, else kNoRun.
  static constexpr Cell kNoRun = -2;
  Cell run(Cell cell) const { return runs_[cell]; }
  template <class Visit>
  void incoming(Cell cell, Visit&& visit) const {
    const Edge last = first_[cell + 1];
    for (Edge edge = first_[cell]; edge < last; ++edge) {
      const Tails from = tails(edge);
      visit(edge, from.first, from.second);
    }
  }

 private:
  std::int32_t cells_;
  Cell goal_;
  const Edge* first_;
  const Cell* tails_;
  const Cell* runs_;
};
static_assert(ListedPaths<Edges<1>> && NumberedProgram<Edges<2>>);

class Topology {
 public:
  // `tail` has `tails` (1 or 2) numbers per edge, kNoTail where there is none. Throws BadTopology.
  Topology(std::span<const std::int32_t> head, std::span<const std::int32_t> tail, int tails, std::int64_t cells, std::int64_t goal);

  std::int32_t cells() const { return cells_; }
  std::int32_t edges() const { return static_cast<std::int32_t>(head_.size()); }
  Cell goal() const { return goal_; }
  // The most edges that an output can have.
  std::int32_t longest() const { return longest_; }

  const std::vector<Edge>& numbers() const { return numbers_; }
  const std::vector<Edge>& places() const { return places_; }
  Edge number(Edge place) const { return numbers_.empty() ? place : numbers_[static_cast<std::size_t>(place)]; }
  Edge place(Edge number) const { return places_.empty() ? number : places_[static_cast<std::size_t>(number)]; }
  Cell head(Edge place) const { return head_[static_cast<std::size_t>(place)]; }

  // Calls ask(edges) with the view of the right number of tails.
  template <class Ask>
  decltype(auto) with_edges(Ask&& ask) const {
    if (tails_ == 1) return ask(Edges<1>(cells_, goal_, first_.data(), tail_.data(), runs_.data()));
    return ask(Edges<2>(cells_, goal_, first_.data(), tail_.data(), nullptr));
  }

  // Values of edges by place: those given where edges are in order already, else sorted into `room`.
  template <class T>
  const T* by_place(const T* by_number, std::vector<T>& room) const {
    if (numbers_.empty()) return by_number;
    room.resize(head_.size());
    for (std::size_t place = 0; place < room.size(); ++place) room[place] = by_number[numbers_[place]];
    return room.data();
  }
  // The other way, in place of `values`.
  template <class T>
  void to_numbers(std::vector<T>& values) const {
    if (numbers_.empty()) return;
    const std::vector<T> by_place = values;
    for (std::size_t place = 0; place < by_place.size(); ++place) values[static_cast<std::size_t>(numbers_[place])] = by_place[place];
  }

 private:
  void check(std::span<const std::int32_t> head, std::span<const std::int32_t> tail) const;
  void sort(std::span<const std::int32_t> head, std::span<const std::int32_t> tail);
  void find_runs();
  void measure();

  std::int32_t cells_ = 0;
  Cell goal_ = 0;
  int tails_ = 1;
  std::int32_t longest_ = 0;
  std::vector<Cell> head_, tail_;  // by place
  std::vector<Cell> runs_;         // by cell
  std::vector<Edge> first_, numbers_, places_;
};

}  // namespace maxmargin::programs
