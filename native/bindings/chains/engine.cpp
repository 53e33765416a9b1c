#include <nanobind/stl/optional.h>

#include "chains/chain.hpp"
#include "engine/engine.hpp"
#include "maxmargin/chains/dual.hpp"
#include "maxmargin/chains/planes.hpp"

namespace maxmargin::bindings {
namespace {

struct PyChainEngine {
  BlockEngine<ChainBlock> engine;
  const PyChainOracle* oracle;
  nb::object owner, weight;
};

struct PyChainDual {
  ChainDual dual;
  std::int64_t n;
  nb::object chain, weight, observed;
};

void make_dual(PyChainDual* self, nb::object chain, double C, std::optional<In1<double>> weight, std::optional<In2<std::uint32_t>> observed) {
  const PyChain& bound = nb::cast<const PyChain&>(chain);
  bound.check_labelled();
  if (weight && static_cast<std::int64_t>(weight->size()) != bound.data.n) throw nb::value_error("one weight an example is needed");
  const ChainShape& shape = bound.data.shape;
  if (observed && (static_cast<std::int64_t>(observed->shape(0)) != shape.rows() || static_cast<int>(observed->shape(1)) != (shape.labels + 31) / 32)) {
    throw nb::value_error("observed must have a row for every row of weights");
  }
  new (self) PyChainDual{ChainDual(bound.data, C, weight ? weight->data() : nullptr, observed ? observed->data() : nullptr), bound.data.n, chain,
                         weight ? nb::cast(*weight) : nb::none(), observed ? nb::cast(*observed) : nb::none()};
}

}  // namespace

void bind_chain_engine(nb::module_& module) {
  nb::class_<PyChainEngine> engine(module, "ChainEngine", "The dual engine on labelled chains.");
  engine
      .def(
          "__init__",
          [](PyChainEngine* self, nb::object owner, const std::string& slack, double C, std::optional<In1<double>> weight) {
            const PyChainOracle& oracle = nb::cast<const PyChainOracle&>(owner);
            new (self) PyChainEngine{
                {ChainBlock(ChainPlanes(oracle.chain->data, oracle.loss), oracle.n()), oracle.n(), budget_of(slack, C, weight, oracle.n())},
                &oracle,
                owner,
                weight ? nb::cast(*weight) : nb::none()};
          },
          nb::arg("oracle"), nb::arg("slack"), nb::arg("C"), nb::arg("weight").noconvert().none())
      .def(
          "labels",
          [](const PyChainEngine& self) {
            std::vector<std::int32_t> labels;
            const ChainData& data = self.oracle->chain->data;
            for (std::int64_t i = 0; i < data.n; ++i) {
              for (const ChainPlane& plane : self.engine.block.planes(i)) {
                if (plane.key == 0) throw nb::value_error("a plane is a mean of several outputs");
                const std::size_t first = labels.size();
                labels.insert(labels.end(), data.truth(i), data.truth(i) + data.length(i));
                for (const ChangedLabel& change : plane.changed) labels[first + static_cast<std::size_t>(change.token)] = change.label;
              }
            }
            return take(std::move(labels));
          },
          "Label sequences of all planes held, one after the other, in the order of `support`.")
      .def(
          "planes",
          [](const PyChainEngine& self) {
            std::vector<std::int64_t> offsets{0}, index;
            std::vector<double> value, b;
            for (std::int64_t i = 0; i < self.oracle->n(); ++i) {
              for (const ChainPlane& plane : self.engine.block.planes(i)) {
                for (const auto& [at, number] : plane_row(self.oracle->chain->data, i, plane)) {
                  index.push_back(at);
                  value.push_back(number);
                }
                b.push_back(plane.b);
                offsets.push_back(static_cast<std::int64_t>(index.size()));
              }
            }
            return nb::make_tuple(take(std::move(offsets)), take(std::move(index)), take(std::move(value)), take(std::move(b)));
          },
          "(offsets, indices, values, b) of all planes held, as CSR rows in the order of `support`.")
      .def(
          "gram",
          [](const PyChainEngine& self, std::int64_t block) {
            if (block < 0 || block >= self.oracle->n()) throw nb::index_error("there is no such block");
            const auto& group = self.engine.block.group(block);
            const std::size_t count = group.planes.size();
            std::vector<double> products;
            for (std::size_t k = 0; k < count; ++k) products.insert(products.end(), group.row(k), group.row(k) + count);
            return take(std::move(products));
          },
          nb::arg("block"), "Products of the planes that a block holds, row by row.")
      .def(
          "merge",
          [](PyChainEngine& self, In1<std::int32_t> blocks, std::int32_t capacity) {
            check_order(as_span(blocks), self.oracle->n());
            if (capacity < 1) throw nb::value_error("the capacity must be at least 1");
            for (std::int32_t i : as_span(blocks)) self.engine.block.merge(i, capacity, self.engine.support);
          },
          nb::arg("blocks").noconvert(), nb::arg("capacity"), "Merges the least used planes of blocks down to a capacity.")
      .def(
          "restore",
          [](PyChainEngine& self, In1<std::int32_t> block, In1<std::int32_t> labels, In1<double> alpha) {
            const ChainData& data = self.oracle->chain->data;
            std::vector<double> kept;
            std::size_t at = 0;
            for (std::size_t k = 0; k < block.size(); ++k) {
              const std::int32_t i = block.data()[k];
              if (i < 0 || i >= data.n || (k > 0 && i < block.data()[k - 1])) throw nb::value_error("blocks must ascend and exist");
              const auto length = static_cast<std::size_t>(data.length(i));
              if (at + length > labels.size() || k >= alpha.size()) throw nb::value_error("labels or alpha are too short");
              for (std::size_t t = at; t < at + length; ++t) {
                if (labels.data()[t] < 0 || labels.data()[t] >= data.shape.labels) throw nb::value_error("a label is out of range");
              }
              self.engine.block.store_planes.select(i);
              ChainPlane plane = make_chain_plane(data, self.oracle->loss, i, labels.data() + at);
              const bool zero = plane.changed.empty();  // the truth's own, where that was another when the state was made
              if (!zero && self.engine.block.add(i, std::move(plane), self.engine.support)) kept.push_back(alpha.data()[k]);
              at += length;
            }
            self.engine.set_alpha(kept);
          },
          nb::arg("block").noconvert(), nb::arg("labels").noconvert(), nb::arg("alpha").noconvert(),
          "Starts from a dual state as `support` and `labels` gave it, cut down to what the budget allows.");
  add_engine_members(engine);

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
