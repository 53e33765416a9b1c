#include "classes/tables.hpp"
#include "engine/questions.hpp"
#include "engine/states.hpp"
#include "maxmargin/classes/asker.hpp"
#include "maxmargin/classes/multiclass.hpp"
#include "rows/rows.hpp"

namespace maxmargin::bindings {
namespace {

// The bound training set: keeps alive what the core reads.
struct PyMulticlass {
  MulticlassData data;
  nb::object rows, labels, margin, scale;

  std::int64_t n() const { return data.rows.n; }
  std::int64_t weight_count() const { return data.weight_count(); }
  ClassAsker<MulticlassBlock> asker(std::int64_t) const { return ClassAsker<MulticlassBlock>(data); }
};

}  // namespace

static void bind_multiclass(nb::module_& module) {
  nb::class_<PyMulticlass> oracle(module, "Multiclass", "Examples, labels and the two tables of the rescaling.");
  oracle.def(
      "__init__",
      [](PyMulticlass* self, nb::object rows, In1<std::int32_t> labels, In2<double> margin, In2<double> scale, std::int64_t n_classes) {
        const PyRows& packed = nb::cast<const PyRows&>(rows);
        const auto classes = static_cast<std::size_t>(n_classes);
        const bool alike = margin.shape(0) == 1;
        check_class_tables(margin, scale, alike ? 1 : classes, classes);
        check_training(packed, labels, classes);
        new (self) PyMulticlass{
            MulticlassData{packed.packed.rows, packed.packed.squared_norms.data(), labels.data(),
                           n_classes, margin.data(), scale.data(), alike},
            rows, nb::cast(labels), nb::cast(margin), nb::cast(scale)};
      },
      nb::arg("rows"), nb::arg("labels").noconvert(), nb::arg("margin").noconvert(), nb::arg("scale").noconvert(), nb::arg("n_classes"),
      "Tables of one row stand for mistakes that are all alike.");
  add_oracle_members(oracle);
  bind_numbered_engine<PyMulticlass, MulticlassBlock>(module, "MulticlassEngine", "The dual engine on multiclass blocks.");
}

void bind_outputs(nb::module_& module);

void bind_classes(nb::module_& module) {
  bind_multiclass(module);
  bind_outputs(module);
}

}  // namespace maxmargin::bindings
