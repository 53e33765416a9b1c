#include "maxmargin/rows/smooth.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "rows/rows.hpp"

namespace maxmargin::bindings {
namespace {

struct PySmooth {
  SmoothFit fit;
  nb::object rows, signs, weight, penalty;  // what the fit reads
  std::size_t members;
};

SmoothLoss loss_of(const std::string& name) {
  if (name == "logistic") return SmoothLoss::logistic;
  if (name == "squared_hinge") return SmoothLoss::squared_hinge;
  throw nb::value_error("the loss is 'logistic' or 'squared_hinge'");
}

}  // namespace

void bind_smooth(nb::module_& module) {
  nb::class_<PySmooth>(module, "SmoothFit", "Newton's method for 1/2 sum_j p_j w_j^2 + C sum_i c_i loss(y_i <w, x_i>) over some rows.")
      .def(
          "__init__",
          [](PySmooth* self, nb::object rows, In1<std::int32_t> members, In1<std::int8_t> signs, std::optional<In1<double>> weight,
             In1<double> penalty, const std::string& loss, double C) {
            const Rows& packed = nb::cast<const PyRows&>(rows).packed.rows;
            const auto n = static_cast<std::size_t>(packed.n);
            if (signs.size() != n || (weight && weight->size() != n)) throw nb::value_error("one sign and one weight per row are needed");
            if (static_cast<std::int64_t>(penalty.size()) != packed.columns()) throw nb::value_error("one penalty per column is needed");
            for (double p : as_span(penalty)) {
              if (!(p > 0.0)) throw nb::value_error("penalties must be positive");
            }
            for (std::int32_t i : as_span(members)) {
              if (i < 0 || i >= packed.n) throw nb::index_error("no such example");
            }
            const SmoothData data{packed, signs.data(), weight ? weight->data() : nullptr, penalty.data()};
            const auto used = as_span(members);
            new (self) PySmooth{SmoothFit(data, {used.begin(), used.end()}, loss_of(loss), C),
                                rows,
                                nb::cast(signs),
                                weight ? nb::cast(*weight) : nb::none(),
                                nb::cast(penalty),
                                used.size()};
          },
          nb::arg("rows"), nb::arg("members").noconvert(), nb::arg("signs").noconvert(), nb::arg("weight").noconvert().none(),
          nb::arg("penalty").noconvert(), nb::arg("loss"), nb::arg("C"))
      .def("change", [](PySmooth& self, const std::string& loss, double C) { self.fit.change(loss_of(loss), C); }, nb::arg("loss"),
           nb::arg("C"), "Another problem over the same rows; the weights stay.")
      .def(
          "start",
          [](PySmooth& self, In1<double> weights) {
            if (weights.size() != self.fit.weights().size()) throw nb::value_error("weights have the wrong length");
            self.fit.start(as_span(weights));
          },
          nb::arg("weights").noconvert())
      .def("assess", [](PySmooth& self) { self.fit.assess(); }, nb::call_guard<nb::gil_scoped_release>(),
           "Computes the objective and its gradient.")
      .def("step", [](PySmooth& self) { return self.fit.step(); }, nb::call_guard<nb::gil_scoped_release>(),
           "One Newton step from the point assessed; false if none lowers the objective.")
      .def("run", [](PySmooth& self, double target, int most) { return self.fit.run(target, most); }, nb::arg("target"),
           nb::arg("most"), nb::call_guard<nb::gil_scoped_release>(), "Steps until one gains at most `target`; answers how many.")
      .def("distance", [](PySmooth& self, double C) { return self.fit.distance(C); }, nb::arg("C"), nb::call_guard<nb::gil_scoped_release>(),
           "What a Newton step towards the optimum for another C is to gain, in units of what it owes to chance; where Hessians are formed.")
      .def("limit", [](PySmooth& self, double seconds) { self.fit.limit(seconds); }, nb::arg("seconds"),
           "From now on `run` and `fold_scores` begin no step after so many seconds.")
      .def(
          "fold_scores",
          [](PySmooth& self, In1<std::int64_t> offsets, double target, int threads) {
            const auto given = as_span(offsets);
            const auto members = static_cast<std::int64_t>(self.members);
            if (given.size() < 2 || given.front() != 0 || given.back() != members) throw nb::value_error("offsets must span the members");
            for (std::size_t k = 1; k < given.size(); ++k) {
              if (given[k] < given[k - 1]) throw nb::value_error("offsets must not fall");
            }
            std::vector<double> scores;
            {
              nb::gil_scoped_release release;
              scores = self.fit.fold_scores(given, target, threads);
            }
            return take(std::move(scores));
          },
          nb::arg("offsets").noconvert(), nb::arg("target"), nb::arg("threads"),
          "Scores of the members, in the order of their folds, each by a fit without the rows of its fold.")
      .def_prop_ro("weights", [](const PySmooth& self) { return take(std::vector<double>(self.fit.weights())); }, nb::rv_policy::move)
      .def_prop_ro("direct", [](const PySmooth& self) { return self.fit.direct(); },
                   "Whether Hessians are formed: all folds then cost little more than one step.")
      .def_prop_ro("value", [](const PySmooth& self) { return self.fit.value(); })
      .def_prop_ro("bound", [](const PySmooth& self) { return self.fit.bound(); }, "At least the objective minus its minimum.")
      .def_prop_ro("decrement", [](const PySmooth& self) { return self.fit.decrement(); }, "What the last step was to gain.")
      .def_prop_ro("passes", [](const PySmooth& self) { return self.fit.passes(); }, "Over the rows, so far.");
}

}  // namespace maxmargin::bindings
