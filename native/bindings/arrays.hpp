// Array arguments and results of the bindings. Arguments are never converted: a wrong dtype or layout is an error.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace maxmargin::bindings {

namespace nb = nanobind;

template <class T>
using In1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut1 = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> as_span(const In1<T>& array) {
  return {array.data(), array.size()};
}

inline const double* optional_data(const std::optional<In1<double>>& array) { return array ? array->data() : nullptr; }

// A NumPy array that owns the vector's memory.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> take(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {kept->data(), {kept->size()}, owner};
}

// A NumPy view of memory that belongs to `owner`.
template <class T, class Allocator>
nb::ndarray<nb::numpy, T, nb::ndim<1>> view(std::vector<T, Allocator>& values, nb::handle owner) {
  return {values.data(), {values.size()}, owner};
}

// A NumPy view of shared memory, which lives on with it.
template <class T, class Allocator>
nb::ndarray<nb::numpy, T, nb::ndim<1>> view(const std::shared_ptr<std::vector<T, Allocator>>& values) {
  using Pointer = std::shared_ptr<std::vector<T, Allocator>>;
  auto* kept = new Pointer(values);
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Pointer*>(p); });
  return {values->data(), {values->size()}, owner};
}

}  // namespace maxmargin::bindings
