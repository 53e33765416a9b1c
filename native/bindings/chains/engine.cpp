#include "chains/chain.hpp"
#include "engine/states.hpp"
#include "maxmargin/chains/dual.hpp"

namespace maxmargin::bindings {
namespace {

struct PyChainDual {
  ChainDual dual;
  std::int64_t n;
  nb::object chain, weight, observed;
};

void make_dual(PyChainDual* self, nb::object chain, double C, std::optional<In1<double>> weight, std::optional<In2<std::uint32_t>> observed) {
  const PyChain& bound = nb::cast<const PyChain&>(chain);
  bound.check_labelled();
  if (weight && static_cast<std::int64_t>(weight->size()) != bound.data.n) throw nb::value_error("one weight per example is needed");
  const ChainShape& shape = bound.data.shape;
  if (observed && (static_cast<std::int64_t>(observed->shape(0)) != shape.rows() || static_cast<int>(observed->shape(1)) != (shape.labels + 31) / 32)) {
    throw nb::value_error("observed must have a row for every row of weights");
  }
  new (self) PyChainDual{ChainDual(bound.data, C, weight ? weight->data() : nullptr, observed ? observed->data() : nullptr), bound.data.n, chain,
                         weight ? nb::cast(*weight) : nb::none(), observed ? nb::cast(*observed) : nb::none()};
}

}  // namespace

void bind_chain_engine(nb::module_& module) {
  bind_planes_engine<PyChainOracle>(module, "ChainEngine", "The dual engine on labelled chains.")
      .def(
          "gram",
          [](const PyPlanesEngine<PyChainOracle>& self, std::int64_t block) {
            if (block < 0 || block >= self.oracle->n()) throw nb::index_error("there is no such block");
            const auto& group = self.engine.block.group(block);
            const std::size_t count = group.planes.size();
            std::vector<double> products;
            for (std::size_t k = 0; k < count; ++k) products.insert(products.end(), group.row(k), group.row(k) + count);
            return take(std::move(products));
          },
          nb::arg("block"), "Products of the planes that a block holds, row by row.");

  nb::class_<PyChainDual>(module, "ChainDual", "Dual ascent for the likelihood of chains; see chains/dual.hpp.")
      .def("__init__", &make_dual, nb::arg("chain"), nb::arg("C"), nb::arg("weight").noconvert().none(), nb::arg("observed").noconvert().none())
      .def(
          "visit",
          [](PyChainDual& self, In1<std::int32_t> order) {
            check_order(as_span(order), self.n);
            nb::gil_scoped_release release;
            return self.dual.visit(as_span(order));
          },
          nb::arg("order").noconvert(), "One step for each sequence.")
      .def(
          "distributions",
          [](const PyChainDual& self) {
            const ChainDual& dual = self.dual;
            return nb::make_tuple(take(std::vector<float>(dual.marginals())), take(std::vector<float>(dual.steps())),
                                  take(std::vector<double>(dual.entropy())));
          },
          "(marginals, expected steps, entropies) of all sequences, one after the other.")
      .def(
          "restore",
          [](PyChainDual& self, In1<std::int32_t> examples, In1<float> marginals, In1<float> steps, In1<double> entropy) {
            check_order(as_span(examples), self.n);
            const ChainData& data = nb::cast<const PyChain&>(self.chain).data;
            std::int64_t tokens = 0;
            for (std::int32_t i : as_span(examples)) tokens += data.length(i);
            const auto stride = static_cast<std::size_t>(data.shape.stride());
            if (marginals.size() != static_cast<std::size_t>(tokens) * stride || entropy.size() != examples.size() ||
                steps.size() != examples.size() * static_cast<std::size_t>(data.shape.labels) * stride) {
              throw nb::value_error("the distributions are not those of these examples");
            }
            nb::gil_scoped_release release;
            self.dual.restore(as_span(examples), marginals.data(), steps.data(), entropy.data());
          },
          nb::arg("examples").noconvert(), nb::arg("marginals").noconvert(), nb::arg("steps").noconvert(), nb::arg("entropy").noconvert(),
          "Starts from distributions of some sequences, as `distributions` gave them.")
      .def("sharpen", [](PyChainDual& self) { self.dual.sharpen(); }, "Computes w anew from the marginals, in float64.")
      .def_prop_ro("weights", [](nb::object self) { return view(nb::cast<PyChainDual&>(self).dual.weights, self); }, "w as of the last `sharpen`.")
      .def_prop_ro("coarse_weights", [](nb::object self) { return view(nb::cast<PyChainDual&>(self).dual.coarse_weights(), self); },
                   "w as the visits left it, in float32.")
      .def_prop_ro("gaps", [](nb::object self) { return view(nb::cast<PyChainDual&>(self).dual.gaps, self); },
                   "Bound of every sequence's share of the gap when it was last visited.")
      .def_prop_ro("dual", [](const PyChainDual& self) { return self.dual.dual(); }, "A lower bound of the optimum.");
}

}  // namespace maxmargin::bindings
