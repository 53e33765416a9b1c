#include "programs/programs.hpp"

namespace maxmargin::bindings {

void bind_programs(nb::module_& module) {
  bind_topology(module);
  bind_strata(module);
  bind_batches(module);
  bind_spanning_trees(module);
}

}  // namespace maxmargin::bindings
