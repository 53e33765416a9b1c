// Sets of alignments as Python holds them.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "alignments/alignments.hpp"
#include "maxmargin/alignments/asker.hpp"

namespace maxmargin::bindings {

// Sequences, features and examples; keeps alive what the core reads.
struct PyAlignmentSet {
  alignments::AlignmentSet set;
  std::vector<nb::object> kept;

  std::int64_t n() const { return set.n(); }
  void check_weights(std::size_t size) const {
    if (static_cast<std::int64_t>(size) != set.weights) throw nb::value_error("weights have the wrong length");
  }
};

struct PyAlignmentTargets {
  alignments::AlignmentTargets targets;
  nb::object set;

  std::int64_t n() const { return targets.set->n(); }
};

// Targets and a formulation, as engine/questions.hpp and engine/states.hpp of the bindings want them.
struct PyAlignmentOracle {
  using Store = alignments::AlignmentPlanes;
  using Output = std::int32_t;

  alignments::AlignmentLoss loss;
  const alignments::AlignmentTargets* targets;
  std::pair<std::int64_t, std::int64_t> largest;  // example and bytes of the search that takes the most memory
  nb::object kept;

  alignments::AlignmentProblem problem() const { return {targets, &loss}; }
  std::int64_t n() const { return targets->set->n(); }
  std::int64_t weight_count() const { return targets->set->weights; }
  alignments::AlignmentAsker asker(std::int64_t) const { return alignments::AlignmentAsker(problem()); }

  Store store() const { return Store(problem()); }
  std::size_t output_size(std::int64_t i, std::span<const std::int32_t> left) const;
  bool is_label(std::int32_t) const { return true; }
  std::optional<alignments::AlignmentPlane> plane_of(std::int64_t i, const std::int32_t* y) const;
  std::vector<std::pair<std::int64_t, double>> row_of(std::int64_t, const alignments::AlignmentPlane& plane) const {
    std::vector<std::pair<std::int64_t, double>> row;
    const StoredPlane& own = plane.row;
    for (std::size_t k = 0; k < own.value.size(); ++k) {
      if (own.value[k] != 0.0) row.emplace_back(own.dense ? static_cast<std::int64_t>(k) : own.index[k], own.value[k]);
    }
    return row;
  }
  bool write_output(std::int64_t, const alignments::AlignmentPlane& plane, std::vector<std::int32_t>& into) const {
    into.insert(into.end(), plane.output.begin(), plane.output.end());
    return !plane.output.empty();
  }
};

}  // namespace maxmargin::bindings
