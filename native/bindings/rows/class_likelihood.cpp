#include "maxmargin/rows/class_likelihood.hpp"

#include "engine/engine.hpp"
#include "rows/rows.hpp"

namespace maxmargin::bindings {
namespace {

// The bound training set: keeps alive what the core reads.
struct PyClassLikelihood {
  ClassRows data;
  nb::object rows, labels, weight;
};

struct PyClassDual {
  ClassDual dual;
  std::int64_t n;
  nb::object data;
};

void make(PyClassLikelihood* self, nb::object rows, In1<std::int32_t> labels, std::optional<In1<double>> weight, std::int64_t n_classes) {
  const PyRows& packed = nb::cast<const PyRows&>(rows);
  check_training(packed, labels, static_cast<std::size_t>(n_classes));
  if (weight && weight->size() != labels.size()) throw nb::value_error("one weight per row is needed");
  new (self) PyClassLikelihood{ClassRows{packed.packed.rows, packed.packed.squared_norms.data(), labels.data(),
                                         weight ? weight->data() : nullptr, static_cast<int>(n_classes)},
                               rows, nb::cast(labels), weight ? nb::cast(*weight) : nb::none()};
}

double sum(const PyClassLikelihood& self, In1<double> weights, std::optional<InOut1<double>> gradient, std::int64_t first, std::int64_t last,
           int threads) {
  const auto size = static_cast<std::size_t>(self.data.weight_count());
  if (weights.size() != size || (gradient && gradient->size() != size)) throw nb::value_error("weights have the wrong length");
  if (first < 0 || first > last || last > self.data.rows.n) throw nb::index_error("no such examples");
  double* into = gradient ? gradient->data() : nullptr;
  nb::gil_scoped_release release;
  return class_likelihood(self.data, weights.data(), first, last, into, threads);
}

double curvature(const PyClassLikelihood& self, In1<double> weights, InOut1<double> gradient, InOut1<double> blocks, std::int64_t first,
                 std::int64_t last, int threads) {
  const std::int64_t d = self.data.rows.columns();
  const auto size = static_cast<std::size_t>(self.data.classes * d);
  if (weights.size() != size || gradient.size() != size) throw nb::value_error("weights have the wrong length");
  if (blocks.size() != static_cast<std::size_t>(curvature_blocks(self.data.classes) * d * d)) throw nb::value_error("blocks have the wrong length");
  if (first < 0 || first > last || last > self.data.rows.n) throw nb::index_error("no such examples");
  nb::gil_scoped_release release;
  return class_curvature(self.data, weights.data(), first, last, gradient.data(), blocks.data(), threads);
}

}  // namespace

void bind_class_likelihood(nb::module_& module) {
  nb::class_<PyClassLikelihood>(module, "ClassLikelihood", "Rows with their classes; see rows/class_likelihood.hpp.")
      .def("__init__", &make, nb::arg("rows"), nb::arg("labels").noconvert(), nb::arg("weight").noconvert().none(), nb::arg("n_classes"))
      .def("sum", &sum, nb::arg("weights").noconvert(), nb::arg("gradient").noconvert().none(), nb::arg("first"), nb::arg("last"),
           nb::arg("threads"), "The negative log-likelihood of the rows first to last; its gradient is added to `gradient`.")
      .def("curvature", &curvature, nb::arg("weights").noconvert(), nb::arg("gradient").noconvert(), nb::arg("blocks").noconvert(),
           nb::arg("first"), nb::arg("last"), nb::arg("threads"),
           "The same with blocks of second derivatives added to `blocks`; see rows/class_likelihood.hpp for the shapes.")
      .def(
          "hessian",
          [](const PyClassLikelihood& self, In1<double> blocks, double C, double l2) {
            const std::int64_t d = self.data.rows.columns();
            if (blocks.size() != static_cast<std::size_t>(curvature_blocks(self.data.classes) * d * d)) {
              throw nb::value_error("blocks have the wrong length");
            }
            return take(class_hessian(self.data.classes, d, blocks.data(), C, l2));
          },
          nb::arg("blocks").noconvert(), nb::arg("C"), nb::arg("l2"),
          "The lower triangle, row by row, of C times all second derivatives plus l2, from the blocks.");
  nb::class_<PyClassDual>(module, "ClassDual", "Dual ascent for the likelihood of classes.")
      .def(
          "__init__",
          [](PyClassDual* self, nb::object data, double C) {
            const ClassRows& bound = nb::cast<const PyClassLikelihood&>(data).data;
            new (self) PyClassDual{ClassDual(bound, C), bound.rows.n, data};
          },
          nb::arg("data"), nb::arg("C"))
      .def(
          "start",
          [](PyClassDual& self, In1<double> weights) {
            if (weights.size() != self.dual.weights.size()) throw nb::value_error("weights have the wrong length");
            nb::gil_scoped_release release;
            self.dual.start(weights.data());
          },
          nb::arg("weights").noconvert(), "Goes on from the distributions at these weights.")
      .def(
          "visit",
          [](PyClassDual& self, In1<std::int32_t> order) {
            check_order(as_span(order), self.n);
            nb::gil_scoped_release release;
            return self.dual.visit(as_span(order));
          },
          nb::arg("order").noconvert(), "One step for each row.")
      .def("sharpen", [](PyClassDual& self) { self.dual.sharpen(); }, nb::call_guard<nb::gil_scoped_release>(),
           "Computes w and the entropies anew, in float64.")
      .def_prop_ro("weights", [](nb::object self) { return view(nb::cast<PyClassDual&>(self).dual.weights, self); }, "w as of the last `sharpen`.")
      .def_prop_ro("coarse_weights", [](nb::object self) { return view(nb::cast<PyClassDual&>(self).dual.coarse_weights(), self); },
                   "w as the visits left it, in float32.")
      .def_prop_ro("gaps", [](nb::object self) { return view(nb::cast<PyClassDual&>(self).dual.gaps, self); },
                   "Bound of every row's share of the gap when it was last visited.")
      .def_prop_ro("dual", [](const PyClassDual& self) { return self.dual.dual(); }, "A lower bound of the optimum.");
}

}  // namespace maxmargin::bindings
