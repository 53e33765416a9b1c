#pragma once

#include "arrays.hpp"

namespace maxmargin::bindings {

void bind_topology(nb::module_& module);
void bind_spanning_trees(nb::module_& module);

}  // namespace maxmargin::bindings
