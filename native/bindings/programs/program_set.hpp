// Batches of programs as Python holds them.
#pragma once

#include <algorithm>
#include <vector>

#include "maxmargin/programs/asker.hpp"
#include "programs/programs.hpp"

namespace maxmargin::bindings {

// Programs and features; keeps alive what the core reads.
struct PyProgramSet {
  programs::ProgramSet set;
  std::vector<nb::object> kept;

  std::int64_t n() const { return set.n(); }
  void check_weights(std::size_t size) const {
    if (static_cast<std::int64_t>(size) != set.weights) throw nb::value_error("weights have the wrong length");
  }
};

// The true outputs of a batch, and what edges cost.
struct PyProgramTargets {
  programs::ProgramTargets targets;
  nb::object set;

  std::int64_t n() const { return targets.set->n(); }
};

// Targets and a formulation, as engine/questions.hpp and engine/states.hpp of the bindings want them.
struct PyProgramOracle {
  using Store = programs::ProgramPlanes;
  using Output = std::int32_t;

  programs::ProgramLoss loss;
  const programs::ProgramTargets* targets;
  std::pair<std::int64_t, std::int64_t> largest;  // example and bytes of the search that takes the most memory
  nb::object kept;

  programs::ProgramProblem problem() const { return {targets, &loss}; }
  std::int64_t n() const { return targets->set->n(); }
  std::int64_t weight_count() const { return targets->set->weights; }
  programs::ProgramAsker asker(std::int64_t) const { return programs::ProgramAsker(problem()); }

  Store store() const { return Store(problem()); }
  // An output says how long it is, and must be a derivation.
  std::size_t output_size(std::int64_t i, std::span<const std::int32_t> left) const {
    if (left.empty() || left[0] < 0 || static_cast<std::size_t>(left[0]) >= left.size()) throw nb::value_error("outputs are too short");
    const std::span<const programs::Edge> y = left.subspan(1, static_cast<std::size_t>(left[0]));
    const programs::Topology& topology = targets->set->topology(i);
    if (!std::ranges::all_of(y, [&](programs::Edge edge) { return edge >= 0 && edge < topology.edges(); }) || !std::ranges::is_sorted(y) ||
        programs::derivation_fault(topology, y).kind != programs::DerivationFault::Kind::none) {
      throw nb::value_error("an output is no derivation of its program");
    }
    return 1 + y.size();
  }
  bool is_label(std::int32_t) const { return true; }
  std::optional<programs::ProgramPlane> plane_of(std::int64_t i, const std::int32_t* y) const {
    programs::ProgramPlane plane = programs::make_program_plane(problem(), i, {y + 1, y + 1 + y[0]});
    return plane.terms.empty() ? std::nullopt : std::optional(std::move(plane));
  }
  std::vector<std::pair<std::int64_t, double>> row_of(std::int64_t i, const programs::ProgramPlane& plane) const {
    return programs::plane_row(*targets->set, i, plane);
  }
  bool write_output(std::int64_t i, const programs::ProgramPlane& plane, std::vector<std::int32_t>& into) const {
    if (!plane.single) return false;
    const std::vector<programs::Edge> y = programs::plane_output(*targets, i, plane);
    into.push_back(static_cast<std::int32_t>(y.size()));
    into.insert(into.end(), y.begin(), y.end());
    return true;
  }
};

// Offsets that start at zero, never fall and end at `last`; one more than examples.
std::vector<std::int64_t> checked_offsets(const In1<std::int64_t>& offsets, std::int64_t examples, std::size_t last, const char* name);

void add_predictions(nb::class_<PyProgramSet>& type);

}  // namespace maxmargin::bindings
