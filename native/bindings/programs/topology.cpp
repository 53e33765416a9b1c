#include "programs/topology.hpp"

#include "programs/programs.hpp"

namespace maxmargin::bindings {
namespace {

using programs::Topology;

void make_topology(Topology* self, In1<std::int32_t> head, In2<std::int32_t> tail, std::int64_t cells, std::int64_t goal) {
  if (tail.shape(0) != head.size() || tail.shape(1) < 1 || tail.shape(1) > 2) throw nb::value_error("tail has one or two columns, and a row for each edge");
  nb::gil_scoped_release release;
  new (self) Topology(as_span(head), {tail.data(), tail.size()}, static_cast<int>(tail.shape(1)), cells, goal);
}

}  // namespace

void bind_topology(nb::module_& module) {
  nb::class_<Topology> topology(module, "Topology", "Cells and edges of a dynamic program; see programs/topology.hpp.");
  topology.def("__init__", &make_topology, nb::arg("head").noconvert(), nb::arg("tail").noconvert(), nb::arg("cells"), nb::arg("goal"))
      .def_prop_ro("n_cells", &Topology::cells)
      .def_prop_ro("n_edges", &Topology::edges)
      .def_prop_ro("goal", &Topology::goal)
      .def_prop_ro("longest", &Topology::longest, "The most edges that an output can have.");
  bind_queries(topology);
}

}  // namespace maxmargin::bindings
