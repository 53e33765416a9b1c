#include "arrays.hpp"
#include "maxmargin/simd/kernels.hpp"

NB_MODULE(_core, module) {
  namespace nb = nanobind;
  using namespace maxmargin;
  nb::set_leak_warnings(false);  // objects that live until the interpreter ends are no fault of the user's
  module.doc() = "Native core: packed examples, the dual engine, multiclass, chains, label vectors, attributes, coverage.";
  module.def("isa", [] { return kernels().name; }, "Name of the instruction set in use: 'avx2' or 'baseline'.");
  module.def("padded", [](std::int64_t labels) { return padded(labels); }, nb::arg("labels"),
             "Row length of the weights for a number of labels.");
  bindings::bind_rows(module);
  bindings::bind_engine(module);
  bindings::bind_multiclass(module);
  bindings::bind_outputs(module);
  bindings::bind_signed(module);
  bindings::bind_class_likelihood(module);
  bindings::bind_smooth(module);
  bindings::bind_tables(module);
  bindings::bind_planes(module);
  bindings::bind_chain(module);
  bindings::bind_labels(module);
  bindings::bind_vectorise(module);
  bindings::bind_templates(module);
  bindings::bind_svmhmm(module);
  bindings::bind_cover(module);
  bindings::bind_ranking(module);
  bindings::bind_pair_newton(module);
}
