// What every dual engine shows to Python, whatever its blocks are.
#pragma once

#include <nanobind/stl/string.h>

#include <string>

#include "arrays.hpp"
#include "maxmargin/engine/engine.hpp"

namespace maxmargin::bindings {

inline Slack slack_named(const std::string& name) {
  if (name == "linear") return Slack::linear;
  if (name == "squared") return Slack::squared;
  if (name == "hard") return Slack::hard;
  throw nb::value_error("slack must be 'linear', 'squared' or 'hard'");
}

inline Budget budget_of(const std::string& slack, double C, const std::optional<In1<double>>& weight, std::int64_t blocks) {
  if (weight && static_cast<std::int64_t>(weight->size()) != blocks) throw nb::value_error("one weight per block is needed");
  return Budget{slack_named(slack), C, weight ? weight->data() : nullptr};
}

inline void check_order(std::span<const std::int32_t> order, std::int64_t blocks) {
  for (std::int32_t i : order) {
    if (i < 0 || i >= blocks) throw nb::index_error("order names a block that does not exist");
  }
}

// `Owner` has a member `engine` of type BlockEngine<...>.
template <class Owner>
void add_engine_members(nb::class_<Owner>& type) {
  type.def(
          "visit",
          [](Owner& self, In1<std::int32_t> order, const VisitSettings& settings) {
            check_order(as_span(order), self.engine.support.blocks());
            nb::gil_scoped_release release;
            return self.engine.visit(as_span(order), settings);
          },
          nb::arg("order").noconvert(), nb::arg("settings"), "Visits the blocks in order, one step each.")
      .def(
          "settle",
          [](Owner& self, const VisitSettings& settings, double tolerance, std::int64_t max_passes, const std::optional<In1<std::int32_t>>& blocks) {
            const auto some = blocks ? as_span(*blocks) : std::span<const std::int32_t>();
            check_order(some, self.engine.support.blocks());
            nb::gil_scoped_release release;
            return self.engine.settle(settings, tolerance, max_passes, some);
          },
          nb::arg("settings"), nb::arg("tolerance"), nb::arg("max_passes"), nb::arg("blocks").noconvert().none() = nb::none(),
          "Visits with the planes in working sets, or in some, until no block is violated by more than the tolerance.")
      .def("mark", [](Owner& self) { self.engine.mark(); }, "Remembers the dual variables as they are, for `extrapolate`.")
      .def(
          "extrapolate",
          [](Owner& self, double factor) {
            nb::gil_scoped_release release;
            return self.engine.extrapolate(factor);
          },
          nb::arg("factor"),
          "Extrapolates along the path from the mark to here by `factor` of its length, each block within its cap; kept if the dual improves. Returns the gain.")
      .def(
          "stretch",
          [](Owner& self, double factor) {
            nb::gil_scoped_release release;
            return self.engine.stretch(factor);
          },
          nb::arg("factor"), "The step of `extrapolate`, whatever it gains; `take_back` undoes it.")
      .def("take_back", [](Owner& self, const Stretched& step) { self.engine.take_back(step); }, nb::arg("step"))
      .def(
          "set_alpha",
          [](Owner& self, In1<double> alpha) {
            if (static_cast<std::int64_t>(alpha.size()) != self.engine.support.plane_count()) throw nb::value_error("one alpha per plane is needed");
            self.engine.set_alpha(as_span(alpha));
          },
          nb::arg("alpha").noconvert(), "Sets the dual variables of all planes in working sets, in the order of `support`, cut down to what the budget allows.")
      .def("refresh", [](Owner& self) { self.engine.refresh(); }, "Computes w and the dual anew from alpha.")
      .def_prop_ro("weights",
                   [](Owner& self) { return view(self.engine.weights().fine()); }, nb::rv_policy::automatic,
                   "w = sum alpha a; a view that the next visit changes. Computed anew from alpha after coarse visits.")
      .def_prop_ro("rough_weights",
                   [](Owner& self) -> nb::object {
                     const auto& rough = self.engine.rough_weights();
                     if (rough.is_coarse()) return nb::cast(view(rough.coarse()));
                     return nb::cast(view(self.engine.weights().fine()));
                   },
                   nb::sig("def rough_weights(self) -> NDArray[numpy.float32] | NDArray[numpy.float64]"),
                   "w as the last visit left it: a view, float32 after coarse visits.")
      .def("sharpen", [](Owner& self) { self.engine.sharpen(); }, "After coarse visits, computes w and the dual anew from alpha.")
      .def_prop_ro("gaps", [](nb::object self) { return view(nb::cast<Owner&>(self).engine.gaps, self); },
                   "Gap of every block when it was last visited with fresh planes; infinite before that.")
      .def_prop_ro("dual", [](const Owner& self) { return self.engine.dual(); })
      .def_prop_ro("linear", [](const Owner& self) { return self.engine.linear; }, "sum alpha b")
      .def_prop_ro("offset", [](const Owner& self) { return self.engine.linear - self.engine.conjugate; },
                   "The dual without its quadratic term: C times the b of the cut that all planes together amount to.")
      .def_prop_ro("plane_count", [](const Owner& self) { return self.engine.support.plane_count(); }, "Planes in all working sets.")
      .def("support", [](const Owner& self) {
        std::vector<std::int32_t> block, output;
        std::vector<double> alpha;
        const auto count = static_cast<std::size_t>(self.engine.support.plane_count());
        block.reserve(count), output.reserve(count), alpha.reserve(count);
        for (std::int64_t i = 0; i < self.engine.support.blocks(); ++i) {
          for (const SupportEntry& entry : self.engine.support[i]) {
            block.push_back(static_cast<std::int32_t>(i));
            output.push_back(entry.output);
            alpha.push_back(entry.alpha);
          }
        }
        return nb::make_tuple(take(std::move(block)), take(std::move(output)), take(std::move(alpha)));
      }, "(block, output, alpha) of every plane in a working set.");
}

}  // namespace maxmargin::bindings
