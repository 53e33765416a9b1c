#include "maxmargin/diversity/item_groups.hpp"

#include "arrays.hpp"

namespace maxmargin::bindings {
namespace {

void check_below(std::span<const std::int64_t> numbers, std::int64_t end, const char* complaint) {
  for (const std::int64_t number : numbers) {
    if (number < 0 || number >= end) throw nb::index_error(complaint);
  }
}

}  // namespace

void bind_item_groups(nb::module_& module) {
  module.def(
      "group_items",
      [](In1<std::int64_t> document, In1<std::int64_t> item, In1<std::int64_t> one, In1<std::int64_t> other, std::int64_t documents) {
        if (document.size() != item.size()) throw nb::value_error("one item per document is needed");
        if (one.size() != other.size()) throw nb::value_error("two numbers per item are needed");
        check_below(as_span(document), documents, "no such document");
        check_below(as_span(item), static_cast<std::int64_t>(one.size()), "no such item");
        ItemGroups found;
        {
          nb::gil_scoped_release release;
          found = group_items(as_span(document), as_span(item), as_span(one), as_span(other), documents);
        }
        return nb::make_tuple(take(std::move(found.first)), take(std::move(found.count)), take(std::move(found.offsets)), take(std::move(found.groups)));
      },
      nb::arg("document").noconvert(), nb::arg("item").noconvert(), nb::arg("one").noconvert(), nb::arg("other").noconvert(), nb::arg("documents"),
      "(first item of each group, its items, where documents begin, their groups) of items that are alike; see diversity/item_groups.hpp.");
}

}  // namespace maxmargin::bindings
