#include "maxmargin/grammars/rules.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace maxmargin::grammars {
namespace {

void refuse(const std::string& message) { throw std::invalid_argument(message); }

// By how many entries each key has, where those of each begin.
std::vector<std::int32_t> begins(std::vector<std::int32_t> counts) {
  counts.push_back(0);
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), 0);
  return counts;
}

}  // namespace

Rules::Rules(const RuleArrays& given)
    : symbols_(given.symbols),
      start_(given.start),
      binary_(static_cast<std::int32_t>(given.binary.size() / 3)),
      unary_(static_cast<std::int32_t>(given.unary.size() / 2)),
      lexical_(given.lexical),
      chain_rules_(given.chain_rules.begin(), given.chain_rules.end()),
      first_word_(given.word_first.begin(), given.word_first.end()),
      bracket_(given.bracket.begin(), given.bracket.end()) {
  check(given);
  sort_binary(given);
  sort_chains(given);
  for (std::size_t w = 0; w < given.word_symbols.size(); ++w) words_.push_back({given.word_symbols[w], given.word_rules[w]});
}

void Rules::check(const RuleArrays& given) const {
  const auto known = [&](Symbol symbol) { return symbol >= 0 && symbol < symbols_; };
  const auto offsets = [](std::span<const std::int32_t> first, std::size_t last) {
    return !first.empty() && first.front() == 0 && first.back() == static_cast<std::int32_t>(last) && std::ranges::is_sorted(first);
  };
  if (symbols_ < 1 || !known(start_)) refuse("the start symbol is not among the symbols");
  if (!std::ranges::all_of(given.binary, known) || !std::ranges::all_of(given.unary, known)) refuse("a rule names a symbol that is not there");
  if (!offsets(given.word_first, given.word_symbols.size()) || given.word_symbols.size() != given.word_rules.size()) refuse("words do not fit");
  if (!std::ranges::all_of(given.word_symbols, known)) refuse("a word names a symbol that is not there");
  const auto lexical = [&](Rule rule) { return rule == kNone || (rule >= binary_ + unary_ && rule < rules()); };
  if (lexical_ < 0 || !std::ranges::all_of(given.word_rules, lexical)) refuse("a word names a rule that is not lexical");
  if (bracket_.size() != static_cast<std::size_t>(rules())) refuse("one bracket per rule is needed");
  if (!offsets(given.chain_first, given.chain_rules.size())) refuse("chains do not fit");
  const auto symbol = [&](std::int32_t at, int which) {
    return given.unary[2 * static_cast<std::size_t>(given.chain_rules[static_cast<std::size_t>(at)] - binary_) + static_cast<std::size_t>(which)];
  };
  for (std::size_t c = 0; c + 1 < given.chain_first.size(); ++c) {
    const std::int32_t first = given.chain_first[c], last = given.chain_first[c + 1];
    if (first >= last) refuse("a chain has no rules");
    for (std::int32_t at = first; at < last; ++at) {
      const Rule rule = given.chain_rules[static_cast<std::size_t>(at)];
      if (rule < binary_ || rule >= binary_ + unary_) refuse("a chain names a rule that is not unary");
      if (at > first && symbol(at - 1, 1) != symbol(at, 0)) refuse("the rules of a chain do not follow each other");
    }
  }
}

void Rules::sort_binary(const RuleArrays& given) {
  rule_at_.resize(static_cast<std::size_t>(binary_));
  std::iota(rule_at_.begin(), rule_at_.end(), 0);
  const auto key = [&](Rule rule) { return given.binary.subspan(3 * static_cast<std::size_t>(rule), 3); };
  std::ranges::sort(rule_at_, [&](Rule a, Rule b) {
    const auto one = key(a), other = key(b);
    if (std::ranges::equal(one, other)) return a < b;
    return std::ranges::lexicographical_compare(one, other);
  });
  left_role_.assign(static_cast<std::size_t>(symbols_), kNone);
  right_role_.assign(static_cast<std::size_t>(symbols_), kNone);
  symbol_bracket_.assign(static_cast<std::size_t>(symbols_), kNone);
  std::vector<std::int32_t> counts(static_cast<std::size_t>(symbols_), 0);
  const auto numbered = [](std::int32_t& role, std::int32_t& used) { return role == kNone ? role = used++ : role; };
  for (std::int32_t position = 0; position < binary_; ++position) {
    const Rule rule = rule_at(position);
    const auto own = key(rule);
    const bool first_of_parent = counts[static_cast<std::size_t>(own[0])]++ == 0;
    if (first_of_parent) {
      split_.parent.push_back(own[0]);
      split_.first_group.push_back(static_cast<std::int32_t>(split_.left.size()));
      symbol_bracket_[static_cast<std::size_t>(own[0])] = bracket(rule);
    } else if (symbol_bracket(own[0]) != bracket(rule)) {
      refuse("binary rules with one parent make different brackets");
    }
    const std::int32_t left = numbered(left_role_[static_cast<std::size_t>(own[1])], left_roles_);
    if (first_of_parent || split_.left.back() != left) {
      split_.left.push_back(left);
      split_.first_rule.push_back(position);
    }
    split_.right.push_back(numbered(right_role_[static_cast<std::size_t>(own[2])], right_roles_));
    left_.push_back(own[1]);
    right_.push_back(own[2]);
  }
  split_.first_group.push_back(static_cast<std::int32_t>(split_.left.size()));
  split_.first_rule.push_back(binary_);
  first_position_ = begins(std::move(counts));
}

void Rules::sort_chains(const RuleArrays& given) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(symbols_), 0);
  const auto symbol = [&](std::int32_t at, std::int32_t which) { return given.unary[static_cast<std::size_t>(2 * (chain_rules_[static_cast<std::size_t>(at)] - binary_) + which)]; };
  for (std::size_t c = 0; c + 1 < given.chain_first.size(); ++c) {
    const std::int32_t first = given.chain_first[c], last = given.chain_first[c + 1];
    chains_.push_back({symbol(first, 0), symbol(last - 1, 1), first, last});
    ++counts[static_cast<std::size_t>(chains_.back().top)];
  }
  std::ranges::stable_sort(chains_, {}, &Chain::top);
  first_chain_ = begins(std::move(counts));
}

}  // namespace maxmargin::grammars
