#include "maxmargin/diversity/cover.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <stdexcept>

#include "arrays.hpp"

namespace maxmargin::bindings {
namespace {

Cover checked(const In1<std::int64_t>& offsets, const In1<std::int32_t>& items, const In1<double>& benefit) {
  const Cover cover{as_span(offsets), as_span(items), as_span(benefit)};
  if (cover.offsets.empty() || cover.offsets.front() != 0 ||
      cover.offsets.back() != static_cast<std::int64_t>(cover.items.size()))
    throw std::invalid_argument("offsets must begin with 0 and end with the number of items");
  for (std::size_t d = 1; d < cover.offsets.size(); ++d)
    if (cover.offsets[d] < cover.offsets[d - 1]) throw std::invalid_argument("offsets must not fall");
  for (const std::int32_t item : cover.items)
    if (item < 0 || item >= static_cast<std::int64_t>(cover.benefit.size()))
      throw std::invalid_argument("every item must have a benefit");
  for (const double value : cover.benefit)
    if (!std::isfinite(value)) throw std::invalid_argument("benefits must be finite");
  return cover;
}

}  // namespace

void bind_item_groups(nb::module_& module);
void bind_word_counts(nb::module_& module);

void bind_diversity(nb::module_& module) {
  bind_item_groups(module);
  bind_word_counts(module);
  module.def(
      "choose_greedily",
      [](In1<std::int64_t> offsets, In1<std::int32_t> items, In1<double> benefit, std::int64_t k,
         std::optional<In1<std::int64_t>> more_offsets, std::optional<In1<std::int32_t>> more_items,
         std::optional<In1<double>> more_benefit) {
        std::vector<Cover> covers{checked(offsets, items, benefit)};
        if (more_offsets && more_items && more_benefit) {
          covers.push_back(checked(*more_offsets, *more_items, *more_benefit));
          if (more_offsets->size() != offsets.size())
            throw std::invalid_argument("both covers must have the same number of documents");
        }
        Chosen chosen;
        {
          nb::gil_scoped_release release;
          chosen = choose_greedily(covers, k);
        }
        return nb::make_tuple(take(std::move(chosen.documents)), take(std::move(chosen.gains)), chosen.looks);
      },
      nb::arg("offsets").noconvert(), nb::arg("items").noconvert(), nb::arg("benefit").noconvert(), nb::arg("k"),
      nb::arg("more_offsets").noconvert() = nb::none(), nb::arg("more_items").noconvert() = nb::none(),
      nb::arg("more_benefit").noconvert() = nb::none(),
      "(documents in the order of the choice, their gains, gains computed) of the greedy cover of up to k documents. "
      "Document d has items[offsets[d]:offsets[d + 1]]; item j is worth benefit[j] once; a second cover may be added.");
  module.def(
      "mark_covered",
      [](In1<std::int64_t> offsets, In1<std::int32_t> items, In1<std::int64_t> documents, InOut1<bool> there) {
        for (const std::int64_t d : as_span(documents)) {
          if (d < 0 || d + 1 >= static_cast<std::int64_t>(offsets.size())) throw nb::index_error("no such document");
          const std::int64_t first = offsets.data()[d], last = offsets.data()[d + 1];
          if (first < 0 || last > static_cast<std::int64_t>(items.size())) throw nb::index_error("no such items");
          for (std::int64_t k = first; k < last; ++k) {
            const auto item = static_cast<std::size_t>(items.data()[k]);
            if (item >= there.size()) throw nb::index_error("no such item");
            there.data()[item] = true;
          }
        }
      },
      nb::arg("offsets").noconvert(), nb::arg("items").noconvert(), nb::arg("documents").noconvert(),
      nb::arg("there").noconvert(), "Marks the items that the documents have.");
}

}  // namespace maxmargin::bindings
