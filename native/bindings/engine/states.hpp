// How the dual engines of native oracles are made, take up a state and give it back. A bound training set, `Oracle`, says what its
// planes are.
#pragma once

#include <utility>

#include "engine/engine.hpp"
#include "maxmargin/engine/plane_block.hpp"

namespace maxmargin::bindings {

inline void check_ascending(std::span<const std::int32_t> blocks, std::size_t at, std::int64_t count) {
  if (blocks[at] < 0 || blocks[at] >= count || (at > 0 && blocks[at] < blocks[at - 1])) throw nb::value_error("blocks must ascend and exist");
}

// An engine whose planes are numbered: `Block` knows all planes of an example, and has outputs() of them.
template <class Block>
struct PyNumberedEngine {
  BlockEngine<Block> engine;
  nb::object oracle, weight;
};

// `Oracle` has n() and a member `data`, of which a block is made.
template <class Oracle, class Block>
void bind_numbered_engine(nb::module_& module, const char* name, const char* about) {
  using Owner = PyNumberedEngine<Block>;
  nb::class_<Owner> type(module, name, about);
  type.def(
      "__init__",
      [](Owner* self, nb::object oracle, const std::string& slack, double C, std::optional<In1<double>> weight) {
        const Oracle& bound = nb::cast<const Oracle&>(oracle);
        new (self) Owner{{Block(bound.data), bound.n(), budget_of(slack, C, weight, bound.n())}, oracle, weight ? nb::cast(*weight) : nb::none()};
      },
      nb::arg("oracle"), nb::arg("slack"), nb::arg("C"), nb::arg("weight").noconvert().none());
  type.def(
      "restore",
      [](Owner& self, In1<std::int32_t> block, In1<std::int32_t> outputs, In1<double> alpha) {
        if (block.size() != outputs.size() || block.size() != alpha.size()) throw nb::value_error("arrays of one length are needed");
        SupportLists& support = self.engine.support;
        for (std::int64_t i = 0; i < support.blocks(); ++i) support.resize(i, 0);
        for (std::size_t at = 0; at < block.size(); ++at) {
          check_ascending(as_span(block), at, support.blocks());
          const std::int32_t i = block.data()[at], k = outputs.data()[at], size = support[i].size;
          if (k < 0 || k >= self.engine.block.outputs()) throw nb::value_error("no such output");
          for (const SupportEntry& entry : support[i]) {
            if (entry.output == k) throw nb::value_error("an output of a block is there twice");
          }
          support.resize(i, size + 1);
          support[i].entries[size] = SupportEntry{k, 0, 0.0};
        }
        self.engine.set_alpha(as_span(alpha));
      },
      nb::arg("block").noconvert(), nb::arg("outputs").noconvert(), nb::arg("alpha").noconvert(),
      "Starts from a dual state as `support` gave it, cut down to what the budget allows.");
  add_engine_members(type);
}

// `Owner` has a member `engine` on a WorkingSetBlock.
template <class Owner>
void add_merge(nb::class_<Owner>& type) {
  type.def(
      "merge",
      [](Owner& self, In1<std::int32_t> blocks, std::int32_t capacity) {
        check_order(as_span(blocks), self.engine.support.blocks());
        if (capacity < 1) throw nb::value_error("the capacity must be at least 1");
        for (std::int32_t i : as_span(blocks)) self.engine.block.merge(i, capacity, self.engine.support);
      },
      nb::arg("blocks").noconvert(), nb::arg("capacity"), "Merges the least used planes of blocks down to a capacity.");
}

// Planes as rows of numbers.
struct PlaneRows {
  std::vector<std::int64_t> offsets{0}, index;
  std::vector<double> value, b;

