#include "maxmargin/grammars/limits.hpp"

#include <algorithm>

namespace maxmargin::grammars {

std::int64_t SpanLimits::begin(std::int64_t span) {
  std::int64_t& row = row_[static_cast<std::size_t>(span)];
  if (row < 0) {
    row = rows_++;
    low_.resize(static_cast<std::size_t>(rows_ * symbols_), 1);
    plain_.resize(static_cast<std::size_t>(rows_ * symbols_), 1);
    chain_.resize(static_cast<std::size_t>(rows_ * chains_), 1);
  }
  return row;
}

void SpanLimits::set(const Rules& rules, std::int32_t n, std::span<const BracketLimit> limits) {
  symbols_ = rules.symbols(), chains_ = std::ssize(rules.chains()), rows_ = 0;
  row_.assign(static_cast<std::size_t>(span_count(n)), -1);
  low_.clear(), plain_.clear(), chain_.clear();
  for (const BracketLimit& limit : limits) {
    const std::int64_t own = begin(span_number(limit.start, limit.end));
    const bool wide = limit.end > limit.start + 1;
    const auto made = [&](Symbol symbol) { return wide && rules.symbol_bracket(symbol) == limit.label; };
    for (Symbol symbol = 0; symbol < symbols_; ++symbol) {
      const auto place = static_cast<std::size_t>(own * symbols_ + symbol);
      if (limit.required && !made(symbol)) plain_[place] = 0;
      if (!limit.required && made(symbol)) low_[place] = 0;
    }
    for (std::int32_t c = 0; c < chains_; ++c) {
      const Chain& chain = rules.chains()[static_cast<std::size_t>(c)];
      const bool has = std::ranges::any_of(rules.rules_of(chain), [&](Rule rule) { return rules.bracket(rule) == limit.label; });
      if (limit.required ? !has && !made(chain.bottom) : has) chain_[static_cast<std::size_t>(own * chains_ + c)] = 0;
    }
    if (!limit.required) continue;
    for (std::int32_t j = 2; j <= n; ++j) {
      for (std::int32_t i = 0; i + 1 < j; ++i) {
        const bool crosses = (i < limit.start && limit.start < j && j < limit.end) || (limit.start < i && i < limit.end && limit.end < j);
        if (!crosses) continue;
        const std::int64_t row = begin(span_number(i, j));  // may move what low_ has
        std::fill_n(low_.begin() + row * symbols_, symbols_, std::uint8_t{0});
      }
    }
  }
}

}  // namespace maxmargin::grammars
