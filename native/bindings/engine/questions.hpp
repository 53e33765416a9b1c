// What every oracle of the core shows to Python: the questions of engine/questions.hpp.
#pragma once

#include <utility>

#include "arrays.hpp"
#include "maxmargin/engine/questions.hpp"

namespace maxmargin::bindings {

template <class Owner>
void check_asked(const Owner& self, std::size_t weights, std::span<const std::int32_t> examples) {
  if constexpr (requires { self.check_trainable(); }) self.check_trainable();
  if (static_cast<std::int64_t>(weights) != self.weight_count()) throw nb::value_error("weights have the wrong length");
  const auto n = static_cast<std::uint64_t>(self.n());
  bool beyond = false;  // not a way out of the loop, so that it takes many at a time
  for (std::int32_t i : examples) beyond |= static_cast<std::uint64_t>(i) >= n;
  if (beyond) throw nb::index_error("no such example");
}

template <class Owner>
const double* checked_weight(const Owner& self, const std::optional<In1<double>>& weight) {
  if (weight && static_cast<std::int64_t>(weight->size()) != self.n()) throw nb::value_error("one weight per example is needed");
  return optional_data(weight);
}

template <class Owner>
auto asked_worst(const Owner& self, const In1<double>& weights, const In1<std::int32_t>& examples, bool want_outputs, int threads) {
  check_asked(self, weights.size(), as_span(examples));
  nb::gil_scoped_release release;
  return ask_worst([&self](std::int64_t count) { return self.asker(count); }, weights.data(), as_span(examples), want_outputs, threads);
}

// `Owner` is a bound training set: it has n(), weight_count() and asker(examples), an Asker for a pass over so many examples.
template <class Owner>
void add_oracle_members(nb::class_<Owner>& type) {
  type.def_prop_ro("weight_count", [](const Owner& self) { return self.weight_count(); })
      .def(
          "slacks",
          [](const Owner& self, In1<double> weights, In1<std::int32_t> examples, int threads) {
            auto worst = asked_worst(self, weights, examples, false, threads);
            return nb::make_tuple(take(std::move(worst.slack)), worst.missed);
          },
          nb::arg("weights").noconvert(), nb::arg("examples").noconvert(), nb::arg("threads"), "(slacks, searches that gave up) of examples.")
      .def(
          "worst",
          [](const Owner& self, In1<double> weights, In1<std::int32_t> examples, int threads) {
            auto worst = asked_worst(self, weights, examples, true, threads);
            return nb::make_tuple(take(std::move(worst.slack)), take(std::move(worst.outputs)), worst.missed);
          },
          nb::arg("weights").noconvert(), nb::arg("examples").noconvert(), nb::arg("threads"),
          "(slack, outputs one after the other, searches that gave up) of the most violated plane of each example.")
      .def(
          "cut",
          [](const Owner& self, In1<double> weights, In1<std::int32_t> examples, std::optional<In1<double>> sample_weight, bool squared,
             InOut1<double> into, int threads) {
            check_asked(self, weights.size(), as_span(examples));
            check_asked(self, into.size(), {});
            const double* weight = checked_weight(self, sample_weight);
            CutSums sums = [&] {
              nb::gil_scoped_release release;
              return ask_cut([&self](std::int64_t count) { return self.asker(count); }, weights.data(), as_span(examples), weight, squared,
                             into.data(), threads);
            }();
            return nb::make_tuple(sums.b, take(std::move(sums.slack)), sums.missed);
          },
          nb::arg("weights").noconvert(), nb::arg("examples").noconvert(), nb::arg("sample_weight").noconvert().none(),
          nb::arg("squared"), nb::arg("into").noconvert(), nb::arg("threads"),
          "Adds a of the summed plane to `into`; returns (b, slacks, searches that gave up).")
      .def(
          "accumulate",
          [](const Owner& self, InOut1<double> v, InOut1<double> late, In1<std::int32_t> examples, std::optional<In1<double>> sample_weight,
             bool squared, std::int64_t first, std::int64_t done, double numerator) {
            check_asked(self, v.size(), as_span(examples));
            check_asked(self, late.size(), {});
            const double* weight = checked_weight(self, sample_weight);
            nb::gil_scoped_release release;
            return ask_accumulate([&self](std::int64_t count) { return self.asker(count); }, v.data(), late.data(), as_span(examples), weight,
                                  squared, OnlinePass{first, done, numerator});
          },
          nb::arg("v").noconvert(), nb::arg("late").noconvert(), nb::arg("examples").noconvert(), nb::arg("sample_weight").noconvert().none(),
          nb::arg("squared"), nb::arg("first"), nb::arg("done"), nb::arg("numerator"),
          "Adds planes to v one after the other and returns how many; see engine/questions.hpp.");
}

}  // namespace maxmargin::bindings
