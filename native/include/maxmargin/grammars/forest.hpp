// The edges of a chart that are in a tree of the sentence, listed: what the questions of programs/ that number edges take.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "maxmargin/grammars/chart_program.hpp"
#include "maxmargin/programs/topology.hpp"

namespace maxmargin::grammars {

class Forest {  // keeps its memory from one chart to the next
 public:
  // The edges whose best tree has a value of at least `least`. The chart must have such a tree, and outlive the answers.
  void list(const ChartProgram& program, double least = kImpossible<double>) {
    program_ = &program;
    const double* inner = program.chart().values();
    outer_.assign(static_cast<std::size_t>(program.cells()) + 1, kImpossible<double>);
    double* outer = outer_.data() + 1;
    const auto through = [&](Cell cell, Edge edge, Cell a, Cell b) { return outer[cell] + program.extend(cell, edge, inner[a], inner[b]); };
    outer[program.goal()] = 0.0;
    for (Cell cell = program.goal(); cell >= 0; --cell) {
      if (outer[cell] == kImpossible<double>) continue;
      program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
        const double value = through(cell, edge, a, b);
        if (value < least) return;
        for (const Cell tail : {a, b}) {
          if (tail != kNoTail) outer[tail] = std::max(outer[tail], value - inner[tail]);
        }
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
        if (through(cell, edge, a, b) < least) return;
        for (const Cell tail : {a, b}) tails_.push_back(tail == kNoTail ? kNoTail : number_[static_cast<std::size_t>(tail)]);
        cell_.push_back(cell);
        edge_.push_back(edge);
        scores_.push_back(program.extend(cell, edge, 0.0, 0.0));
      });
      if (edge_.size() > static_cast<std::size_t>(std::numeric_limits<Edge>::max())) throw std::length_error("a chart has too many edges to be listed");
    }
    first_.push_back(static_cast<Edge>(edge_.size()));
    cells_ = used;
  }

  programs::Edges<2> edges() const { return {cells_, cells_ - 1, first_.data(), tails_.data(), nullptr}; }
  const std::vector<double>& scores() const { return scores_; }
  Edge size() const { return static_cast<Edge>(edge_.size()); }
  Cell cell(Edge edge) const { return cell_[static_cast<std::size_t>(edge)]; }
  Edge chart_edge(Edge edge) const { return edge_[static_cast<std::size_t>(edge)]; }
  const ChartProgram& program() const { return *program_; }

  // The rules of a derivation.
  void rules(std::span<const Edge> derivation, std::vector<Anchored>& into) const {
    into.clear();
    for (const Edge edge : derivation) program_->add_rules(cell(edge), chart_edge(edge), into);
  }

 private:
  const ChartProgram* program_ = nullptr;
  Cell cells_ = 0;
  std::vector<Cell> number_, tails_, cell_;
  std::vector<Edge> first_, edge_;
  std::vector<double> scores_, outer_;
};

}  // namespace maxmargin::grammars
