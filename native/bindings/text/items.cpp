#include "text/items.hpp"

#include <nanobind/stl/string.h>

namespace maxmargin::bindings {

Items::Items(PyObject* source) : tuple_(PyTuple_Check(source)) {
  if (tuple_ || PyList_Check(source)) {
    items_ = nb::borrow(source);
  } else {
    items_ = nb::steal(PySequence_List(source));
    if (!items_.is_valid() || (is_set(source) && PyList_Sort(items_.ptr()) != 0)) throw nb::python_error();
  }
  size_ = tuple_ ? PyTuple_Size(items_.ptr()) : PyList_Size(items_.ptr());
}

PyObject* Items::operator[](Py_ssize_t i) const {
  PyObject* item = tuple_ ? PyTuple_GetItem(items_.ptr(), i) : PyList_GetItem(items_.ptr(), i);
  if (item == nullptr) throw nb::python_error();
  return item;
}

void Place::reject(const std::string& sentence) const {
  std::string where = "Sequence " + std::to_string(sequence);
  if (token >= 0) where += ", token " + std::to_string(token);
  throw std::invalid_argument(where + ": " + sentence);
}

bool is_set(PyObject* item) {
  return PyObject_TypeCheck(item, &PySet_Type) != 0 || PyObject_TypeCheck(item, &PyFrozenSet_Type) != 0;
}

bool is_collection(PyObject* item) {
  if (PyList_Check(item) || PyTuple_Check(item) || is_set(item)) return true;
  return !is_text(item) && !PyBytes_Check(item) && !PyDict_Check(item) && PySequence_Check(item);
}

std::string_view text_of(PyObject* text, const Place& place) {
  Py_ssize_t size = 0;
  const char* characters = PyUnicode_AsUTF8AndSize(text, &size);
  if (characters == nullptr) {
    PyErr_Clear();
    place.reject(shown(text) + " holds half of a pair of surrogates, which is no character; decode the text again.");
  }
  return {characters, static_cast<std::size_t>(size)};
}

std::string shown(PyObject* item) {
  constexpr Py_ssize_t kLongest = 60;  // characters
  nb::object all = nb::steal(PyObject_Repr(item));
  if (!all.is_valid()) throw nb::python_error();
  nb::object text = nb::steal(PyUnicode_Substring(all.ptr(), 0, kLongest));
  if (!text.is_valid()) throw nb::python_error();
  const std::string shown = nb::cast<std::string>(text);
  return PyUnicode_GetLength(all.ptr()) <= kLongest ? shown : shown + "...";
}

std::string type_of(PyObject* item) {
  return nb::cast<std::string>(nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(item))).attr("__name__"));
}

}  // namespace maxmargin::bindings