  void append(const std::vector<std::pair<std::int64_t, double>>& row, double own) {
    for (const auto& [at, number] : row) index.push_back(at), value.push_back(number);
    offsets.push_back(std::ssize(index));
    b.push_back(own);
  }
  nb::tuple taken() { return nb::make_tuple(take(std::move(offsets)), take(std::move(index)), take(std::move(value)), take(std::move(b))); }
};

// Calls each(k, example, output) for the outputs of examples, which are there one after the other.
template <class Oracle, class Each>
void for_each_output(const Oracle& oracle, std::span<const std::int32_t> examples, std::span<const typename Oracle::Output> outputs, Each&& each) {
  std::size_t at = 0;
  for (std::size_t k = 0; k < examples.size(); ++k) {
    if (examples[k] < 0 || examples[k] >= oracle.n()) throw nb::index_error("no such example");
    std::size_t size = 0;
    if constexpr (requires { oracle.output_size(examples[k], outputs); }) {
      size = oracle.output_size(examples[k], outputs.subspan(at));
    } else {
      size = oracle.output_size(examples[k]);
    }
    if (at + size > outputs.size()) throw nb::value_error("outputs are too short");
    for (std::size_t t = at; t < at + size; ++t) {
      if (!oracle.is_label(outputs[t])) throw nb::value_error("a label is out of range");
    }
    each(k, examples[k], outputs.data() + at);
    at += size;
  }
}

template <class Oracle>
void add_rows(nb::class_<Oracle>& type) {
  using Output = typename Oracle::Output;
  type.def(
      "rows",
      [](const Oracle& self, In1<std::int32_t> examples, In1<Output> outputs) {
        if constexpr (requires { self.check_trainable(); }) self.check_trainable();
        PlaneRows rows;
        for_each_output(self, as_span(examples), as_span(outputs), [&](std::size_t, std::int32_t i, const Output* y) {
          const auto plane = self.plane_of(i, y);
          rows.append(plane ? self.row_of(i, *plane) : std::vector<std::pair<std::int64_t, double>>(), plane ? plane->b : 0.0);
        });
        return rows.taken();
      },
      nb::arg("examples").noconvert(), nb::arg("outputs").noconvert(),
      "(offsets, indices, values, b) of the planes of outputs, as CSR rows; zero where an output is the truth.");
}

// An engine that holds planes, each of an output of its example.
template <class Oracle>
struct PyPlanesEngine {
  BlockEngine<WorkingSetBlock<typename Oracle::Store>> engine;
  const Oracle* oracle;
  nb::object owner, weight;
};

// `Oracle` has n(), store(), output_size(i), or output_size(i, outputs from there on) where it depends on the output, is_label(number), plane_of(i, y), which is none where y is the truth, row_of(i, plane)
// as pairs (index of a weight, value), and write_output(i, plane, list), which is false for a mean of several outputs.
template <class Oracle>
nb::class_<PyPlanesEngine<Oracle>> bind_planes_engine(nb::module_& module, const char* name, const char* about) {
  using Owner = PyPlanesEngine<Oracle>;
  using Output = typename Oracle::Output;
  nb::class_<Owner> type(module, name, about);
  type.def(
          "__init__",
          [](Owner* self, nb::object owner, const std::string& slack, double C, std::optional<In1<double>> weight) {
            const Oracle& oracle = nb::cast<const Oracle&>(owner);
            if constexpr (requires { oracle.check_trainable(); }) oracle.check_trainable();
            new (self) Owner{{WorkingSetBlock<typename Oracle::Store>(oracle.store(), oracle.n()), oracle.n(), budget_of(slack, C, weight, oracle.n())},
                             &oracle,
                             owner,
                             weight ? nb::cast(*weight) : nb::none()};
          },
          nb::arg("oracle"), nb::arg("slack"), nb::arg("C"), nb::arg("weight").noconvert().none())
      .def(
          "outputs",
          [](const Owner& self) {
            std::vector<Output> outputs;
            for (std::int64_t i = 0; i < self.oracle->n(); ++i) {
              for (const auto& plane : self.engine.block.planes(i)) {
                if (!self.oracle->write_output(i, plane, outputs)) throw nb::value_error("a plane is a mean of several outputs");
              }
            }
            return take(std::move(outputs));
          },
          "Outputs of all planes in working sets, one after the other, in the order of `support`.")
      .def(
          "planes",
          [](const Owner& self) {
            PlaneRows rows;
            for (std::int64_t i = 0; i < self.oracle->n(); ++i) {
              for (const auto& plane : self.engine.block.planes(i)) rows.append(self.oracle->row_of(i, plane), plane.b);
            }
            return rows.taken();
          },
          "(offsets, indices, values, b) of all planes in working sets, as CSR rows in the order of `support`.")
      .def(
          "restore",
          [](Owner& self, In1<std::int32_t> block, In1<Output> outputs, In1<double> alpha) {
            if (block.size() != alpha.size()) throw nb::value_error("one alpha per plane is needed");
            for (std::size_t k = 0; k < block.size(); ++k) check_ascending(as_span(block), k, self.oracle->n());
            SupportLists& support = self.engine.support;
            for_each_output(*self.oracle, as_span(block), as_span(outputs), [&](std::size_t k, std::int32_t i, const Output* y) {
              self.engine.block.store_planes.select(i);
              auto plane = self.oracle->plane_of(i, y);  // none where the truth was another when the state was made
              if (plane && self.engine.block.add(i, std::move(*plane), support)) support[i].entries[support[i].size - 1].alpha = alpha.data()[k];
            });
            std::vector<double> all;
            for (std::int64_t i = 0; i < support.blocks(); ++i) {
              for (const SupportEntry& entry : support[i]) all.push_back(entry.alpha);
            }
            self.engine.set_alpha(all);
          },
          nb::arg("block").noconvert(), nb::arg("outputs").noconvert(), nb::arg("alpha").noconvert(),
          "Takes up a dual state as `support` and `outputs` gave it, cut down to what the budget allows, beside the planes held.");
  add_merge(type);
  add_engine_members(type);
  return type;
}

}  // namespace maxmargin::bindings
