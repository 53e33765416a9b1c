// Nested Python lists of strings, read where they are.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "arrays.hpp"

namespace maxmargin::bindings {

// The items of a list or a tuple; of any other iterable through a list made of it, sorted if it is a set, whose own
// order changes from run to run.
class Items {
 public:
  explicit Items(PyObject* source);
  Py_ssize_t size() const { return size_; }
  PyObject* operator[](Py_ssize_t i) const;  // borrowed

 private:
  nb::object items_;
  bool tuple_;
  Py_ssize_t size_;
};

// Where a complaint is about.
struct Place {
  Py_ssize_t sequence = 0, token = -1;

  [[noreturn]] void reject(const std::string& sentence) const;
};

inline bool is_text(PyObject* item) { return PyUnicode_Check(item) != 0; }
bool is_set(PyObject* item);

// A list, a tuple, a set or an array: something whose items are meant.
bool is_collection(PyObject* item);

// The UTF-8 form, which lives as long as the string; a complaint if it has none.
std::string_view text_of(PyObject* text, const Place& place);

// repr(item), cut to a readable length.
std::string shown(PyObject* item);

std::string type_of(PyObject* item);

}  // namespace maxmargin::bindings
