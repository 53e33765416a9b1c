// Which symbols can begin at each place of a sentence, given what is to the left of it and its word.
//
// A symbol is in a tree only where it begins the sentence, begins another symbol that is in it, or follows a left sibling with a value that ends
// there, under a parent that can begin where this sibling does (the predictions of Earley's algorithm). Charts are filled by end, so that all that
// ends at a place is known before the first span that starts there.
#pragma once

#include <cstdint>
#include <vector>

#include "maxmargin/grammars/split_rows.hpp"

namespace maxmargin::grammars {

class Beginnings {  // keeps its memory from one sentence to the next
 public:
  // `anywhere`: all symbols at all places.
  void shape(const Rules& rules, std::int32_t n, bool anywhere);
  void begin(std::int32_t place, std::uint64_t tags, const SplitRows& rows);  // of the word there, when all that ends there is in the rows

  // By symbol: all bits where it can begin there, else 0.
  const std::uint8_t* symbols(std::int32_t place) const { return symbols_.data() + static_cast<std::int64_t>(place) * rules_->symbols(); }
  // By list of pairs, a bit for each of them: whether one of its parents can begin there.
  const std::uint64_t* pairs(std::int32_t place) const { return pairs_.data() + static_cast<std::int64_t>(place) * rules_->lists(); }

 private:
  const Rules* rules_ = nullptr;
  bool anywhere_ = false;
  std::vector<std::uint8_t> symbols_;
  std::vector<std::uint64_t> pairs_, ended_, allowed_;
  std::vector<Symbol> open_;
};

}  // namespace maxmargin::grammars
