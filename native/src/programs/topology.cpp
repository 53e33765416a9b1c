#include "maxmargin/programs/topology.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace maxmargin::programs {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

std::string edge_named(std::size_t edge, std::int32_t head) {
  return "Edge " + std::to_string(edge) + " into cell " + std::to_string(head);
}

}  // namespace

Topology::Topology(std::span<const std::int32_t> head, std::span<const std::int32_t> tail, int tails, std::int64_t cells, std::int64_t goal)
    : tails_(tails) {
  if (cells < 1) throw BadTopology("A program needs a cell and an edge into it at least.");
  if (cells >= kMost || static_cast<std::int64_t>(head.size()) >= kMost) {
    throw BadTopology("A program has fewer than 2147483647 cells and edges; this one has " + std::to_string(cells) + " and " +
                      std::to_string(head.size()) + ".");
  }
  if (goal < 0 || goal >= cells) {
    throw BadTopology("The goal is cell " + std::to_string(goal) + ", and the cells are 0 to " + std::to_string(cells - 1) + ".");
  }
  if (tail.size() != head.size() * static_cast<std::size_t>(tails)) throw BadTopology("Every edge needs its tails.");
  cells_ = static_cast<std::int32_t>(cells);
  goal_ = static_cast<Cell>(goal);
  check(head, tail);
  sort(head, tail);
  if (tails_ == 1) find_runs();
  measure();
}

void Topology::check(std::span<const std::int32_t> head, std::span<const std::int32_t> tail) const {
  for (std::size_t edge = 0; edge < head.size(); ++edge) {
    bool sound = head[edge] >= 0 && head[edge] < cells_;
    for (int k = 0; k < tails_; ++k) {
      const Cell from = tail[edge * static_cast<std::size_t>(tails_) + static_cast<std::size_t>(k)];
      sound = sound && from >= kNoTail && from < head[edge];
    }
    if (sound) continue;
    if (head[edge] < 0 || head[edge] >= cells_) {
      throw BadTopology("Edge " + std::to_string(edge) + " leads into cell " + std::to_string(head[edge]) + ", and the cells are 0 to " +
                        std::to_string(cells_ - 1) + ".");
    }
    for (int k = 0; k < tails_; ++k) {
      const Cell from = tail[edge * static_cast<std::size_t>(tails_) + static_cast<std::size_t>(k)];
      if (from < kNoTail) {
        throw BadTopology(edge_named(edge, head[edge]) + " has tail " + std::to_string(from) + "; a tail is a cell, or -1 where there is none.");
      }
      if (from >= head[edge]) {
        throw BadTopology(edge_named(edge, head[edge]) + " comes from cell " + std::to_string(from) +
                          ", which is not before it: number the cells so that every tail is smaller than its head, which is possible "
                          "unless edges form a cycle (ProgramBuilder does it for you).");
      }
    }
  }
}

void Topology::sort(std::span<const std::int32_t> head, std::span<const std::int32_t> tail) {
  const std::size_t edges = head.size();
  const auto width = static_cast<std::size_t>(tails_);
  first_.assign(static_cast<std::size_t>(cells_) + 1, 0);
  for (const Cell cell : head) ++first_[static_cast<std::size_t>(cell) + 1];
  if (first_[static_cast<std::size_t>(goal_) + 1] == 0) {
    throw BadTopology("No edge leads into the goal, cell " + std::to_string(goal_) + ", so that the program has no output.");
  }
  for (std::size_t cell = 0; cell < static_cast<std::size_t>(cells_); ++cell) {
    if (first_[cell + 1] == 0) {
      throw BadTopology("No edge leads into cell " + std::to_string(cell) +
                        ": nothing can reach it. Leave it out, or give it an edge (without tails where derivations start).");
    }
    first_[cell + 1] += first_[cell];
  }
  if (std::is_sorted(head.begin(), head.end())) {
    head_.assign(head.begin(), head.end());
    tail_.assign(tail.begin(), tail.end());
    return;
  }
  numbers_.resize(edges);
  places_.resize(edges);
  std::vector<Edge> next(first_.begin(), first_.end() - 1);
  for (std::size_t edge = 0; edge < edges; ++edge) {
    const Edge place = next[static_cast<std::size_t>(head[edge])]++;
    places_[edge] = place;
    numbers_[static_cast<std::size_t>(place)] = static_cast<Edge>(edge);
  }
  head_.reserve(edges);
  for (Cell cell = 0; cell < cells_; ++cell) head_.insert(head_.end(), static_cast<std::size_t>(first_[cell + 1] - first_[cell]), cell);
  tail_.resize(edges * width);
  for (std::size_t place = 0; place < edges; ++place) {
    for (std::size_t k = 0; k < width; ++k) tail_[place * width + k] = tail[static_cast<std::size_t>(numbers_[place]) * width + k];
  }
}

void Topology::find_runs() {
  runs_.resize(static_cast<std::size_t>(cells_));
  for (std::size_t cell = 0; cell < runs_.size(); ++cell) {
    const auto begin = static_cast<std::size_t>(first_[cell]), end = static_cast<std::size_t>(first_[cell + 1]);
    bool next = true;
    for (std::size_t edge = begin + 1; edge < end; ++edge) next &= tail_[edge] == tail_[edge - 1] + 1;
    runs_[cell] = next ? tail_[begin] : Edges<1>::kNoRun;
  }
}

void Topology::measure() {
  std::vector<std::int64_t> longest(static_cast<std::size_t>(cells_) + 1, 0);  // of cell c at c + 1; no tail has none
  with_edges([&](const auto& edges) {
    for (Cell cell = 0; cell < cells_; ++cell) {
      std::int64_t most = 0;
      edges.incoming(cell, [&](Edge, Cell a, Cell b) {
        std::int64_t length = longest[static_cast<std::size_t>(a + 1)];
        if constexpr (std::decay_t<decltype(edges)>::kTails == 2) length += longest[static_cast<std::size_t>(b + 1)];
        most = std::max(most, length);
      });
      longest[static_cast<std::size_t>(cell) + 1] = std::min(most + 1, kMost);
    }
  });
  const std::int64_t found = longest[static_cast<std::size_t>(goal_) + 1];
  if (found >= kMost) {
    throw BadTopology("An output of this program can have more than 2147483646 edges, since both tails of its edges reach the same cells "
                      "again and again: an output is a tree, in which a cell that is reached twice counts twice.");
  }
  longest_ = static_cast<std::int32_t>(found);
}

}  // namespace maxmargin::programs
