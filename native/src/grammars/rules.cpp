#include "maxmargin/grammars/rules.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

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
  list_columns();
  symbols_of_.assign(given.binary.begin(), given.binary.end());
  for (std::size_t u = 0; u < given.unary.size(); u += 2) symbols_of_.insert(symbols_of_.end(), {given.unary[u], given.unary[u + 1], kNone});
  symbols_of_.resize(3 * static_cast<std::size_t>(rules()), kNone);
  for (std::size_t w = 0; w < given.word_symbols.size(); ++w) {
    words_.push_back({given.word_symbols[w], given.word_rules[w]});
    if (given.word_rules[w] != kNone) symbols_of_[3 * static_cast<std::size_t>(given.word_rules[w])] = given.word_symbols[w];
  }
  find_first_tags();
  list_corners();
  find_kinds();
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
  const auto key = [&](Rule rule) { return given.binary.subspan(3 * static_cast<std::size_t>(rule), 3); };
  left_role_.assign(static_cast<std::size_t>(symbols_), kNone);
  right_role_ = left_role_;
  symbol_bracket_.assign(static_cast<std::size_t>(symbols_), kNone);
  for (Rule rule = 0; rule < binary_; ++rule) {
    left_role_[static_cast<std::size_t>(key(rule)[1])] = 0;
    right_role_[static_cast<std::size_t>(key(rule)[2])] = 0;
    rule_at_.push_back(rule);
  }
  for (std::int32_t& role : left_role_) role = role == kNone ? kNone : left_roles_++;
  for (std::int32_t& role : right_role_) role = role == kNone ? kNone : right_roles_++;
  std::ranges::stable_sort(rule_at_, [&](Rule a, Rule b) {
    const auto one = key(a), other = key(b);
    if (one[1] != other[1]) return one[1] < other[1];
    return one[2] != other[2] ? one[2] < other[2] : one[0] < other[0];
  });
  std::vector<std::int32_t> by_parent(static_cast<std::size_t>(symbols_), 0);
  for (const Rule rule : rule_at_) {
    const auto own = key(rule);
    left_.push_back(own[1]);
    right_.push_back(own[2]);
    if (left_.size() == 1 || left_.end()[-2] != own[1] || right_.end()[-2] != own[2] || std::ssize(split_.parent) - split_.first_rule.back() == kRulesPerPair) {
      split_.first_rule.push_back(static_cast<std::int32_t>(split_.parent.size()));
      const bool fresh = left_.size() == 1 || left_.end()[-2] != own[1];
      const auto pair = std::ssize(right_symbols_);
      if (fresh) first_list_.push_back(static_cast<std::int32_t>(split_.first_pair.size()));
      if (fresh || pair - split_.first_pair.back() == kPairsPerList) split_.first_pair.push_back(static_cast<std::int32_t>(pair));
      right_symbols_.push_back(own[2]);
    }
    split_.parent.push_back(own[0]);
    std::int32_t& bracket_of = symbol_bracket_[static_cast<std::size_t>(own[0])];
    if (by_parent[static_cast<std::size_t>(own[0])]++ == 0) {
      bracket_of = bracket(rule);
    } else if (bracket_of != bracket(rule)) {
      refuse("binary rules with one parent make different brackets");
    }
  }
  split_.first_rule.push_back(binary_);
  split_.parent.resize(split_.parent.size() + kReadAhead, 0);
  first_list_.push_back(static_cast<std::int32_t>(split_.first_pair.size()));
  split_.first_pair.push_back(static_cast<std::int32_t>(right_symbols_.size()));
  std::vector<std::int32_t> by_right(static_cast<std::size_t>(right_roles_), 0);
  for (const Symbol right : right_symbols_) ++by_right[static_cast<std::size_t>(right_role(right))];
  first_right_pair_ = begins(std::move(by_right));
  for (Symbol symbol = 0; symbol < symbols_; ++symbol) {
    if (by_parent[static_cast<std::size_t>(symbol)] > 0) parents_.push_back(symbol);
  }
  first_of_parent_ = begins(std::move(by_parent));
  of_parent_.resize(static_cast<std::size_t>(binary_));
  std::vector<std::int32_t> next(first_of_parent_.begin(), first_of_parent_.end() - 1);
  for (std::int32_t position = 0; position < binary_; ++position) {
    of_parent_[static_cast<std::size_t>(next[static_cast<std::size_t>(split_.parent[static_cast<std::size_t>(position)])]++)] = position;
  }
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
  counts.assign(static_cast<std::size_t>(symbols_), 0);
  for (const Chain& chain : chains_) ++counts[static_cast<std::size_t>(chain.bottom)];
  first_above_ = begins(std::move(counts));
  above_.resize(chains_.size());
  std::vector<std::int32_t> next(first_above_.begin(), first_above_.end() - 1);
  for (std::size_t c = 0; c < chains_.size(); ++c) above_[static_cast<std::size_t>(next[static_cast<std::size_t>(chains_[c].bottom)]++)] = {static_cast<std::int32_t>(c), chains_[c].top};
}

