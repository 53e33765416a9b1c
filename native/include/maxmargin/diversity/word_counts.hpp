// Counts of the words of texts as scikit-learn's CountVectorizer() takes them, of one small set of texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/text/strings.hpp"

namespace maxmargin {

// Texts by words, a row's columns ascending; columns are the words in the order of their bytes, which is that of their code points.
struct CountedWords {
  std::vector<std::int64_t> ends{0}, counts;
  std::vector<std::int32_t> columns;
  std::vector<std::string_view> words;  // of the columns; they live in the counter
};

class WordCounter {
 public:
  // Adds the words of an ASCII text, in lower case: two or more letters, digits or underscores in a row.
  void split(std::string_view text);
  void add(std::string_view word);
  void end_text() { ends_.push_back(static_cast<std::int64_t>(found_.size())); }

  CountedWords counted() const;

 private:
  std::vector<std::int32_t> in_order() const;  // numbers of the words

  StringTable table_;
  std::string lower_;
  std::vector<std::int32_t> found_;  // numbers of words, text after text
  std::vector<std::int64_t> ends_;
};

}  // namespace maxmargin
