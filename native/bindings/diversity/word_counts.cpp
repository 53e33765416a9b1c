#include "maxmargin/diversity/word_counts.hpp"

#include <nanobind/stl/string_view.h>

#include "arrays.hpp"

namespace maxmargin::bindings {

void bind_word_counts(nb::module_& module) {
  module.def(
      "count_words",
      [](nb::list texts) {
        WordCounter counter;
        for (nb::handle text : texts) {
          if (nb::isinstance<nb::str>(text)) {
            counter.split(nb::cast<std::string_view>(text));
          } else {
            for (nb::handle word : nb::cast<nb::list>(text)) counter.add(nb::cast<std::string_view>(word));
          }
          counter.end_text();
        }
        CountedWords counted = counter.counted();
        nb::list words;
        for (const std::string_view word : counted.words) words.append(nb::str(word.data(), word.size()));
        return nb::make_tuple(take(std::move(counted.counts)), take(std::move(counted.columns)), take(std::move(counted.ends)), words);
      },
      nb::arg("texts"),
      nb::sig("def count_words(texts: list[str | list[str]]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], list[str]]"),
      "(counts, columns, ends of rows, words) of ASCII texts, which are split into words, and of lists of words; see diversity/word_counts.hpp.");
}

}  // namespace maxmargin::bindings
