// What oracles whose outputs are classes show to Python, and how their dual engines take up a state.
#pragma once

#include <nanobind/stl/optional.h>

#include <utility>

#include "engine/engine.hpp"
#include "maxmargin/classes/oracle.hpp"
#include "rows/rows.hpp"

namespace maxmargin::bindings {

inline const double* optional_data(const std::optional<In1<double>>& array) { return array ? array->data() : nullptr; }

inline void check_class_tables(const In2<double>& margin, const In2<double>& scale, std::size_t rows, std::size_t classes) {
  const auto stride = static_cast<std::size_t>(padded(static_cast<std::int64_t>(classes)));
  if (margin.shape(0) != rows || margin.shape(1) != stride || scale.shape(0) != rows || scale.shape(1) != stride) {
    throw nb::value_error("margin and scale must have a padded row per class");
  }
}

inline void check_training(const PyRows& rows, const In1<std::int32_t>& labels, std::size_t classes) {
  if (rows.packed.squared_norms.size() != static_cast<std::size_t>(rows.packed.rows.n)) {
    throw nb::value_error("training needs rows made with analyse=True");
  }
  if (static_cast<std::int64_t>(labels.size()) != rows.packed.rows.n) throw nb::value_error("one label a row is needed");
  for (std::int32_t label : as_span(labels)) {
    if (label < 0 || static_cast<std::size_t>(label) >= classes) throw nb::value_error("a label is out of range");
  }
}

template <class Data>
void check_asked(const Data& data, std::size_t weights, std::span<const std::int32_t> examples) {
  if (static_cast<std::int64_t>(weights) != data.weight_count()) throw nb::value_error("weights have the wrong length");
  for (std::int32_t i : examples) {
    if (i < 0 || i >= data.rows.n) throw nb::index_error("no such example");
  }
}

template <class Data>
void check_sample_weight(const Data& data, const std::optional<In1<double>>& weight) {
  if (weight && static_cast<std::int64_t>(weight->size()) != data.rows.n) throw nb::value_error("one weight an example is needed");
}

// `Owner` has a member `data` of type Block::Data.
template <class Block, class Owner>
void add_class_oracle_members(nb::class_<Owner>& type) {
  type.def_prop_ro("weight_count", [](const Owner& self) { return self.data.weight_count(); })
      .def(
          "worst",
          [](const Owner& self, In1<double> weights, In1<std::int32_t> examples, int threads) {
            check_asked(self.data, weights.size(), as_span(examples));
            std::vector<double> slack(examples.size());
            std::vector<std::int32_t> output(examples.size());
            {
              nb::gil_scoped_release release;
              class_worst<Block>(self.data, weights.data(), as_span(examples), slack, output, threads);
            }
            return nb::make_tuple(take(std::move(slack)), take(std::move(output)));
          },
          nb::arg("weights").noconvert(), nb::arg("examples").noconvert(), nb::arg("threads"),
          "(slack, class) of the most violated plane of each example.")
      .def(
          "cut",
          [](const Owner& self, In1<double> weights, In1<std::int32_t> examples, std::optional<In1<double>> sample_weight,
             bool squared, int threads) {
            check_asked(self.data, weights.size(), as_span(examples));
            check_sample_weight(self.data, sample_weight);
            std::vector<double> slack(examples.size());
            Cut cut;
            {
              nb::gil_scoped_release release;
              cut = class_cut<Block>(self.data, weights.data(), as_span(examples), optional_data(sample_weight), squared, slack, threads);
            }
            return nb::make_tuple(take(std::move(cut.a)), cut.b, take(std::move(slack)));
          },
          nb::arg("weights").noconvert(), nb::arg("examples").noconvert(), nb::arg("sample_weight").noconvert().none(),
          nb::arg("squared"), nb::arg("threads"), "(a, b, slacks) of the summed plane.")
      .def(
          "accumulate",
          [](const Owner& self, InOut1<double> v, InOut1<double> late, In1<std::int32_t> examples,
             std::optional<In1<double>> sample_weight, bool squared, std::int64_t first, std::int64_t done, double numerator) {
            check_asked(self.data, v.size(), as_span(examples));
            check_asked(self.data, late.size(), {});
            check_sample_weight(self.data, sample_weight);
            nb::gil_scoped_release release;
            return class_accumulate<Block>(self.data, v.data(), late.data(), as_span(examples), optional_data(sample_weight), squared,
                                           first, done, numerator);
          },
          nb::arg("v").noconvert(), nb::arg("late").noconvert(), nb::arg("examples").noconvert(), nb::arg("sample_weight").noconvert().none(),
          nb::arg("squared"), nb::arg("first"), nb::arg("done"), nb::arg("numerator"),
          "Adds planes to v one after the other; see classes/oracle.hpp.");
}

// The dual engine of such an oracle; `Owner` has the members `engine` (a BlockEngine<Block>), `data` and `weight`.
template <class Block, class Oracle, class Owner>
void add_class_engine_members(nb::class_<Owner>& type) {
  type.def(
      "__init__",
      [](Owner* self, nb::object data, const std::string& slack, double C, std::optional<In1<double>> weight) {
        const Oracle& bound = nb::cast<const Oracle&>(data);
        const std::int64_t n = bound.data.rows.n;
        new (self) Owner{{Block(bound.data), n, budget_of(slack, C, weight, n)}, data, weight ? nb::cast(*weight) : nb::none()};
      },
      nb::arg("data"), nb::arg("slack"), nb::arg("C"), nb::arg("weight").noconvert().none());
  type.def(
      "restore",
      [](Owner& self, In1<std::int32_t> block, In1<std::int32_t> output, In1<double> alpha) {
        if (block.size() != output.size() || block.size() != alpha.size()) throw nb::value_error("arrays of one length are needed");
        auto& engine = self.engine;
        const std::int64_t blocks = engine.support.blocks();
        for (std::int64_t i = 0; i < blocks; ++i) engine.support.resize(i, 0);
        for (std::size_t at = 0; at < block.size(); ++at) {
          const std::int32_t i = block.data()[at], k = output.data()[at];
          if (i < 0 || i >= blocks || (at > 0 && i < block.data()[at - 1])) throw nb::value_error("blocks must ascend and exist");
          if (k < 0 || k >= engine.block.size()) throw nb::value_error("no such output");
          Block::hold(i, k, engine.support);
        }
        engine.set_alpha(as_span(alpha));
      },
      nb::arg("block").noconvert(), nb::arg("output").noconvert(), nb::arg("alpha").noconvert(),
      "Starts from a dual state as `support` gave it, cut down to what the budget allows.");
  add_engine_members(type);
}

}  // namespace maxmargin::bindings
