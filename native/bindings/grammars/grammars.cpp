#include "grammars/grammars.hpp"

namespace maxmargin::bindings {

void bind_grammars(nb::module_& module) {
  bind_rules(module);
  bind_sentences(module);
  bind_tree_oracle(module);
}

}  // namespace maxmargin::bindings
