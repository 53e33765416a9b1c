// What the bindings of alignments share.
#pragma once

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "maxmargin/alignments/grid.hpp"

namespace maxmargin::bindings {

void bind_grid(nb::module_& module);
void bind_batches_of_grids(nb::module_& module);
void bind_alignment_set(nb::module_& module);
void bind_alignment_oracle(nb::module_& module);

// (mode, free ends of x and y: begin and end each, band or -1)
alignments::GridShape shape_of(const std::string& mode, const std::array<bool, 4>& free_ends, std::int32_t band);

using PairArray = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;
PairArray taken_pairs(std::vector<alignments::Pair>&& pairs);  // shape (L, 2)

// Pairs that rise within m x n; throws with a sentence where they do not.
std::vector<alignments::Pair> checked_pairs(const In2<std::int32_t>& pairs, std::int32_t m, std::int32_t n);

}  // namespace maxmargin::bindings
