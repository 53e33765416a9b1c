// Labelled chains as Python holds them.
#pragma once

#include <memory>

#include "arrays.hpp"
#include "maxmargin/chains/chain.hpp"

namespace maxmargin::bindings {

// Sequences and, for training, their labels; keeps alive what the core reads.
struct PyChain {
  ChainData data;
  nb::object tokens, pairs, offsets, labels, label_offset;

  std::int64_t token_count() const { return data.offsets[data.n]; }
  void check_weights(std::size_t size) const {
    if (static_cast<std::int64_t>(size) != data.shape.weight_count()) throw nb::value_error("weights have the wrong length");
  }
  void check_labelled() const {
    if (data.labels == nullptr) throw nb::value_error("this needs labels");
  }
};

// A chain with a loss: what a solver trains on.
struct PyChainOracle {
  const PyChain* chain;
  ChainLoss loss;
  nb::object owner, costs, units, margin, scale, rows;

  std::int64_t n() const { return chain->data.n; }
  void check_weight(const std::optional<In1<double>>& weight) const {
    if (weight && static_cast<std::int64_t>(weight->size()) != n()) throw nb::value_error("one weight an example is needed");
  }
  void check_examples(std::span<const std::int32_t> examples) const {
    for (std::int32_t i : examples) {
      if (i < 0 || i >= n()) throw nb::index_error("no such example");
    }
  }
};

void bind_chain_engine(nb::module_& module);

}  // namespace maxmargin::bindings
