// Brackets that the trees of a sentence must have or must not have, as what a chart may do over each span.
//
// A required bracket leaves nothing over spans that cross it, and over its own span only what makes it: a binary rule of its label, or a chain with
// such a rule. A forbidden one takes just these away.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/grammars/rules.hpp"

namespace maxmargin::grammars {

struct BracketLimit {
  std::int32_t label, start, end;
  bool required;
};

class SpanLimits {  // of one sentence after the other; keeps its memory
 public:
  void set(const Rules& rules, std::int32_t n, std::span<const BracketLimit> limits);

  // Whether a binary rule or a word may make a symbol over a span, whether that may do without a chain, and which chains may be there.
  bool low(std::int64_t span, Symbol symbol) const { return row_[static_cast<std::size_t>(span)] < 0 || low_[at(span, symbols_, symbol)] != 0; }
  bool plain(std::int64_t span, Symbol symbol) const { return row_[static_cast<std::size_t>(span)] < 0 || plain_[at(span, symbols_, symbol)] != 0; }
  bool chain(std::int64_t span, std::int32_t chain) const { return row_[static_cast<std::size_t>(span)] < 0 || chain_[at(span, chains_, chain)] != 0; }
  bool any(std::int64_t span) const { return row_[static_cast<std::size_t>(span)] >= 0; }

 private:
  std::size_t at(std::int64_t span, std::int64_t width, std::int32_t number) const {
    return static_cast<std::size_t>(row_[static_cast<std::size_t>(span)] * width + number);
  }
  std::int64_t begin(std::int64_t span);

  std::int64_t symbols_ = 0, chains_ = 0, rows_ = 0;
  std::vector<std::int64_t> row_;  // by span, negative where there is no limit
  std::vector<std::uint8_t> low_, plain_, chain_;
};

}  // namespace maxmargin::grammars
