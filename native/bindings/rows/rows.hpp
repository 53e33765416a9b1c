// The packed examples as Python holds them: keeps the arrays alive that the core reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "arrays.hpp"
#include "maxmargin/rows/pack.hpp"

namespace maxmargin::bindings {

struct PyRows {
  PackedRows packed;
  nb::object values, indices, offsets;
  std::unique_ptr<KernelPatch> kernel;
  nb::object patch_rows, patch_values, patch_scores;

  void check_analysed() const {
    if (packed.squared_norms.size() != static_cast<std::size_t>(packed.rows.n)) throw nb::value_error("training needs rows made with analyse=True");
  }
};

// None is no numbers, which stands for all rows.
inline std::span<const std::int32_t> checked_examples(const std::optional<In1<std::int32_t>>& examples, std::int64_t n) {
  if (!examples) return {};
  for (std::int32_t i : as_span(*examples)) {
    if (i < 0 || i >= n) throw nb::index_error("no such example");
  }
  return as_span(*examples);
}

inline void check_training(const PyRows& rows, const In1<std::int32_t>& labels, std::size_t classes) {
  rows.check_analysed();
  if (static_cast<std::int64_t>(labels.size()) != rows.packed.rows.n) throw nb::value_error("one label per row is needed");
  for (std::int32_t label : as_span(labels)) {
    if (label < 0 || static_cast<std::size_t>(label) >= classes) throw nb::value_error("a label is out of range");
  }
}

}  // namespace maxmargin::bindings
