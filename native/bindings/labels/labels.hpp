// Label vectors as Python holds them.
#pragma once

#include "arrays.hpp"
#include "maxmargin/labels/asker.hpp"

namespace maxmargin::bindings {

// Examples, pairs of labels and, for training, truths and a loss, as engine/questions.hpp and engine/states.hpp of the bindings want
// them; keeps alive what the core reads.
struct PyLabels {
  using Store = LabelPlanes;
  using Output = std::uint8_t;

  LabelData data;
  LabelLoss loss;
  LabelForest forest;
  LabelMethod method;
  std::vector<nb::object> kept;

  LabelProblem problem() const { return {&data, &loss, &forest, method}; }
  std::int64_t n() const { return data.rows.n; }
  int labels() const { return data.shape.labels; }
  std::int64_t weight_count() const { return data.shape.weight_count(); }
  LabelAsker asker(std::int64_t examples) const { return {problem(), examples}; }
  void check_weights(std::size_t size) const {
    if (static_cast<std::int64_t>(size) != weight_count()) throw nb::value_error("weights have the wrong length");
  }
  void check_trainable() const {
    if (data.truths == nullptr) throw nb::value_error("this needs truths");
  }

  LabelPlanes store() const { return LabelPlanes(problem()); }
  std::size_t output_size(std::int64_t) const { return static_cast<std::size_t>(labels()); }
  bool is_label(std::uint8_t label) const { return label <= 1; }
  std::optional<LabelPlane> plane_of(std::int64_t i, const std::uint8_t* y) const {
    LabelPlane plane = make_label_plane(data, loss, i, y);
    return plane.labels.empty() ? std::nullopt : std::optional(std::move(plane));
  }
  LabelRow row_of(std::int64_t i, const LabelPlane& plane) const { return plane_row(data, i, plane); }
  bool write_output(std::int64_t i, const LabelPlane& plane, std::vector<std::uint8_t>& into) const {
    const std::size_t first = into.size();
    into.insert(into.end(), data.truth(i), data.truth(i) + labels());
    for (const auto& [k, change] : plane.labels) into[first + static_cast<std::size_t>(k)] ^= 1;
    return plane.single;
  }
};

void bind_label_likelihood(nb::module_& module, nb::class_<PyLabels>& labels);
void bind_label_engines(nb::module_& module);

}  // namespace maxmargin::bindings
