// The parts of bind_programs.
#pragma once

#include "arrays.hpp"
#include "maxmargin/programs/topology.hpp"

namespace maxmargin::bindings {

void bind_topology(nb::module_& module);
void bind_queries(nb::class_<programs::Topology>& topology);
void bind_strata(nb::module_& module);
void bind_batches(nb::module_& module);
void bind_spanning_trees(nb::module_& module);
void bind_program_set(nb::module_& module);
void bind_program_targets(nb::module_& module);
void bind_program_oracle(nb::module_& module);

}  // namespace maxmargin::bindings
