#include "rows/rows.hpp"
#include "hashing.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/rows/moments.hpp"
#include "maxmargin/classes/multiclass_scores.hpp"
#include "maxmargin/rows/inner_products.hpp"
#include "maxmargin/rows/products.hpp"
#include "maxmargin/rows/shifted_cells.hpp"

namespace maxmargin::bindings {
namespace {

template <class T>
void from_dense(PyRows* self, In2<T> values, double bias, bool analyse, double copy_density) {
  new (self) PyRows;
  Rows& rows = self->packed.rows;
  rows.single = sizeof(T) == 4;
  rows.values = values.data();
  rows.n = static_cast<std::int64_t>(values.shape(0));
  rows.width = static_cast<std::int64_t>(values.shape(1));
  rows.bias = bias;
  if (analyse) {
    nb::gil_scoped_release release;
    pack(self->packed, copy_density);
  }
  if (rows.kind != RowKind::narrow && rows.kind != RowKind::coded) self->values = nb::cast(values);
}

// `values` is null where every value is 1.
template <class T>
void from_cells(PyRows* self, const std::optional<In1<T>>& values, In1<std::int32_t> indices, In1<std::int64_t> offsets,
                std::int64_t width, double bias, bool analyse) {
  new (self) PyRows;
  Rows& rows = self->packed.rows;
  rows.single = sizeof(T) == 4;
  rows.kind = values ? RowKind::sparse : RowKind::ones;
  rows.values = values ? values->data() : nullptr;
  rows.indices = indices.data();
  rows.offsets = offsets.data();
  rows.n = static_cast<std::int64_t>(offsets.size()) - 1;
  rows.width = width;
  rows.bias = bias;
  const auto stored = static_cast<std::int64_t>(indices.size());
  if (rows.n < 0 || offsets.data()[0] != 0 || offsets.data()[rows.n] != stored || (values && values->size() != indices.size())) {
    throw nb::value_error("offsets, indices and values do not describe the same rows");
  }
  for (std::int64_t i = 0; i < rows.n; ++i) {
    if (rows.offsets[i] > rows.offsets[i + 1]) throw nb::value_error("offsets must not decrease");
  }
  for (std::int64_t c = 0; c < stored; ++c) {
    if (rows.indices[c] < 0 || rows.indices[c] >= width) throw nb::value_error("a column index is out of range");
  }
  if (analyse) pack(self->packed);
  if (values) self->values = nb::cast(*values);
  self->indices = nb::cast(indices);
  self->offsets = nb::cast(offsets);
}

template <class T>
void from_sparse(PyRows* self, In1<T> values, In1<std::int32_t> indices, In1<std::int64_t> offsets, std::int64_t width,
                 double bias, bool analyse) {
  from_cells<T>(self, values, indices, offsets, width, bias, analyse);
}

void from_ones(PyRows* self, nb::object values, In1<std::int32_t> indices, In1<std::int64_t> offsets, std::int64_t width, double bias,
               bool analyse) {
  if (!values.is_none()) throw nb::next_overload();
  from_cells<double>(self, std::nullopt, indices, offsets, width, bias, analyse);
}

template <class T>
nb::tuple shifted(In1<T> values, In1<std::int32_t> indices, In1<std::int64_t> offsets, In1<T> shift, In1<T> factor) {
  const auto starts = as_span(offsets);
  const auto cells = static_cast<std::int64_t>(values.size());
  if (shift.size() != factor.size()) throw nb::value_error("one shift and one factor per column are needed");
  if (starts.empty() || starts.front() != 0 || starts.back() != cells || indices.size() != values.size()) {
    throw nb::value_error("offsets must span the cells");
  }
  for (std::size_t i = 1; i < starts.size(); ++i) {
    if (starts[i] < starts[i - 1]) throw nb::value_error("offsets must not fall");
  }
  for (std::int32_t j : as_span(indices)) {
    if (j < 0 || static_cast<std::size_t>(j) >= shift.size()) throw nb::index_error("no such column");
  }
  ShiftedCells<T> out;
  {
    nb::gil_scoped_release release;
    out = shifted_cells(as_span(values), as_span(indices), starts, as_span(shift), as_span(factor));
  }
  return nb::make_tuple(take(std::move(out.values)), take(std::move(out.indices)), take(std::move(out.offsets)));
}

const double* checked_weight(const std::optional<In1<double>>& weight, const Rows& rows) {
  if (weight && static_cast<std::int64_t>(weight->size()) != rows.n) throw nb::value_error("one weight per row is needed");
  return weight ? weight->data() : nullptr;
}

// Whether some row has two cells in one column. Columns may be in any order.
bool repeats_columns(In1<std::int32_t> indices, In1<std::int64_t> offsets, std::int64_t width) {
  const std::int64_t n = static_cast<std::int64_t>(offsets.size()) - 1;
  if (n < 0 || offsets.data()[0] != 0 || offsets.data()[n] > static_cast<std::int64_t>(indices.size())) throw nb::value_error("offsets must span the cells");
  std::vector<std::int64_t> last(static_cast<std::size_t>(width), -1);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t c = offsets.data()[i]; c < offsets.data()[i + 1]; ++c) {
      const std::int32_t column = indices.data()[c];
      if (column < 0 || column >= width) throw nb::index_error("no such column");
      if (std::exchange(last[static_cast<std::size_t>(column)], i) == i) return true;
    }
  }
  return false;
}

}  // namespace

