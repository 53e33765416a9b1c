#include "programs/programs.hpp"

namespace maxmargin::bindings {

void bind_programs(nb::module_& module) { bind_topology(module); }

}  // namespace maxmargin::bindings
