#include "maxmargin/text/templates.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "text/items.hpp"
#include "text/vectorise.hpp"

namespace maxmargin::bindings {
namespace {

// One column of the tokens: the number of each token's string, and the strings in order of first sight.
struct Column {
  StringTable table;
  std::vector<std::int32_t> numbers;
  nb::list strings;

  void add(PyObject* text, const Place& place) {
    const std::string_view characters = text_of(text, place);
    const std::int32_t before = table.size(), number = table.intern(characters, hash_of(characters));
    if (number == before) strings.append(nb::borrow(text));
    numbers.push_back(number);
  }
};

void read_token(PyObject* token, std::vector<Column>& columns, bool first, const Place& place) {
  if (is_text(token)) {
    if (first) columns.resize(1);
    if (columns.size() != 1) {
      place.reject("the token " + shown(token) + " has 1 column, the tokens before have " +
                     std::to_string(columns.size()) + "; give every token the same columns.");
    }
    columns[0].add(token, place);
    return;
  }
  if (!is_collection(token) || is_set(token)) {
    place.reject("with templates a token must be a string or a tuple of strings, not " + type_of(token) + ".");
  }
  const Items items(token);
  if (first) columns.resize(static_cast<std::size_t>(items.size()));
  if (static_cast<std::size_t>(items.size()) != columns.size()) {
    place.reject("the token " + shown(token) + " has " + std::to_string(items.size()) +
                   " columns, the tokens before have " + std::to_string(columns.size()) + "; give every token the same columns.");
  }
  for (std::size_t j = 0; j < columns.size(); ++j) {
    PyObject* item = items[static_cast<Py_ssize_t>(j)];
    if (!is_text(item))
      place.reject("column " + std::to_string(j) + " is " + shown(item) + ", which is not a string; give strings.");
    columns[j].add(item, place);
  }
}

// (offsets, [(numbers, strings) of each column]).
nb::tuple read_columns(nb::handle sequences) {
  std::vector<Column> columns;
  std::vector<std::int64_t> offsets{0};
  const Items items(sequences.ptr());
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    Place place{i, -1};
    if (!is_collection(items[i])) place.reject("a sequence must be a list of tokens, not " + type_of(items[i]) + ".");
    const Items tokens(items[i]);
    for (Py_ssize_t t = 0; t < tokens.size(); ++t) {
      place.token = t;
      read_token(tokens[t], columns, offsets.back() == 0 && t == 0, place);
    }
    offsets.push_back(offsets.back() + tokens.size());
  }
  nb::list found;
  for (Column& column : columns) found.append(nb::make_tuple(take(std::move(column.numbers)), column.strings));
  return nb::make_tuple(take(std::move(offsets)), found);
}

using ViewArgument = std::tuple<In1<std::int32_t>, In1<std::int32_t>, std::vector<std::string>>;
using TemplateArgument = std::tuple<std::vector<std::string>, std::vector<std::pair<std::int32_t, std::int32_t>>, bool>;

View view_of(const ViewArgument& argument, std::size_t tokens) {
  const auto& [numbers, changed, strings] = argument;
  if (numbers.size() != tokens) throw nb::value_error("a column does not have one number per token");
  View view;
  view.strings.assign(strings.begin(), strings.end());
  const auto table = as_span(changed);
  for (std::int32_t number : table) {
    if (number < -1 || number >= static_cast<std::int32_t>(strings.size())) throw nb::index_error("no such string");
  }
  view.numbers.reserve(tokens);
  for (std::int32_t number : as_span(numbers)) {
    if (number < 0 || static_cast<std::size_t>(number) >= table.size()) throw nb::index_error("no such string");
    view.numbers.push_back(table[static_cast<std::size_t>(number)]);
  }
  return view;
}

Template template_of(const TemplateArgument& argument, std::size_t views) {
  const auto& [literals, fields, marks] = argument;
  if (literals.size() != fields.size() + 1) throw nb::value_error("a template needs one literal more than fields");
  Template form{literals, {}, marks};
  for (const auto& [view, offset] : fields) {
    if (view < 0 || static_cast<std::size_t>(view) >= views) throw nb::index_error("no such view");
    form.fields.push_back({view, offset});
  }
  return form;
}

nb::tuple apply(Attributes& attributes, In1<std::int64_t> offsets, const std::vector<ViewArgument>& view_arguments,
                const std::vector<TemplateArgument>& template_arguments, bool learn) {
  const auto ends = as_span(offsets);
  if (ends.empty() || ends[0] != 0) throw nb::value_error("offsets must start at 0");
  for (std::size_t i = 1; i < ends.size(); ++i) {
    if (ends[i] < ends[i - 1]) throw nb::value_error("offsets must not descend");
  }
  std::vector<View> views;
  for (const ViewArgument& argument : view_arguments)
    views.push_back(view_of(argument, static_cast<std::size_t>(ends.back())));
  std::vector<Template> templates;
  for (const TemplateArgument& argument : template_arguments) templates.push_back(template_of(argument, views.size()));
  TokenRows rows;
  {
    nb::gil_scoped_release release;
    apply_templates(ends, views, templates, attributes, learn, rows);
  }
  return as_arrays(std::move(rows));
}

}  // namespace

void bind_templates(nb::module_& module) {
  module.def("read_columns", &read_columns, nb::arg("sequences"),
             "(offsets, [(numbers, strings)]) of sequences of strings or of tuples of strings, one pair per column.");
  module.def(
      "apply_templates", &apply, nb::arg("attributes"), nb::arg("offsets").noconvert(), nb::arg("views"),
      nb::arg("templates"), nb::arg("learn"),
      "(indptr, indices, values or None). A view is (numbers of a column, what each number becomes or -1, strings); a "
      "template (literals, [(view, offset)], whether the ends are marked).");
}

}  // namespace maxmargin::bindings
