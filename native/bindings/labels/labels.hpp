// Label vectors as Python holds them.
#pragma once

#include "arrays.hpp"
#include "maxmargin/labels/planes.hpp"

namespace maxmargin::bindings {

// Examples, pairs of labels and, for training, truths and a loss; keeps alive what the core reads.
struct PyLabels {
  LabelData data;
  LabelLoss loss;
  LabelForest forest;
  LabelMethod method;
  std::vector<nb::object> kept;

  LabelProblem problem() const { return {&data, &loss, &forest, method}; }
  std::int64_t n() const { return data.rows.n; }
  int labels() const { return data.shape.labels; }
  void check_weights(std::size_t size) const {
    if (static_cast<std::int64_t>(size) != data.shape.weight_count()) throw nb::value_error("weights have the wrong length");
  }
  void check_weight(const std::optional<In1<double>>& weight) const {
    if (weight && static_cast<std::int64_t>(weight->size()) != n()) throw nb::value_error("one weight an example is needed");
  }
  void check_examples(std::span<const std::int32_t> examples) const {
    check_trainable();
    for (std::int32_t i : examples) {
      if (i < 0 || i >= n()) throw nb::index_error("no such example");
    }
  }
  void check_trainable() const {
    if (data.truths == nullptr) throw nb::value_error("this needs truths");
  }
};

void bind_label_likelihood(nb::module_& module, nb::class_<PyLabels>& labels);
void bind_label_engines(nb::module_& module);

}  // namespace maxmargin::bindings
