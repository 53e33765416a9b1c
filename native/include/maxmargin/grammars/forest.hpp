// The edges of a chart that are in a tree of the sentence, listed.
#pragma once

#include <vector>

#include "maxmargin/grammars/chart_program.hpp"
#include "maxmargin/programs/likely_edges.hpp"

namespace maxmargin::grammars {

class Forest {  // keeps its memory from one chart to the next
 public:
  // The edges whose best tree has a value of at least `least`. The chart must have such a tree, and outlive the answers.
  void list(const ChartProgram& program, double least = kImpossible<double>) {
    program_ = &program;
    const auto extend = [&](Cell cell, Edge edge, double first, double second) { return program.extend(cell, edge, first, second); };
    listed_.list(program, program.chart().values(), extend, least);
  }

  programs::Edges<2> edges() const { return listed_.edges(); }
  const std::vector<double>& scores() const { return listed_.scores(); }
  Edge size() const { return listed_.size(); }
  Cell cell(Edge edge) const { return listed_.cell(edge); }
  Edge chart_edge(Edge edge) const { return listed_.number(edge); }
  const ChartProgram& program() const { return *program_; }

  // The rules of a derivation.
  void rules(std::span<const Edge> derivation, std::vector<Anchored>& into) const {
    into.clear();
    for (const Edge edge : derivation) program_->add_rules(cell(edge), chart_edge(edge), into);
  }

 private:
  const ChartProgram* program_ = nullptr;
  programs::LikelyEdges<ChartProgram> listed_;
};

}  // namespace maxmargin::grammars
