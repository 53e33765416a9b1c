#include "maxmargin/rankings/pair_newton.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>

#include "rows/rows.hpp"

namespace maxmargin::bindings {
namespace {

struct PyPairNewton {
  PairNewton fit;
  double C;
  std::size_t columns;
  nb::object rows, members, offsets, grade;  // what the fit reads
};

void check_groups(const PairRows& data) {
  const auto offsets = data.offsets;
  if (offsets.size() < 2 || offsets.front() != 0 || offsets.back() != std::ssize(data.grade) || !std::is_sorted(offsets.begin(), offsets.end())) {
    throw nb::value_error("offsets must ascend from 0 to the number of members");
  }
  for (std::int64_t g = 0; g < data.groups(); ++g) {
    const auto own = data.grade.subspan(static_cast<std::size_t>(offsets[g]), static_cast<std::size_t>(offsets[g + 1] - offsets[g]));
    if (own.empty()) throw nb::value_error("a group has no members");
    const auto [low, high] = std::minmax_element(own.begin(), own.end());
    if (*low != 0 || *high < 1 || *high >= std::ssize(own)) throw nb::value_error("grades must be numbered from 0 inside a group, two of them at least");
  }
}

}  // namespace

void bind_pair_newton(nb::module_& module) {
  nb::class_<PyPairNewton>(module, "PairNewton", "Newton's method for the hinge loss of the pairs of unequal grade in groups; see rankings/pair_newton.hpp.")
      .def(
          "__init__",
          [](PyPairNewton* self, nb::object rows, std::optional<In1<std::int32_t>> members, In1<std::int64_t> offsets, In1<std::int32_t> grade,
             std::optional<In1<double>> weight, double C, int threads) {
            const Rows& packed = nb::cast<const PyRows&>(rows).packed.rows;
            const PairRows data{packed, members ? as_span(*members) : std::span<const std::int32_t>{}, as_span(offsets), as_span(grade)};
            const auto count = members ? members->size() : static_cast<std::size_t>(packed.n);
            if (grade.size() != count) throw nb::value_error("one grade per member is needed");
            for (std::int32_t i : data.members) {
              if (i < 0 || i >= packed.n) throw nb::index_error("no such row");
            }
            check_groups(data);
            const auto groups = static_cast<std::size_t>(data.groups());
            if (weight && weight->size() != groups) throw nb::value_error("one weight per group is needed");
            std::vector<double> weights(groups, 1.0);
            if (weight) weights.assign(weight->data(), weight->data() + groups);
            new (self) PyPairNewton{PairNewton(data, std::move(weights), C, threads), C, static_cast<std::size_t>(packed.columns()), rows,
                                    members ? nb::cast(*members) : nb::none(), nb::cast(offsets), nb::cast(grade)};
          },
          nb::arg("rows"), nb::arg("members").noconvert().none(), nb::arg("offsets").noconvert(), nb::arg("grade").noconvert(),
          nb::arg("weight").noconvert().none(), nb::arg("C"), nb::arg("threads"))
      .def("start", [](PyPairNewton& self) { self.fit.start(); }, nb::call_guard<nb::gil_scoped_release>(),
           "Goes to the least-squares solution of all pairs.")
      .def(
          "resume",
          [](PyPairNewton& self, In1<double> weights, std::optional<In1<double>> a, double b) {
            if (weights.size() != self.columns || (a && a->size() != weights.size())) throw nb::value_error("weights have the wrong length");
            nb::gil_scoped_release release;
            self.fit.resume(as_span(weights), a ? as_span(*a) : std::span<const double>{}, b);
          },
          nb::arg("weights").noconvert(), nb::arg("a").noconvert().none(), nb::arg("b"),
          "Goes to the solution of a similar problem; (a, b) is a cut that holds for this one.")
      .def("step", [](PyPairNewton& self, double allowed) { return self.fit.step(allowed); }, nb::arg("allowed"),
           nb::call_guard<nb::gil_scoped_release>(), "One step; false where there is no way forward in floating point.")
      .def_prop_ro("primal", [](const PyPairNewton& self) { return self.fit.primal(); }, "The smallest objective so far.")
      .def_prop_ro("dual", [](const PyPairNewton& self) { return self.fit.dual(); }, "The largest dual objective so far.")
      .def_prop_ro("dual_square", [](const PyPairNewton& self) { return self.fit.dual_square(); }, "1/2 |w|^2 of the dual variables.")
      .def_prop_ro("weights", [](const PyPairNewton& self) { return take(std::vector<double>(self.fit.weights())); }, nb::rv_policy::move)
      .def_prop_ro("slack", [](const PyPairNewton& self) { return take(std::vector<double>(self.fit.slack())); }, nb::rv_policy::move)
      .def_prop_ro(
          "cut",
          [](const PyPairNewton& self) {
            std::vector<double> a(self.fit.normal());
            for (double& x : a) x /= self.C;
            return nb::make_tuple(take(std::move(a)), self.fit.offset() / self.C);
          },
          nb::sig("def cut(self) -> tuple[NDArray[numpy.float64], float]"), "(a, b) of the cut that the best dual variables amount to.")
      .def_prop_ro("passes", [](const PyPairNewton& self) { return self.fit.passes(); }, "Passes over all groups.");
}

}  // namespace maxmargin::bindings
