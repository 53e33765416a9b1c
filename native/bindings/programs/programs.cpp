#include "programs/programs.hpp"

namespace maxmargin::bindings {

void bind_programs(nb::module_& module) {
  bind_topology(module);
  bind_strata(module);
  bind_batches(module);
  bind_spanning_trees(module);
  bind_program_set(module);
  bind_program_targets(module);
  bind_program_oracle(module);
}

}  // namespace maxmargin::bindings
