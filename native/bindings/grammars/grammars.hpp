// Grammars and sentences as Python holds them, and the parts of bind_grammars.
#pragma once

#include <vector>

#include "arrays.hpp"
#include "maxmargin/grammars/sentences.hpp"

namespace maxmargin::bindings {

// Keeps alive what the core reads.
struct PySentences {
  grammars::Sentences sentences;
  std::vector<nb::object> kept;

  std::int64_t n() const { return sentences.n(); }
  void check_weights(std::size_t size) const {
    if (static_cast<std::int64_t>(size) != sentences.weights) throw nb::value_error("weights have the wrong length");
  }
};

std::vector<std::int64_t> checked_offsets(const In1<std::int64_t>& offsets, std::int64_t examples, std::size_t last, const char* name);

// Rules at their places as rows (rule, start, split, end).
nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>> take_rules(std::vector<grammars::Anchored>&& rules);

void bind_rules(nb::module_& module);
void bind_sentences(nb::module_& module);
void bind_tree_oracle(nb::module_& module);
void add_tree_predictions(nb::class_<PySentences>& type);

}  // namespace maxmargin::bindings