void Rules::list_columns() {
  const std::int32_t labels = bracket_.empty() ? 0 : std::max(0, *std::ranges::max_element(bracket_) + 1);
  for (std::int32_t label = 0; label < labels; ++label) column_labels_.push_back(label);
  std::vector<std::vector<std::int32_t>> columns(static_cast<std::size_t>(labels));  // of each label, in the order of its brackets over a span
  for (std::int32_t label = 0; label < labels; ++label) columns[static_cast<std::size_t>(label)].push_back(label);
  std::vector<std::size_t> there(static_cast<std::size_t>(labels), 0);
  for (const bool one_word : {false, true}) {
    std::vector<std::int32_t>& all = chain_columns_[one_word ? 1 : 0];
    all.assign(chain_rules_.size(), kNone);
    for (const Chain& chain : chains_) {
      const std::int32_t bottom = one_word ? kNone : symbol_bracket(chain.bottom);
      for (const Rule rule : rules_of(chain)) {
        if (bracket(rule) >= 0) there[static_cast<std::size_t>(bracket(rule))] = bracket(rule) == bottom ? 1 : 0;
      }
      for (std::int32_t at = chain.last - 1; at >= chain.first; --at) {
        const std::int32_t label = bracket(chain_rules_[static_cast<std::size_t>(at)]);
        if (label < 0) continue;
        std::vector<std::int32_t>& own = columns[static_cast<std::size_t>(label)];
        const std::size_t copy = there[static_cast<std::size_t>(label)]++;
        if (copy == own.size()) {
          own.push_back(static_cast<std::int32_t>(column_labels_.size()));
          column_labels_.push_back(label);
        }
        all[static_cast<std::size_t>(at)] = own[copy];
      }
    }
  }
}

void Rules::list_corners() {
  std::vector<std::vector<Corner>> own(static_cast<std::size_t>(symbols_));
  for (std::int32_t list = 0; list < lists(); ++list) {
    const std::int32_t first = split_.first_pair[static_cast<std::size_t>(list)];
    for (std::int32_t pair = first; pair < split_.first_pair[static_cast<std::size_t>(list) + 1]; ++pair) {
      for (std::int32_t p = split_.first_rule[static_cast<std::size_t>(pair)]; p < split_.first_rule[static_cast<std::size_t>(pair) + 1]; ++p) {
        std::vector<Corner>& of = own[static_cast<std::size_t>(split_.parent[static_cast<std::size_t>(p)])];
        if (of.empty() || of.back().list != list) of.push_back({left(p), list, 0});
        of.back().pairs |= std::uint64_t{1} << (pair - first);
      }
    }
  }
  for (const Chain& chain : chains_) own[static_cast<std::size_t>(chain.top)].push_back({chain.bottom, 0, 0});
  const auto over_tags = [&](auto&& visit) {  // of all corners, by symbol
    for (std::size_t symbol = 0; symbol < own.size(); ++symbol) {
      for (const Corner& corner : own[symbol]) {
        for (std::uint64_t rest = first_tags_[static_cast<std::size_t>(corner.symbol)]; rest != 0; rest &= rest - 1) visit(static_cast<std::size_t>(std::countr_zero(rest)) * own.size() + symbol, corner);
      }
    }
  };
  std::vector<std::int32_t> counts(64 * own.size(), 0);
  over_tags([&](std::size_t at, const Corner&) { ++counts[at]; });
  first_corner_ = begins(std::move(counts));
  corners_.resize(static_cast<std::size_t>(first_corner_.back()));
  std::vector<std::int32_t> next = first_corner_;
  over_tags([&](std::size_t at, const Corner& corner) { corners_[static_cast<std::size_t>(next[at]++)] = corner; });
}

