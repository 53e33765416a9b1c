// Stochastic gradient steps (engine/stochastic_descent.hpp) as Python sees them.
#pragma once

#include "arrays.hpp"
#include "engine/questions.hpp"
#include "maxmargin/engine/stochastic_descent.hpp"

namespace maxmargin::bindings {

// Adds `descend` to a class of true outputs; size(self) is the number of weights, run(self, sample_weight, order, sizes, weights) makes the steps.
template <class Owner, class Size, class Run>
void add_descent(nb::class_<Owner>& type, Size size, Run run) {
  type.def(
      "descend",
      [size, run](const Owner& self, InOut1<double> v, double factor, std::int64_t steps, std::optional<In1<double>> sample_weight,
                  In1<std::int32_t> order, double first, double decay) {
        if (static_cast<std::int64_t>(v.size()) != size(self)) throw nb::value_error("weights have the wrong length");
        for (const std::int32_t i : as_span(order)) {
          if (i < 0 || i >= self.n()) throw nb::index_error("no such example");
        }
        const double* weight = checked_weight(self, sample_weight);
        ScaledWeights weights{v.data(), factor, steps};
        double value = 0.0;
        {
          nb::gil_scoped_release release;
          value = run(self, weight, as_span(order), StepSizes{first, decay}, weights);
        }
        return nb::make_tuple(value, weights.factor);
      },
      nb::arg("v").noconvert(), nb::arg("factor"), nb::arg("steps"), nb::arg("sample_weight").noconvert().none(), nb::arg("order").noconvert(),
      nb::arg("first"), nb::arg("decay"),
      "(sum of the negative log-likelihoods, each at the weights that it met, new factor): one step per example of `order` on factor * v.");
}

}  // namespace maxmargin::bindings
