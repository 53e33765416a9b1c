#include "maxmargin/text/vectorise.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>

#include "text/items.hpp"
#include "text/vectorise.hpp"

namespace maxmargin::bindings {
namespace {

// Reads the attributes of one token after the other into rows.
class Reader {
 public:
  Reader(Attributes& attributes, bool learn) : attributes_(attributes), learn_(learn) {}

  TokenRows rows;
  Place place;

  void read(PyObject* token) {
    if (PyDict_Check(token)) {
      read_dict(token);
    } else if (is_collection(token)) {
      read_list(Items(token));
    } else if (is_text(token)) {
      place.reject("the token " + shown(token) +
                     " is a string; give a list of its attributes, or pass templates= that make attributes of it.");
    } else {
      place.reject("a token must be a list of strings or a dict, not " + type_of(token) + ".");
    }
    rows.close();
  }

 private:
  struct Pending {
    std::string_view text;
    std::uint64_t hash;
  };

  // Two rounds, so that the table is in the cache when it is asked.
  void read_list(const Items& items) {
    pending_.clear();
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
      PyObject* item = items[i];
      if (!is_text(item)) {
        place.reject("the attribute " + shown(item) +
                       " is not a string; give strings, or a dict of names and numbers.");
      }
      const std::string_view text = text_of(item, place);
      const Pending& next = pending_.emplace_back(Pending{text, hash_of(text)});
      attributes_.prefetch(next.hash);
    }
    for (const Pending& next : pending_) {
      const std::int32_t column = attributes_.column(next.text, next.hash, learn_);
      if (column != StringTable::kAbsent) rows.add(column);
    }
  }

  void read_dict(PyObject* token) {
    PyObject *name = nullptr, *value = nullptr;
    for (Py_ssize_t position = 0; PyDict_Next(token, &position, &name, &value);) {
      if (!is_text(name)) place.reject("the name " + shown(name) + " is not a string; give each attribute a name.");
      const std::string_view text = text_of(name, place);
      if (is_text(value)) {
        add_pair(text, value);
      } else if (is_collection(value)) {
        const Items items(value);
        for (Py_ssize_t i = 0; i < items.size(); ++i) {
          if (!is_text(items[i])) {
            place.reject("the attribute " + shown(name) + " holds " + shown(items[i]) +
                           ", which is not a string; give strings.");
          }
          add_pair(text, items[i]);
        }
      } else {
        add(text, number(name, value));
      }
    }
  }

  double number(PyObject* name, PyObject* value) {
    const double result = PyFloat_AsDouble(value);
    if (result == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      place.reject("the attribute " + shown(name) + " has a value of type " + type_of(value) +
                     "; give a number, a string or a list of strings.");
    }
    if (!std::isfinite(result)) {
      place.reject("the attribute " + shown(name) + " is " + shown(value) +
                     "; replace it by a finite number or leave it out.");
    }
    return result;
  }

  void add(std::string_view text, double value) {
    if (value == 0.0) return;
    const std::int32_t column = attributes_.column(text, learn_);
    if (column != StringTable::kAbsent) rows.add(column, value);
  }

  void add_pair(std::string_view name, PyObject* value) {
    joined_ = name;
    joined_ += '=';
    joined_ += text_of(value, place);
    add(joined_, 1.0);
  }

  Attributes& attributes_;
  bool learn_;
  std::vector<Pending> pending_;
  std::string joined_;
};

nb::tuple read(Attributes& attributes, nb::handle sequences, bool learn) {
  Reader reader(attributes, learn);
  std::vector<std::int64_t> offsets{0};
  const Items items(sequences.ptr());
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    reader.place = {i, -1};
    if (!is_collection(items[i]))
      reader.place.reject("a sequence must be a list of tokens, not " + type_of(items[i]) + ".");
    const Items tokens(items[i]);
    for (Py_ssize_t t = 0; t < tokens.size(); ++t) {
      reader.place.token = t;
      reader.read(tokens[t]);
    }
    offsets.push_back(static_cast<std::int64_t>(reader.rows.offsets.size()) - 1);
  }
  return nb::make_tuple(take(std::move(offsets)), as_arrays(std::move(reader.rows)));
}

}  // namespace

nb::tuple as_arrays(TokenRows&& rows) {
  if (rows.columns.capacity() > rows.columns.size() + rows.columns.size() / 4) {  // they stay as long as the data
    rows.columns.shrink_to_fit();
    rows.values.shrink_to_fit();
  }
  nb::object values = rows.ones ? nb::none() : nb::cast(take(std::move(rows.values)));
  return nb::make_tuple(take(std::move(rows.offsets)), take(std::move(rows.columns)), values);
}

static void bind_vectorise(nb::module_& module) {
  nb::class_<Attributes>(module, "Attributes",
                         "Columns of attributes: a dictionary in order of first sight, or hashes.")
      .def(nb::init<std::int64_t>(), nb::arg("hashed") = 0,
           "`hashed`: number of columns, a power of two; 0 for a dictionary.")
      .def("__len__", &Attributes::columns)
      .def("read", &read, nb::arg("sequences"), nb::arg("learn"),
           "(offsets, (indptr, indices, values or None)) of a list of lists of tokens.")
      .def(
          "names",
          [](const Attributes& self) {
            nb::list names;
            for (std::int32_t i = 0; i < self.strings.size(); ++i) {
              names.append(nb::str(self.strings[i].data(), self.strings[i].size()));
            }
            return names;
          },
          "The attributes in the order of their columns.")
      .def(
          "name",
          [](const Attributes& self, std::int64_t column) {
            if (column < 0 || column >= self.strings.size()) throw nb::index_error("no such column, or it has no name");
            const std::string_view name = self.strings[static_cast<std::int32_t>(column)];
            return nb::str(name.data(), name.size());
          },
          nb::arg("column"), "The attribute of one column.")
      .def(
          "keep",
          [](Attributes& self, In1<std::uint8_t> flags) {
            self.strings.keep(as_span(flags));
            self.strings.shrink();
          },
          nb::arg("flags").noconvert(),
          "Drops the attributes whose flag is 0 and numbers the others again, in the same order.")
      .def(
          "shrink", [](Attributes& self) { self.strings.shrink(); }, "Returns memory kept for growth.")
      .def("__getstate__",
           [](const Attributes& self) {
             const auto& characters = self.strings.characters();
             return nb::make_tuple(self.is_hashed() ? self.columns() : 0,
                                   nb::bytes(characters.data(), characters.size()),
                                   take(std::vector<std::int64_t>(self.strings.ends())));
           })
      .def("__setstate__", [](Attributes& self, const std::tuple<std::int64_t, nb::bytes, In1<std::int64_t>>& state) {
        const auto& [hashed, characters, ends] = state;
        const auto all = as_span(ends);
        new (&self) Attributes(hashed);
        self.strings =
            StringTable({characters.c_str(), characters.c_str() + characters.size()}, {all.begin(), all.end()});
      });
}

void bind_templates(nb::module_& module);
void bind_svmhmm(nb::module_& module);

void bind_text(nb::module_& module) {
  bind_vectorise(module);
  bind_templates(module);
  bind_svmhmm(module);
}

}  // namespace maxmargin::bindings
