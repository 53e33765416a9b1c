// What the bindings of queries share: checks of scores and edges, and scores in the order of the core.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "maxmargin/programs/required.hpp"
#include "maxmargin/programs/topology.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::bindings {

using programs::kLargestScore;

// Scores of the edges of a program: numbers up to kLargestScore, or minus infinity. `where` ends the name of an edge.
inline void check_scores(std::span<const double> scores, const std::string& where = "") {
  auto legal = [](double score) { return (score <= kLargestScore) & ((score >= -kLargestScore) | (score == programs::kImpossible<double>)); };
  if (kernels().all_within(scores.data(), static_cast<std::int64_t>(scores.size()), kLargestScore)) return;
  const auto at = static_cast<std::size_t>(std::find_if_not(scores.begin(), scores.end(), legal) - scores.begin());
  throw nb::value_error(("The score of edge " + std::to_string(at) + where + " is " + std::to_string(scores[at]) +
                         "; scores are numbers of a size up to 1e300, or -inf for an edge that must not be used.").c_str());
}

inline void check_count(std::size_t given, std::int64_t edges, const char* what = "scores") {
  if (static_cast<std::int64_t>(given) != edges) {
    throw nb::value_error(("The program has " + std::to_string(edges) + " edges, and there are " + std::to_string(given) + " " + what + ".").c_str());
  }
}

using EdgeList = std::optional<In1<std::int32_t>>;

// The scores of one question, by place, with edges that are forbidden or lead past a required one at minus infinity.
class Question {
 public:
  // May be called without the GIL.
  Question(const programs::Topology& topology, const In1<double>& scores, const EdgeList& forbidden, const EdgeList& required) {
    check_count(scores.size(), topology.edges());
    check_scores(as_span(scores));
    scores_ = topology.by_place(scores.data(), room_);
    if (!forbidden && !required) return;
    if (room_.empty()) room_.assign(scores.data(), scores.data() + scores.size());
    scores_ = room_.data();
    for (const programs::Edge place : places(topology, forbidden, "forbidden")) room_[static_cast<std::size_t>(place)] = programs::kImpossible<double>;
    if (!required) return;
    const std::vector<programs::Edge> wanted = places(topology, required, "required");
    const programs::Required met = topology.with_edges([&](const auto& program) { return programs::require(program, wanted, room_.data()); });
    if (met.outcome == programs::Requirement::repeated) {
      const programs::Edge edge = topology.number(met.edge);
      throw nb::value_error(("Edge " + std::to_string(edge) + " into cell " + std::to_string(topology.head(met.edge)) +
                             " cannot be required: an output may have it several times.").c_str());
    }
  }
  Question(const Question&) = delete;

  const double* scores() const { return scores_; }

 private:
  static std::vector<programs::Edge> places(const programs::Topology& topology, const EdgeList& edges, const char* what) {
    std::vector<programs::Edge> found;
    if (!edges) return found;
    for (const programs::Edge edge : as_span(*edges)) {
      if (edge < 0 || edge >= topology.edges()) {
        throw nb::value_error(("Edge " + std::to_string(edge) + " is " + what + ", and the edges are 0 to " + std::to_string(topology.edges() - 1) + ".").c_str());
      }
      found.push_back(topology.place(edge));
    }
    return found;
  }

  std::vector<double> room_;
  const double* scores_ = nullptr;
};

inline void to_numbers(const programs::Topology& topology, std::vector<programs::Edge>& edges, std::size_t from = 0) {
  for (std::size_t at = from; at < edges.size(); ++at) edges[at] = topology.number(edges[at]);
}

}  // namespace maxmargin::bindings
