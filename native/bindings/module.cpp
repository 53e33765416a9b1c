#include "arrays.hpp"
#include "maxmargin/kernels.hpp"

NB_MODULE(_core, module) {
  namespace nb = nanobind;
  using namespace maxmargin;
  module.doc() = "Native core: packed examples, the dual engine, multiclass, chains, attributes.";
  module.def("isa", [] { return kernels().name; }, "Name of the instruction set in use: 'avx2' or 'baseline'.");
  module.def("padded", [](std::int64_t labels) { return padded(labels); }, nb::arg("labels"),
             "Row length of the weights for a number of labels.");
  bindings::bind_rows(module);
  bindings::bind_engine(module);
  bindings::bind_multiclass(module);
  bindings::bind_outputs(module);
  bindings::bind_planes(module);
  bindings::bind_chain(module);
  bindings::bind_vectorise(module);
  bindings::bind_templates(module);
  bindings::bind_svmhmm(module);
}
