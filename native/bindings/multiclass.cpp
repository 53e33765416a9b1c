#include <nanobind/stl/optional.h>

#include "engine.hpp"
#include "maxmargin/multiclass_oracle.hpp"
#include "rows.hpp"

namespace maxmargin::bindings {
namespace {

// The bound training set: keeps alive what the core reads.
struct PyMulticlass {
  MulticlassData data;
  nb::object rows, labels, margin, scale;

  std::int64_t n() const { return data.rows.n; }
  void check_weights(std::size_t size) const {
    if (static_cast<std::int64_t>(size) != data.weight_count()) throw nb::value_error("weights have the wrong length");
  }
  void check_weight(const std::optional<In1<double>>& weight) const {
    if (weight && static_cast<std::int64_t>(weight->size()) != n()) throw nb::value_error("one weight an example is needed");
  }
  void check_examples(std::span<const std::int32_t> examples) const {
    for (std::int32_t i : examples) {
      if (i < 0 || i >= n()) throw nb::index_error("no such example");
    }
  }
};

struct PyMulticlassEngine {
  BlockEngine<MulticlassBlock> engine;
  nb::object data, weight;
};

const double* optional_data(const std::optional<In1<double>>& array) { return array ? array->data() : nullptr; }

}  // namespace

void bind_multiclass(nb::module_& module) {
  nb::class_<PyMulticlass>(module, "Multiclass", "Examples, labels and the two tables of the rescaling.")
      .def(
          "__init__",
          [](PyMulticlass* self, nb::object rows, In1<std::int32_t> labels, In2<double> margin, In2<double> scale) {
            const PyRows& packed = nb::cast<const PyRows&>(rows);
            const std::size_t classes = margin.shape(0);
            const std::size_t stride = static_cast<std::size_t>(padded(static_cast<std::int64_t>(classes)));
            if (margin.shape(1) != stride || scale.shape(0) != classes || scale.shape(1) != stride) {
              throw nb::value_error("margin and scale must have a row a class, padded");
            }
            if (packed.packed.squared_norms.size() != static_cast<std::size_t>(packed.packed.rows.n)) {
              throw nb::value_error("training needs rows made with analyse=True");
            }
            if (static_cast<std::int64_t>(labels.size()) != packed.packed.rows.n) throw nb::value_error("one label a row is needed");
            for (std::int32_t label : as_span(labels)) {
              if (label < 0 || static_cast<std::size_t>(label) >= classes) throw nb::value_error("a label is out of range");
            }
            new (self) PyMulticlass{
                MulticlassData{packed.packed.rows, packed.packed.squared_norms.data(), labels.data(),
                               static_cast<std::int64_t>(classes), margin.data(), scale.data()},
                rows, nb::cast(labels), nb::cast(margin), nb::cast(scale)};
          },
          nb::arg("rows"), nb::arg("labels").noconvert(), nb::arg("margin").noconvert(), nb::arg("scale").noconvert())
      .def_prop_ro("weight_count", [](const PyMulticlass& self) { return self.data.weight_count(); })
      .def(
          "worst",
          [](const PyMulticlass& self, In1<double> weights, In1<std::int32_t> examples, int threads) {
            self.check_weights(weights.size());
            self.check_examples(as_span(examples));
            std::vector<double> slack(examples.size());
            std::vector<std::int32_t> output(examples.size());
            {
              nb::gil_scoped_release release;
              multiclass_worst(self.data, weights.data(), as_span(examples), slack, output, threads);
            }
            return nb::make_tuple(take(std::move(slack)), take(std::move(output)));
          },
          nb::arg("weights").noconvert(), nb::arg("examples").noconvert(), nb::arg("threads"),
          "(slack, class) of the most violated plane of each example.")
      .def(
          "cut",
          [](const PyMulticlass& self, In1<double> weights, In1<std::int32_t> examples,
             std::optional<In1<double>> sample_weight, bool squared, int threads) {
            self.check_weights(weights.size());
            self.check_weight(sample_weight);
            self.check_examples(as_span(examples));
            std::vector<double> slack(examples.size());
            Cut cut;
            {
              nb::gil_scoped_release release;
              cut = multiclass_cut(self.data, weights.data(), as_span(examples), optional_data(sample_weight), squared, slack, threads);
            }
            return nb::make_tuple(take(std::move(cut.a)), cut.b, take(std::move(slack)));
          },
          nb::arg("weights").noconvert(), nb::arg("examples").noconvert(), nb::arg("sample_weight").noconvert().none(),
          nb::arg("squared"), nb::arg("threads"), "(a, b, slacks) of the summed plane.")
      .def(
          "accumulate",
          [](const PyMulticlass& self, InOut1<double> v, InOut1<double> late, In1<std::int32_t> examples,
             std::optional<In1<double>> sample_weight, bool squared, std::int64_t first, std::int64_t done, double numerator) {
            self.check_weights(v.size());
            self.check_weights(late.size());
            self.check_weight(sample_weight);
            self.check_examples(as_span(examples));
            nb::gil_scoped_release release;
            return multiclass_accumulate(self.data, v.data(), late.data(), as_span(examples), optional_data(sample_weight), squared,
                                         first, done, numerator);
          },
          nb::arg("v").noconvert(), nb::arg("late").noconvert(), nb::arg("examples").noconvert(), nb::arg("sample_weight").noconvert().none(),
          nb::arg("squared"), nb::arg("first"), nb::arg("done"), nb::arg("numerator"),
          "Adds planes to v one after the other; see multiclass_oracle.hpp.");

  nb::class_<PyMulticlassEngine> engine(module, "MulticlassEngine", "The dual engine on multiclass blocks.");
  engine.def(
      "__init__",
      [](PyMulticlassEngine* self, nb::object data, const std::string& slack, double C, std::optional<In1<double>> weight) {
        const PyMulticlass& bound = nb::cast<const PyMulticlass&>(data);
        new (self) PyMulticlassEngine{{MulticlassBlock(bound.data), bound.n(), budget_of(slack, C, weight, bound.n())},
                                      data,
                                      weight ? nb::cast(*weight) : nb::none()};
      },
      nb::arg("data"), nb::arg("slack"), nb::arg("C"), nb::arg("weight").noconvert().none());
  engine.def(
      "restore",
      [](PyMulticlassEngine& self, In1<std::int32_t> block, In1<std::int32_t> output, In1<double> alpha) {
        if (block.size() != output.size() || block.size() != alpha.size()) throw nb::value_error("arrays of one length are needed");
        auto& engine = self.engine;
        const std::int64_t blocks = engine.support.blocks();
        for (std::int64_t i = 0; i < blocks; ++i) engine.support.resize(i, 0);
        for (std::size_t at = 0; at < block.size(); ++at) {
          const std::int32_t i = block.data()[at], k = output.data()[at];
          if (i < 0 || i >= blocks || (at > 0 && i < block.data()[at - 1])) throw nb::value_error("blocks must ascend and exist");
          if (k < 0 || k >= engine.block.size()) throw nb::value_error("no such output");
          MulticlassBlock::hold(i, k, engine.support);
        }
        engine.set_alpha(as_span(alpha));
      },
      nb::arg("block").noconvert(), nb::arg("output").noconvert(), nb::arg("alpha").noconvert(),
      "Starts from a dual state as `support` gave it, cut down to what the budget allows.");
  add_engine_members(engine);
}

}  // namespace maxmargin::bindings
