// The most violated output of a program in every formulation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/engine/rescaled.hpp"
#include "maxmargin/programs/best.hpp"
#include "maxmargin/programs/kbest.hpp"
#include "maxmargin/programs/strata.hpp"
#include "maxmargin/programs/targets.hpp"

namespace maxmargin::programs {

//   augmented    the best output by score and cost: margin rescaling with linear slack
//   totals       the best output at each total of the costs, or at each vector of counts: slack rescaling, squared slack, losses of counts
//   second       the best output other than the truth: the zero-one loss, hard margins
//   prediction   the best output by its score: the perceptron
enum class ProgramGoal : std::uint8_t { augmented, totals, second, prediction };

// Several counts are one number, mixed radix: count k of example i times strides[i, k]. Tables are by that number, from first[i] on.
struct ProgramLoss {
  ProgramGoal goal = ProgramGoal::augmented;
  double unit = 1.0;  // of a cost
  std::vector<double> margin, scale;
  std::vector<std::int64_t> first, strides;
};

// What a search works on.
struct ProgramProblem {
  const ProgramTargets* targets;
  const ProgramLoss* loss;

  std::int64_t number(std::int64_t i, const std::int32_t* units) const {
    const int kinds = targets->costs.kinds;
    std::int64_t sum = 0;
    for (int kind = 0; kind < kinds; ++kind) sum += loss->strides[static_cast<std::size_t>(i * kinds + kind)] * units[kind];
    return sum;
  }
  Rescaled at_total(std::int64_t i, std::int64_t total) const {
    const auto at = static_cast<std::size_t>(loss->first[static_cast<std::size_t>(i)] + total);
    return {loss->margin[at], loss->scale[at]};
  }

  // Of an output other than the truth.
  Rescaled rescaled(std::int64_t i, std::span<const Edge> y) const {
    if (loss->goal == ProgramGoal::second || loss->goal == ProgramGoal::prediction) return at_total(i, 0);
    std::int64_t total = 0;
    for (const Edge edge : y) {
      const std::int32_t* units = targets->units_of(i, edge);
      if (units != nullptr) total += number(i, units);
    }
    if (loss->goal == ProgramGoal::augmented) return {loss->unit * static_cast<double>(total), 1.0};
    return at_total(i, total);
  }

  // Totals of the edges of example i as numbers, by place.
  void numbers(std::int64_t i, std::vector<std::int64_t>& into, std::vector<std::uint8_t>& room) const {
    into.assign(static_cast<std::size_t>(targets->set->topology(i).edges()), 0);
    targets->visit_units(i, room, [&](Edge edge, const std::int32_t* units) { into[static_cast<std::size_t>(edge)] = number(i, units); });
  }
};

class ProgramSearcher {  // keeps its memory from one program to the next
 public:
  explicit ProgramSearcher(const ProgramProblem& problem) : problem_(problem) {}

  // Fills `y` with the places of the most violated output, sorted, and returns true, or false where the truth is the answer. Scores
  // are by place.
  bool find(std::int64_t i, const std::vector<double>& scores, std::vector<Edge>& y) {
    const Topology& topology = problem_.targets->set->topology(i);
    bool found = true;
    topology.with_edges([&](const auto& program) {
      switch (problem_.loss->goal) {
        case ProgramGoal::augmented: best(program, augmented(i, scores), y); break;
        case ProgramGoal::prediction: best(program, scores, y); break;
        case ProgramGoal::second: found = second(i, program, scores, y); break;
        case ProgramGoal::totals: found = by_total(i, program, scores, y); break;
      }
    });
    if (!found) return false;
    std::sort(y.begin(), y.end());
    return !std::ranges::equal(y, problem_.targets->truth(i));
  }

 private:
  template <DynamicProgram P>
  void best(const P& program, const std::vector<double>& scores, std::vector<Edge>& y) {
    best_.run(program, scores.data());
    best_.derivation(program, scores.data(), y);
  }

  const std::vector<double>& augmented(std::int64_t i, const std::vector<double>& scores) {
    augmented_ = scores;
    problem_.targets->visit_units(i, marks_, [&](Edge edge, const std::int32_t* units) {
      augmented_[static_cast<std::size_t>(edge)] += problem_.loss->unit * static_cast<double>(*units);
    });
    return augmented_;
  }

  template <DynamicProgram P>
  bool second(std::int64_t i, const P& program, const std::vector<double>& scores, std::vector<Edge>& y) {
    best_.run(program, scores.data());
    KBest<P, double, EdgeScores<double>> list;
    list.start(program, {scores.data()}, best_.values());
    for (std::int32_t rank = 0; list.find(rank); ++rank) {
      list.derivation(rank, y);
      std::sort(y.begin(), y.end());
      if (!std::ranges::equal(y, problem_.targets->truth(i))) return true;
    }
    return false;
  }

  template <DynamicProgram P>
  bool by_total(std::int64_t i, const P& program, const std::vector<double>& scores, std::vector<Edge>& y) {
    problem_.numbers(i, numbers_, marks_);
    Strata<P, double, const double*, const std::int64_t*> strata(program, scores.data(), numbers_.data());
    double own = 0.0;
    for (const Edge edge : problem_.targets->truth(i)) own += scores[static_cast<std::size_t>(edge)];
    MostViolated chosen;
    const std::span<const double> values = strata.values();
    for (std::size_t total = 0; total < values.size(); ++total) {
      const auto number = static_cast<std::int64_t>(total);
      chosen.offer(number, problem_.at_total(i, number), own, values[total]);
    }
    if (chosen.stratum < 0) return false;
    strata.derivation(chosen.stratum, y);
    return true;
  }

  ProgramProblem problem_;
  Best<double> best_;
  std::vector<double> augmented_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::uint8_t> marks_;
};

}  // namespace maxmargin::programs
