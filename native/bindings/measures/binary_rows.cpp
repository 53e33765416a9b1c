#include <nanobind/stl/optional.h>

#include "engine/engine.hpp"
#include "maxmargin/measures/binary_rows_oracle.hpp"
#include "rows/rows.hpp"

namespace maxmargin::bindings {
namespace {

// The bound training set: keeps alive what the core reads.
struct PySigned {
  SignedData data;
  nb::object rows, signs;

  std::int64_t n() const { return data.rows.n; }
  void check_weights(std::size_t size) const {
    if (static_cast<std::int64_t>(size) != data.weight_count()) throw nb::value_error("weights have the wrong length");
  }
  const double* checked(const std::optional<In1<double>>& weight) const {
    if (weight && static_cast<std::int64_t>(weight->size()) != n()) throw nb::value_error("one weight an example is needed");
    return weight ? weight->data() : nullptr;
  }
};

struct PySignedEngine {
  BlockEngine<SignedBlock> engine;
  nb::object data, weight;
};

}  // namespace

void bind_signed(nb::module_& module) {
  nb::class_<PySigned>(module, "Signed", "Examples and their signs, one plane (y x, margin) each.")
      .def(
          "__init__",
          [](PySigned* self, nb::object rows, In1<std::int8_t> signs, double margin) {
            const PyRows& packed = nb::cast<const PyRows&>(rows);
            if (packed.packed.squared_norms.size() != static_cast<std::size_t>(packed.packed.rows.n)) {
              throw nb::value_error("training needs rows made with analyse=True");
            }
            if (static_cast<std::int64_t>(signs.size()) != packed.packed.rows.n) throw nb::value_error("one sign a row is needed");
            for (std::int8_t sign : as_span(signs)) {
              if (sign != 1 && sign != -1) throw nb::value_error("signs must be 1 or -1");
            }
            new (self) PySigned{SignedData{packed.packed.rows, packed.packed.squared_norms.data(), signs.data(), margin}, rows, nb::cast(signs)};
          },
          nb::arg("rows"), nb::arg("signs").noconvert(), nb::arg("margin"))
      .def_prop_ro("weight_count", [](const PySigned& self) { return self.data.weight_count(); })
      .def(
          "slacks",
          [](const PySigned& self, In1<double> weights, int threads) {
            self.check_weights(weights.size());
            std::vector<double> slack(static_cast<std::size_t>(self.n()));
            {
              nb::gil_scoped_release release;
              signed_slacks(self.data, weights.data(), slack, threads);
            }
            return take(std::move(slack));
          },
          nb::arg("weights").noconvert(), nb::arg("threads"), "max(0, b - <a, w>) of every example.")
      .def(
          "cut",
          [](const PySigned& self, In1<double> weights, std::optional<In1<double>> sample_weight, bool squared, int threads) {
            self.check_weights(weights.size());
            const double* weight = self.checked(sample_weight);
            std::vector<double> slack(static_cast<std::size_t>(self.n()));
            Cut cut;
            {
              nb::gil_scoped_release release;
              cut = signed_cut(self.data, weights.data(), weight, squared, slack, threads);
            }
            return nb::make_tuple(take(std::move(cut.a)), cut.b, take(std::move(slack)));
          },
          nb::arg("weights").noconvert(), nb::arg("sample_weight").noconvert().none(), nb::arg("squared"), nb::arg("threads"),
          "(a, b, slacks) of the summed plane.")
      .def(
          "accumulate",
          [](const PySigned& self, InOut1<double> v, InOut1<double> late, In1<std::int32_t> examples,
             std::optional<In1<double>> sample_weight, bool squared, std::int64_t first, std::int64_t done, double numerator) {
            self.check_weights(v.size());
            self.check_weights(late.size());
            const double* weight = self.checked(sample_weight);
            check_order(as_span(examples), self.n());
            nb::gil_scoped_release release;
            return signed_accumulate(self.data, v.data(), late.data(), as_span(examples), weight, squared, first, done, numerator);
          },
          nb::arg("v").noconvert(), nb::arg("late").noconvert(), nb::arg("examples").noconvert(), nb::arg("sample_weight").noconvert().none(),
          nb::arg("squared"), nb::arg("first"), nb::arg("done"), nb::arg("numerator"),
          "Adds planes to v one after the other; see classes/oracle.hpp.");

  nb::class_<PySignedEngine> engine(module, "SignedEngine", "The dual engine on binary blocks.");
  engine.def(
      "__init__",
      [](PySignedEngine* self, nb::object data, const std::string& slack, double C, std::optional<In1<double>> weight) {
        const PySigned& bound = nb::cast<const PySigned&>(data);
        new (self) PySignedEngine{{SignedBlock(bound.data), bound.n(), budget_of(slack, C, weight, bound.n())},
                                  data,
                                  weight ? nb::cast(*weight) : nb::none()};
      },
      nb::arg("data"), nb::arg("slack"), nb::arg("C"), nb::arg("weight").noconvert().none());
  engine.def(
      "restore",
      [](PySignedEngine& self, In1<std::int32_t> block, In1<double> alpha) {
        if (block.size() != alpha.size()) throw nb::value_error("arrays of one length are needed");
        auto& engine = self.engine;
        const std::int64_t blocks = engine.support.blocks();
        for (std::int64_t i = 0; i < blocks; ++i) engine.support.resize(i, 0);
        for (std::size_t at = 0; at < block.size(); ++at) {
          const std::int32_t i = block.data()[at];
          if (i < 0 || i >= blocks || (at > 0 && i <= block.data()[at - 1])) throw nb::value_error("blocks must ascend and exist");
          SignedBlock::hold(i, 0, engine.support);
        }
        engine.set_alpha(as_span(alpha));
      },
      nb::arg("block").noconvert(), nb::arg("alpha").noconvert(),
      "Starts from a dual state as `support` gave it, cut down to what the budget allows.");
  add_engine_members(engine);
}

}  // namespace maxmargin::bindings
