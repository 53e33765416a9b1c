// Labelled chains as Python holds them.
#pragma once

#include <memory>

#include "arrays.hpp"
#include "maxmargin/chains/asker.hpp"
#include "maxmargin/chains/planes.hpp"

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

// A chain with a loss: what a solver trains on, as engine/questions.hpp and engine/states.hpp of the bindings want it.
struct PyChainOracle {
  using Store = ChainPlanes;
  using Output = std::int32_t;

  const PyChain* chain;
  ChainLoss loss;
  nb::object owner, costs, units, margin, scale, rows;

  std::int64_t n() const { return chain->data.n; }
  std::int64_t weight_count() const { return chain->data.shape.weight_count(); }
  ChainAsker asker(std::int64_t) const { return {chain->data, loss}; }

  ChainPlanes store() const { return {chain->data, loss}; }
  std::size_t output_size(std::int64_t i) const { return static_cast<std::size_t>(chain->data.length(i)); }
  bool is_label(std::int32_t label) const { return label >= 0 && label < chain->data.shape.labels; }
  std::optional<ChainPlane> plane_of(std::int64_t i, const std::int32_t* labels) const {
    ChainPlane plane = make_chain_plane(chain->data, loss, i, labels);
    return plane.changed.empty() ? std::nullopt : std::optional(std::move(plane));
  }
  SparseCounts row_of(std::int64_t i, const ChainPlane& plane) const { return plane_row(chain->data, i, plane); }
  bool write_output(std::int64_t i, const ChainPlane& plane, std::vector<std::int32_t>& into) const {
    if (plane.key == 0) return false;
    const std::size_t first = into.size();
    into.insert(into.end(), chain->data.truth(i), chain->data.truth(i) + chain->data.length(i));
    for (const ChangedLabel& change : plane.changed) into[first + static_cast<std::size_t>(change.token)] = change.label;
    return true;
  }
};

void bind_chain_engine(nb::module_& module);

}  // namespace maxmargin::bindings