static void bind_packed_rows(nb::module_& module) {
  module.def("repeats_columns", &repeats_columns, nb::arg("indices").noconvert(), nb::arg("offsets").noconvert(), nb::arg("width"),
             "Whether some row of a CSR matrix has two cells in one column.");
  const char* told = "The cells of a CSR matrix (values, indices, offsets) after (x - shift) * factor; see rows/shifted_cells.hpp.";
  module.def("shifted_cells", &shifted<double>, nb::arg("values").noconvert(), nb::arg("indices").noconvert(), nb::arg("offsets").noconvert(),
             nb::arg("shift").noconvert(), nb::arg("factor").noconvert(), told);
  module.def("shifted_cells", &shifted<float>, nb::arg("values").noconvert(), nb::arg("indices").noconvert(), nb::arg("offsets").noconvert(),
             nb::arg("shift").noconvert(), nb::arg("factor").noconvert(), told);
  nb::class_<PyRows>(module, "Rows", "Examples packed for the core: a dense matrix or CSR, float64 or float32.")
      .def("__init__", &from_dense<double>, nb::arg("values").noconvert(), nb::arg("bias"), nb::arg("analyse"), nb::arg("copy_density") = kCopyDensity)
      .def("__init__", &from_dense<float>, nb::arg("values").noconvert(), nb::arg("bias"), nb::arg("analyse"), nb::arg("copy_density") = kCopyDensity)
      .def("__init__", &from_sparse<double>, nb::arg("values").noconvert(), nb::arg("indices").noconvert(),
           nb::arg("offsets").noconvert(), nb::arg("width"), nb::arg("bias"),
           nb::arg("analyse"))
      .def("__init__", &from_sparse<float>, nb::arg("values").noconvert(), nb::arg("indices").noconvert(),
           nb::arg("offsets").noconvert(), nb::arg("width"), nb::arg("bias"),
           nb::arg("analyse"))
      .def("__init__", &from_ones, nb::arg("values").none(), nb::arg("indices").noconvert(), nb::arg("offsets").noconvert(),
           nb::arg("width"), nb::arg("bias"), nb::arg("analyse"), nb::sig("def __init__(self, values: None, indices: NDArray[numpy.int32], offsets: NDArray[numpy.int64], width: int, bias: float, analyse: bool) -> None"))
      .def_prop_ro("n", [](const PyRows& self) { return self.packed.rows.n; })
      .def_prop_ro("columns", [](const PyRows& self) { return self.packed.rows.columns(); },
                   "Features, with the constant one where there is a bias.")
      .def(
          "set_bias",
          [](PyRows& self, double bias) {
            Rows& rows = self.packed.rows;
            for (double& square : self.packed.squared_norms) square += bias * bias - rows.bias * rows.bias;
            rows.bias = bias;
          },
          nb::arg("bias"), "Gives the constant feature another value; nothing that reads the rows may exist yet.")
      .def(
          "set_kernel",
          [](PyRows& self, In1<double> diagonal) {
            Rows& rows = self.packed.rows;
            const auto n = static_cast<std::size_t>(rows.n);
            if (rows.kind != RowKind::ones || rows.width != 2 * rows.n || rows.offsets[rows.n] != rows.n) throw nb::value_error("rows with a kernel are unit vectors");
            for (std::int64_t i = 0; i < rows.n; ++i) {
              if (rows.offsets[i] != i || rows.indices[i] != i) throw nb::value_error("rows with a kernel are unit vectors");
            }
            if (diagonal.size() != n) throw nb::value_error("one number per row is needed");
            self.check_analysed();
            self.kernel = std::make_unique<KernelPatch>();
            self.kernel->place.assign(n, -1);
            for (std::int64_t i = 0; i < rows.n; ++i) self.kernel->unit.push_back(static_cast<std::int32_t>(rows.n + i));
            rows.kernel = self.kernel.get();
            for (std::size_t i = 0; i < n; ++i) self.packed.squared_norms[i] = diagonal.data()[i] + rows.bias * rows.bias;
          },
          nb::arg("diagonal").noconvert(), "Makes unit vectors in 2 n columns the rows of a kernel (rows/kernel_patch.hpp).")
      .def_prop_ro("has_kernel", [](const PyRows& self) { return self.kernel != nullptr; }, "Whether rows are unit vectors with a kernel.")
      .def(
          "set_patch",
          [](PyRows& self, In1<std::int32_t> rows, In2<double> values, InOut2<double> scores) {
            if (!self.kernel) throw nb::value_error("these rows have no kernel");
            KernelPatch& patch = *self.kernel;
            const std::size_t size = rows.size();
            if (values.shape(0) != size || values.shape(1) != size) throw nb::value_error("a patch is square");
            if (scores.shape(1) != size) throw nb::value_error("one score per label and row is needed");
            for (std::int32_t r : as_span(rows)) {
              if (r < 0 || static_cast<std::size_t>(r) >= patch.place.size()) throw nb::index_error("no such row");
            }
            for (std::int64_t k = 0; k < patch.size; ++k) patch.place[static_cast<std::size_t>(patch.rows[k])] = -1;
            patch.size = static_cast<std::int64_t>(size);
            patch.rows = rows.data();
            patch.values = values.data();
            patch.scores = scores.data();
            for (std::size_t k = 0; k < size; ++k) patch.place[static_cast<std::size_t>(rows.data()[k])] = static_cast<std::int32_t>(k);
            self.patch_rows = nb::cast(rows);
            self.patch_values = nb::cast(values);
            self.patch_scores = nb::cast(scores);
          },
          nb::arg("rows").noconvert(), nb::arg("values").noconvert(), nb::arg("scores").noconvert(),
          "The rows whose scores moves keep up to date, their part of the kernel matrix, and these scores, shape (weights per row, rows).")
      .def_prop_ro("cells",
                   [](const PyRows& self) {
                     const Rows& rows = self.packed.rows;
                     return rows.offsets != nullptr ? rows.offsets[rows.n] : rows.n * rows.width;
                   },
                   "Numbers stored.")
      .def_prop_ro("first_bad", [](const PyRows& self) { return self.packed.first_bad; },
                   "First row with a NaN or infinite value, or -1.")
      .def_prop_ro("kind",
                   [](const PyRows& self) {
                     static constexpr const char* kNames[] = {"dense", "masked", "sparse", "ones", "narrow", "coded"};
                     return kNames[static_cast<int>(self.packed.rows.kind)];
                   })
      .def_prop_ro("squared_norms", [](nb::object self) { return view(nb::cast<PyRows&>(self).packed.squared_norms, self); })
      .def(
          "group_moments",
          [](const PyRows& self, std::optional<In1<std::int32_t>> members, In1<std::int64_t> offsets, In1<double> share) {
            const Rows& rows = self.packed.rows;
            const auto chosen = checked_examples(members, rows.n);
            const auto ends = as_span(offsets);
            const auto count = members ? std::ssize(chosen) : rows.n;
            if (ends.size() != share.size() + 1 || ends.front() != 0 || ends.back() != count || !std::is_sorted(ends.begin(), ends.end())) {
              throw nb::value_error("offsets must ascend from 0 to the number of rows, with one share per group");
            }
            GroupMoments sums;
            {
              nb::gil_scoped_release release;
              sums = group_moments(rows, chosen, ends, as_span(share));
            }
            return nb::make_tuple(take(std::move(sums.square)), take(std::move(sums.centre)));
          },
          nb::arg("members").noconvert().none(), nb::arg("offsets").noconvert(), nb::arg("share").noconvert(),
          "Sums over groups of share times (mean square, square of the mean) of each column.")
      .def(
          "column_moments",
          [](const PyRows& self, std::optional<In1<double>> weight) {
            ColumnMoments sums = column_moments(self.packed.rows, checked_weight(weight, self.packed.rows));
            return nb::make_tuple(take(std::move(sums.first)), take(std::move(sums.second)), take(std::move(sums.filled)));
          },
          nb::arg("weight").noconvert().none(),
          "Weighted sums of x, of x^2 and of the cells that are not zero for every column, without the constant one.")
      .def(
          "column_deviations",
          [](const PyRows& self, std::optional<In1<double>> weight, In1<double> centre) {
            const Rows& rows = self.packed.rows;
            if (static_cast<std::int64_t>(centre.size()) != rows.width) throw nb::value_error("one centre per column is needed");
            ColumnDeviations sums = column_deviations(rows, checked_weight(weight, rows), centre.data());
            return nb::make_tuple(take(std::move(sums.absolute)), take(std::move(sums.squared)));
          },
          nb::arg("weight").noconvert().none(), nb::arg("centre").noconvert(),
          "Weighted sums of |x - centre| and (x - centre)^2 over the cells of every column that are not zero.")
      .def(
          "column_products",
          [](const PyRows& self, std::optional<In1<double>> weight) {
            const double* own = checked_weight(weight, self.packed.rows);
            std::vector<double> sums;
            {
              nb::gil_scoped_release release;
              sums = column_products(self.packed.rows, own);
            }
            return take(std::move(sums));
          },
          nb::arg("weight").noconvert().none(),
          "The lower triangle of the weighted sum of x x', row by row, the constant column included.")
      .def(
          "fingerprint",
          [](const PyRows& self) {
            const Rows& rows = self.packed.rows;
            const std::int64_t cells = rows.offsets != nullptr ? rows.offsets[rows.n] : rows.n * rows.width;
            std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ static_cast<std::uint64_t>(rows.n);
            if (rows.values != nullptr) hash = mix(hash, rows.values, static_cast<std::size_t>(cells) * (rows.single ? 4 : 8));
            if (rows.codes != nullptr) {
              hash = mix(hash, rows.codes, static_cast<std::size_t>(cells));
              hash = mix(hash, rows.palette->fine, sizeof(rows.palette->fine));
            }
            if (rows.indices != nullptr) hash = mix(hash, rows.indices, static_cast<std::size_t>(cells) * 4);
            if (rows.narrow != nullptr) hash = mix(hash, rows.narrow, static_cast<std::size_t>(cells) * 2);
            if (rows.offsets != nullptr) hash = mix(hash, rows.offsets, static_cast<std::size_t>(rows.n + 1) * 8);
            return mix(hash, &rows.bias, sizeof(rows.bias));
          },
          "A number that changes when the examples do.")
      .def(
          "cells_of",
          [](const PyRows& self, In1<std::int32_t> examples) {
            const Rows& rows = self.packed.rows;
            std::vector<std::int64_t> offsets{0};
            std::vector<std::int32_t> columns;
            std::vector<double> values;
            for (std::int32_t i : as_span(examples)) {
              if (i < 0 || i >= rows.n) throw nb::index_error("no such example");
              auto keep = [&](std::int64_t column, double value) {
                if (value == 0.0) return;
                columns.push_back(static_cast<std::int32_t>(column));
                values.push_back(value);
              };
              const Row row = rows.stored(i);
              for (std::int64_t c = 0; c < row.count; ++c) keep(row.column(c), row.value(c));
              if (rows.bias != 0.0) keep(rows.width, rows.bias);
              offsets.push_back(static_cast<std::int64_t>(columns.size()));
            }
            return nb::make_tuple(take(std::move(offsets)), take(std::move(columns)), take(std::move(values)));
          },
          nb::arg("examples").noconvert(), "(offsets, columns, values) of the non-zero cells, with the constant feature.")
      .def(
          "scores",
          [](const PyRows& self, In1<double> weights, std::int64_t classes, int threads, std::optional<In1<std::int32_t>> examples) {
            const Rows& rows = self.packed.rows;
            if (classes < 1 || static_cast<std::int64_t>(weights.size()) != rows.columns() * padded(classes)) {
              throw nb::value_error("weights have the wrong length");
            }
            const auto chosen = checked_examples(examples, rows.n);
            std::vector<double> out((examples ? chosen.size() : static_cast<std::size_t>(rows.n)) * static_cast<std::size_t>(classes));
            {
              nb::gil_scoped_release release;
              multiclass_scores(rows, weights.data(), classes, chosen, out, threads);
            }
            return take(std::move(out));
          },
          nb::arg("weights").noconvert(), nb::arg("classes"), nb::arg("threads"), nb::arg("examples").noconvert().none() = nb::none(),
          "Scores of every row, or of some, and class, row-major, for padded feature-major weights.")
      .def(
          "inner_products",
          [](const PyRows& self) {
            std::vector<double> products;
            {
              nb::gil_scoped_release release;
              products = inner_products(self.packed.rows);
            }
            return take(std::move(products));
          },
          "<x_i, x_j> of all pairs of rows, row-major, the constant feature included.")
      .def(
          "products",
          [](const PyRows& self, In1<double> weights, std::optional<In1<std::int32_t>> examples, int threads) {
            const Rows& rows = self.packed.rows;
            if (static_cast<std::int64_t>(weights.size()) != rows.columns()) throw nb::value_error("weights have the wrong length");
            const auto chosen = checked_examples(examples, rows.n);
            std::vector<double> out(examples ? chosen.size() : static_cast<std::size_t>(rows.n));
            {
              nb::gil_scoped_release release;
              row_products(rows, weights.data(), chosen, out, threads);
            }
            return take(std::move(out));
          },
          nb::arg("weights").noconvert(), nb::arg("examples").noconvert().none(), nb::arg("threads"),
          "<x_i, w> of all rows, or of some; one weight per column.")
      .def(
          "combine",
          [](const PyRows& self, In1<double> coefficients, std::optional<In1<std::int32_t>> examples, int threads) {
            const Rows& rows = self.packed.rows;
            const auto chosen = checked_examples(examples, rows.n);
            if (coefficients.size() != (examples ? chosen.size() : static_cast<std::size_t>(rows.n))) {
              throw nb::value_error("one coefficient per row is needed");
            }
            std::vector<double> sum;
            {
              nb::gil_scoped_release release;
              sum = combine_rows(rows, as_span(coefficients), chosen, threads);
            }
            return take(std::move(sum));
          },
          nb::arg("coefficients").noconvert(), nb::arg("examples").noconvert().none(), nb::arg("threads"),
          "sum_i c_i x_i over all rows, or over some.");
}

void bind_class_likelihood(nb::module_& module);
void bind_kernel_products(nb::module_& module);
void bind_smooth(nb::module_& module);

void bind_rows(nb::module_& module) {
  bind_packed_rows(module);
  bind_class_likelihood(module);
  bind_kernel_products(module);
  bind_smooth(module);
}

}  // namespace maxmargin::bindings
