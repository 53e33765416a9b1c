#include "maxmargin/labels/likelihood.hpp"

#include <nanobind/stl/optional.h>

#include "engine/questions.hpp"
#include "labels/labels.hpp"

namespace maxmargin::bindings {
namespace {

struct PyLabelFit {
  LabelFit fit;
  nb::object labels, weight;  // what the fit reads
};

void check_summable(const PyLabels& labels) {
  if (labels.method == LabelMethod::branch) throw nb::value_error("sums over label vectors need a forest or few labels");
}

}  // namespace

void bind_label_likelihood(nb::module_& module, nb::class_<PyLabels>& labels) {
  labels
      .def(
          "log_odds",
          [](const PyLabels& self, In1<double> weights, int threads) {
            self.check_weights(weights.size());
            check_summable(self);
            std::vector<double> odds(static_cast<std::size_t>(self.n() * self.labels()));
            {
              nb::gil_scoped_release release;
              label_log_odds(self.problem(), weights.data(), odds, threads);
            }
            return take(std::move(odds));
          },
          nb::arg("weights").noconvert(), nb::arg("threads"), "The logarithm of the odds of every label, (n, labels).")
      .def(
          "expected_f1",
          [](const PyLabels& self, In1<double> weights, In1<double> nodes, In1<double> node_weights, int threads) {
            self.check_weights(weights.size());
            check_summable(self);
            if (nodes.size() != node_weights.size()) throw nb::value_error("a weight per node is needed");
            const auto cells = static_cast<std::size_t>(self.n() * self.labels());
            std::vector<std::uint8_t> found(cells);
            std::vector<double> leads(cells);
            {
              nb::gil_scoped_release release;
              label_expected_f1(self.problem(), weights.data(), as_span(nodes), as_span(node_weights), found, leads, threads);
            }
            return nb::make_tuple(take(std::move(found)), take(std::move(leads)));
          },
          nb::arg("weights").noconvert(), nb::arg("nodes").noconvert(), nb::arg("node_weights").noconvert(), nb::arg("threads"),
          "(label vectors of highest expected F1, by how much the best with each label leads), (n, labels); see labels/likelihood.hpp.");
  nb::class_<PyLabelFit>(module, "LabelFit", "Newton's method for 1/2 |w|^2 - C sum_i c_i log P(y_i | x_i) over label vectors.")
      .def(
          "__init__",
          [](PyLabelFit* self, nb::object labels, std::optional<In1<double>> weight, double C, int threads) {
            const PyLabels& given = nb::cast<const PyLabels&>(labels);
            given.check_trainable();
            checked_weight(given, weight);
            check_summable(given);
            new (self) PyLabelFit{LabelFit(given.problem(), weight ? weight->data() : nullptr, C, threads), labels,
                                  weight ? nb::cast(*weight) : nb::none()};
          },
          nb::arg("labels"), nb::arg("weight").noconvert().none(), nb::arg("C"), nb::arg("threads"))
      .def(
          "start",
          [](PyLabelFit& self, In1<double> weights) {
            if (weights.size() != self.fit.weights().size()) throw nb::value_error("weights have the wrong length");
            self.fit.start(as_span(weights));
          },
          nb::arg("weights").noconvert())
      .def("assess", [](PyLabelFit& self) { self.fit.assess(); }, nb::call_guard<nb::gil_scoped_release>(),
           "Computes the objective and its gradient.")
      .def("step", [](PyLabelFit& self) { return self.fit.step(); }, nb::call_guard<nb::gil_scoped_release>(),
           "One Newton step from the point assessed; false if none lowers the objective.")
      .def("run", [](PyLabelFit& self, double target, int most) { return self.fit.run(target, most); }, nb::arg("target"),
           nb::arg("most"), nb::call_guard<nb::gil_scoped_release>(), "Steps until one was to gain at most `target`; answers how many.")
      .def_prop_ro("weights", [](const PyLabelFit& self) { return take(std::vector<double>(self.fit.weights())); }, nb::rv_policy::move)
      .def_prop_ro("value", [](const PyLabelFit& self) { return self.fit.value(); })
      .def_prop_ro("bound", [](const PyLabelFit& self) { return self.fit.bound(); }, "At least the objective minus its minimum.");
}

}  // namespace maxmargin::bindings