void Rules::find_first_tags() {
  first_tags_.assign(static_cast<std::size_t>(symbols_), 0);
  const auto at = [](auto& of, Symbol symbol) -> auto& { return of[static_cast<std::size_t>(symbol)]; };
  const auto first = [&](Symbol symbol) -> std::uint64_t& { return at(first_tags_, symbol); };
  int tags = 0;
  for (const Word& word : words_) {
    if (first(word.symbol) == 0) first(word.symbol) = std::uint64_t{2} << tags++ % 63;
  }
  for (std::int32_t terminal = 0; terminal < terminals(); ++terminal) {
    tags_.push_back(0);
    for (const Word& word : words(terminal)) tags_.back() |= first(word.symbol);
  }
  bool changed = true;
  const auto add = [&](std::uint64_t& into, std::uint64_t more) {
    changed = changed || (more & ~into) != 0;
    into |= more;
  };
  while (std::exchange(changed, false)) {
    for (const Chain& chain : chains_) add(first(chain.top), first(chain.bottom));
    for (std::int32_t p = 0; p < binary_; ++p) add(first(at(split_.parent, p)), first(left(p)));
  }
  right_begins_.assign(64 * static_cast<std::size_t>(lists()), 0);
  for (std::int32_t list = 0; list < lists(); ++list) {
    const std::span<const Symbol> right = right_symbols(list);
    for (std::size_t pair = 0; pair < right.size(); ++pair) {
      for (std::size_t tag = 0; tag < 64; ++tag) right_begins_[tag * static_cast<std::size_t>(lists()) + static_cast<std::size_t>(list)] |= (first(right[pair]) >> tag & 1) << pair;
    }
  }
}

void Rules::find_kinds() {
  std::vector<std::uint64_t> after(static_cast<std::size_t>(symbols_), 0);  // the tags of the words that can stand after a symbol
  after[static_cast<std::size_t>(start_)] = kOutside;
  bool changed = true;
  const auto add = [&](Symbol symbol, std::uint64_t more) {
    std::uint64_t& into = after[static_cast<std::size_t>(symbol)];
    changed = changed || (more & ~into) != 0;
    into |= more;
  };
  while (std::exchange(changed, false)) {
    for (const Chain& chain : chains_) add(chain.bottom, after[static_cast<std::size_t>(chain.top)]);
    for (std::int32_t p = 0; p < binary_; ++p) {
      const std::uint64_t parent = after[static_cast<std::size_t>(split_.parent[static_cast<std::size_t>(p)])];
      if (parent == 0) continue;
      add(left(p), first_tags_[static_cast<std::size_t>(right(p))]);
      add(right(p), parent);
    }
  }
  kinds_.assign(65 * static_cast<std::size_t>(symbols_), 0);
  for (Symbol symbol = 0; symbol < symbols_; ++symbol) {
    const bool top = first_chain(symbol) < first_chain(symbol + 1), bottom = !chains_above(symbol).empty();
    const bool inner = !bottom && !top && symbol != start_ && left_role(symbol) == kNone && right_role(symbol) != kNone;
    const auto kind = static_cast<std::uint8_t>((inner ? kInner : kOuter) | (bottom ? kBottom : 0));
    kinds_[static_cast<std::size_t>(64 * static_cast<std::int64_t>(symbols_) + symbol)] = kind;
    for (std::uint64_t rest = after[static_cast<std::size_t>(symbol)]; rest != 0; rest &= rest - 1) kinds_[static_cast<std::size_t>(static_cast<std::int64_t>(std::countr_zero(rest)) * symbols_ + symbol)] = kind;
  }
}

}  // namespace maxmargin::grammars
