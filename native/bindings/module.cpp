// The module: every folder of bindings has a function bind_<folder>, and one line in this list.
#include "arrays.hpp"
#include "maxmargin/simd/kernels.hpp"

#define FOR_ALL_FOLDERS(bind) \
  bind(rows)      \
  bind(engine)    \
  bind(classes)   \
  bind(measures)  \
  bind(chains)    \
  bind(labels)    \
  bind(text)      \
  bind(diversity) \
  bind(rankings)  \
  bind(programs)  \
  bind(alignments) \
  bind(grammars)

namespace maxmargin::bindings {
#define DECLARE(folder) void bind_##folder(nb::module_& module);
FOR_ALL_FOLDERS(DECLARE)
}  // namespace maxmargin::bindings

NB_MODULE(_core, module) {
  namespace nb = nanobind;
  using namespace maxmargin;
  nb::set_leak_warnings(false);  // objects that live until the interpreter ends are no fault of the user's
  module.doc() = "Native core: packed examples, the dual engine, and the searches of all structures.";
  module.def("isa", [] { return kernels().name; }, "Name of the instruction set in use: 'avx512', 'avx2' or 'baseline'.");
  module.def("padded", [](std::int64_t labels) { return padded(labels); }, nb::arg("labels"),
             "Row length of the weights for a number of labels.");
#define CALL(folder) bindings::bind_##folder(module);
  FOR_ALL_FOLDERS(CALL)
}
