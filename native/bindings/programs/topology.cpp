#include "programs/topology.hpp"

#include "maxmargin/programs/best.hpp"
#include "maxmargin/programs/sums.hpp"
#include "programs/programs.hpp"

namespace maxmargin::bindings {
namespace {

using programs::BadTopology;
using programs::Edge;
using programs::Topology;

void make_topology(Topology* self, In1<std::int32_t> head, In2<std::int32_t> tail, std::int64_t cells, std::int64_t goal) {
  if (tail.shape(0) != head.size() || tail.shape(1) < 1 || tail.shape(1) > 2) throw nb::value_error("tail has one or two columns, and a row for each edge");
  std::string fault;
  {
    nb::gil_scoped_release release;
    try {
      new (self) Topology(as_span(head), {tail.data(), tail.size()}, static_cast<int>(tail.shape(1)), cells, goal);
      return;
    } catch (const BadTopology& bad) {
      fault = bad.what();
    }
  }
  throw nb::value_error(fault.c_str());
}

nb::tuple best(const Topology& self, In1<double> scores) {
  check_scores(as_span(scores), self.edges());
  double value = 0.0;
  std::vector<Edge> edges;
  {
    nb::gil_scoped_release release;
    std::vector<double> room;
    const double* own = self.by_place(scores.data(), room);
    programs::Best<double> search;
    self.with_edges([&](const auto& program) {
      value = search.run(program, own);
      if (value != programs::kImpossible<double>) search.derivation(program, own, edges);
    });
    for (Edge& edge : edges) edge = self.number(edge);
  }
  return nb::make_tuple(value, take(std::move(edges)));
}

nb::tuple sums(const Topology& self, In1<double> scores) {
  check_scores(as_span(scores), self.edges());
  double log_sum = 0.0, spread = 0.0;
  std::vector<double> marginals(scores.size());
  {
    nb::gil_scoped_release release;
    std::vector<double> room;
    const double* own = self.by_place(scores.data(), room);
    programs::Sums search;
    self.with_edges([&](const auto& program) {
      log_sum = search.run(program, own);
      search.marginals(program, marginals);
    });
    spread = programs::entropy(search.chances(), marginals);
    self.to_numbers(marginals);
  }
  return nb::make_tuple(log_sum, take(std::move(marginals)), spread);
}

}  // namespace

void bind_topology(nb::module_& module) {
  nb::class_<Topology>(module, "Topology", "Cells and edges of a dynamic program; see programs/topology.hpp.")
      .def("__init__", &make_topology, nb::arg("head").noconvert(), nb::arg("tail").noconvert(), nb::arg("cells"), nb::arg("goal"))
      .def_prop_ro("n_cells", &Topology::cells)
      .def_prop_ro("n_edges", &Topology::edges)
      .def_prop_ro("goal", &Topology::goal)
      .def_prop_ro("longest", &Topology::longest, "The most edges that an output can have.")
      .def("best", &best, nb::arg("scores").noconvert(), "(score, edges) of the best output; -inf and no edges where there is none.")
      .def("sums", &sums, nb::arg("scores").noconvert(),
           "(log partition, expected uses of every edge, entropy) of the outputs; -inf, zeros and 0 where there is none.");
}

}  // namespace maxmargin::bindings
