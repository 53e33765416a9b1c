#include "engine/engine.hpp"

namespace maxmargin::bindings {
namespace {

Step step_named(const std::string& name) {
  if (name == "none") return Step::none;
  if (name == "line-search") return Step::line_search;
  if (name == "exact") return Step::exact;
  throw nb::value_error("step must be 'none', 'line-search' or 'exact'");
}

}  // namespace

static void bind_visits(nb::module_& module) {
  nb::class_<VisitSettings>(module, "VisitSettings", "How a visit to a block is made; see engine/engine.hpp.")
      .def(
          "__init__",
          [](VisitSettings* self, const std::string& step, bool fresh, double precision, double relative, int max_steps,
             double threshold, std::int64_t max_added, std::int32_t keep_idle, double overstep, bool coarse) {
            new (self) VisitSettings{step_named(step), fresh, precision, relative, max_steps, threshold, max_added, keep_idle, overstep, coarse};
          },
          nb::kw_only(), nb::arg("step") = "exact", nb::arg("fresh") = true, nb::arg("precision") = 0.0,
          nb::arg("relative") = 0.0, nb::arg("max_steps") = 1000, nb::arg("threshold") = 0.0, nb::arg("max_added") = 0,
          nb::arg("keep_idle") = 0, nb::arg("overstep") = 1.0, nb::arg("coarse") = false)
      .def_prop_ro("steps", [](const VisitSettings& self) { return self.step != Step::none; }, "Whether a visit makes a step.")
      .def_ro("threshold", &VisitSettings::threshold)
      .def_ro("max_added", &VisitSettings::max_added);
  nb::class_<Stretched>(module, "Stretched", "A step of an engine that can be taken back.");
  nb::class_<VisitResult>(module, "VisitResult", "What a series of visits met.")
      .def(nb::init<>())
      .def("merge", &VisitResult::merge, nb::arg("other"), "Adds what further visits met.")
      .def_rw("visited", &VisitResult::visited)
      .def_rw("added", &VisitResult::added)
      .def_ro("steps", &VisitResult::steps)
      .def_ro("gap", &VisitResult::gap)
      .def_ro("slack", &VisitResult::slack)
      .def_rw("violation", &VisitResult::violation)
      .def_ro("unbounded", &VisitResult::unbounded);
}

void bind_planes(nb::module_& module);

void bind_engine(nb::module_& module) {
  bind_visits(module);
  bind_planes(module);
}

}  // namespace maxmargin::bindings
