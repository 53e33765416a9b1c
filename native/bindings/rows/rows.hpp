// The packed examples as Python holds them: keeps the arrays alive that the core reads.
#pragma once

#include "arrays.hpp"
#include "maxmargin/rows/pack.hpp"

namespace maxmargin::bindings {

struct PyRows {
  PackedRows packed;
  nb::object values, indices, offsets;
};

}  // namespace maxmargin::bindings
