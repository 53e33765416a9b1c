// What the two ways to attributes, given ones and templates, hand back to Python.
#pragma once

#include "arrays.hpp"
#include "maxmargin/text/vectorise.hpp"

namespace maxmargin::bindings {

// (indptr, indices, values or None).
nb::tuple as_arrays(TokenRows&& rows);

}  // namespace maxmargin::bindings
