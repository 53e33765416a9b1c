#include "maxmargin/rows/kernel_products.hpp"

#include "arrays.hpp"

namespace maxmargin::bindings {
namespace {

constexpr std::size_t kMostDepth = 1u << 20;

void make(KernelProducts* self, In2<float> left, In2<float> right, int power) {
  const std::size_t depth = left.shape(1);
  if (depth == 0 || depth > kMostDepth || right.shape(1) != depth) throw nb::value_error("rows and columns need the same number of products");
  if (power < 0) throw nb::value_error("a power is not negative");
  nb::gil_scoped_release release;
  new (self) KernelProducts({left.data(), left.size()}, {right.data(), right.size()}, static_cast<std::int64_t>(depth), power);
}

void add(const KernelProducts& self, In1<std::int32_t> rows, In2<double> coefficients, InOut2<double> into) {
  if (coefficients.shape(0) != rows.size() || coefficients.shape(1) != into.shape(1)) throw nb::value_error("one coefficient per row and label is needed");
  if (static_cast<std::int64_t>(into.shape(0)) != self.columns()) throw nb::value_error("one row of sums per column of the matrix is needed");
  for (std::int32_t r : as_span(rows)) {
    if (r < 0 || r >= self.rows()) throw nb::index_error("no such row");
  }
  nb::gil_scoped_release release;
  self.add(as_span(rows), coefficients.data(), static_cast<std::int64_t>(into.shape(1)), into.data());
}

void features(In2<float> left, In2<float> right, int power, In2<float> factor, bool upper, InOut2<float> out) {
  const std::size_t depth = left.shape(1);
  if (depth == 0 || depth > kMostDepth || right.shape(1) != depth) throw nb::value_error("rows and columns need the same number of products");
  if (power < 0) throw nb::value_error("a power is not negative");
  if (factor.shape(0) != right.shape(0)) throw nb::value_error("a factor has one row per column of the matrix");
  if (out.shape(0) != left.shape(0) || out.shape(1) != factor.shape(1)) throw nb::value_error("one row of features per row of the matrix is needed");
  nb::gil_scoped_release release;
  const KernelColumns columns({right.data(), right.size()}, static_cast<std::int64_t>(depth), power);
  kernel_features({left.data(), left.size()}, columns, factor.data(), static_cast<std::int64_t>(factor.shape(1)), upper, out.data());
}

}  // namespace

void bind_kernel_products(nb::module_& module) {
  nb::class_<KernelProducts>(module, "KernelProducts", "A kernel matrix in float32 whose values are computed when they are needed (rows/kernel_products.hpp).")
      .def("__init__", &make, nb::arg("left").noconvert(), nb::arg("right").noconvert(), nb::arg("power"))
      .def("add", &add, nb::arg("rows").noconvert(), nb::arg("coefficients").noconvert(), nb::arg("into").noconvert(),
           "into += K[rows].T @ coefficients");
  module.def("kernel_features", &features, nb::arg("left").noconvert(), nb::arg("right").noconvert(), nb::arg("power"), nb::arg("factor").noconvert(),
             nb::arg("upper"), nb::arg("out").noconvert(),
             "out = K @ factor for the matrix of KernelProducts(left, right, power); `upper`: the factor is an upper triangle.");
}

}  // namespace maxmargin::bindings
