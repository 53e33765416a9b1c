#include "engine/questions.hpp"
#include "engine/states.hpp"
#include "maxmargin/measures/binary_rows_asker.hpp"
#include "rows/rows.hpp"

namespace maxmargin::bindings {
namespace {

// The bound training set: keeps alive what the core reads.
struct PyBinaryRows {
  BinaryRowsData data;
  nb::object rows, signs;

  std::int64_t n() const { return data.rows.n; }
  std::int64_t weight_count() const { return data.weight_count(); }
  BinaryRowsAsker asker(std::int64_t) const { return BinaryRowsAsker(data); }
};

}  // namespace

void bind_binary_rows(nb::module_& module) {
  nb::class_<PyBinaryRows> oracle(module, "BinaryRows", "Examples and their signs, one plane (y x, margin) each.");
  oracle.def(
      "__init__",
      [](PyBinaryRows* self, nb::object rows, In1<std::int8_t> signs, double margin) {
        const PyRows& packed = nb::cast<const PyRows&>(rows);
        packed.check_analysed();
        if (static_cast<std::int64_t>(signs.size()) != packed.packed.rows.n) throw nb::value_error("one sign per row is needed");
        for (std::int8_t sign : as_span(signs)) {
          if (sign != 1 && sign != -1) throw nb::value_error("signs must be 1 or -1");
        }
        new (self) PyBinaryRows{BinaryRowsData{packed.packed.rows, packed.packed.squared_norms.data(), signs.data(), margin}, rows, nb::cast(signs)};
      },
      nb::arg("rows"), nb::arg("signs").noconvert(), nb::arg("margin"));
  add_oracle_members(oracle);
  bind_numbered_engine<PyBinaryRows, BinaryRowsBlock>(module, "BinaryRowsEngine", "The dual engine on binary blocks.");
}

}  // namespace maxmargin::bindings
