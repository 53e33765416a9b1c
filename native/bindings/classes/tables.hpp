// Tables of margins and scales as Python gives them.
#pragma once

#include "arrays.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::bindings {

inline void check_class_tables(const In2<double>& margin, const In2<double>& scale, std::size_t rows, std::size_t classes) {
  const auto stride = static_cast<std::size_t>(padded(static_cast<std::int64_t>(classes)));
  if (margin.shape(0) != rows || margin.shape(1) != stride || scale.shape(0) != rows || scale.shape(1) != stride) {
    throw nb::value_error("margin and scale must have a padded row per class");
  }
}

}  // namespace maxmargin::bindings
