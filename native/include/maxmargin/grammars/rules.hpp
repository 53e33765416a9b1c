// The rules of a context-free grammar as the chart reads them.
//
// Rules are numbered: binary ones (parent -> left right), then unary ones (parent -> child), then lexical ones (symbol -> terminal).
// Unary rules are used in *chains*, sequences of them from the top down; a span has at most one chain above its binary or lexical rule. What
// a terminal can be is listed: symbols, each by a lexical rule, or by none where terminals are tags.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/simd/split_rules.hpp"

namespace maxmargin::grammars {

using Symbol = std::int32_t;
using Rule = std::int32_t;

inline constexpr std::int32_t kNone = -1;

// A rule at its place: tokens start to end - 1, and for a binary rule where the right part begins.
struct Anchored {
  Rule rule;
  std::int32_t start, split, end;
  friend auto operator<=>(const Anchored&, const Anchored&) = default;
};

// Spans in the order in which a chart is filled: by end, and from the shortest to the longest.
inline std::int64_t span_number(std::int32_t i, std::int32_t j) { return static_cast<std::int64_t>(j) * (j - 1) / 2 + (j - 1 - i); }
inline std::int64_t span_count(std::int64_t n) { return n * (n + 1) / 2; }

struct Chain {
  Symbol top, bottom;
  std::int32_t first, last;  // of its rules
};

// What a chart does with a symbol: inner ones are only right children, with no chain that begins or ends with them; all others are outer ones, some
// of them the bottom of chains.
inline constexpr std::uint8_t kOuter = 1, kInner = 2, kBottom = 4;

struct ChainAbove {  // a chain, seen from its bottom
  std::int32_t chain;
  Symbol top;
};

struct Corner {  // a symbol that begins another one: by a chain, or as the left child of pairs of a list
  Symbol symbol;
  std::int32_t list;
  std::uint64_t pairs;
};

struct Word {  // a symbol that a terminal can be
  Symbol symbol;
  Rule rule;  // kNone where it takes none
};

// What is given, and checked: every number is in range, chains hold together.
struct RuleArrays {
  std::int32_t symbols = 0, start = 0, lexical = 0;            // `lexical`: how many of these rules there are
  std::span<const std::int32_t> binary, unary;                 // 3 and 2 numbers per rule
  std::span<const std::int32_t> chain_first, chain_rules;      // where each chain begins, and one more; numbers of unary rules
  std::span<const std::int32_t> word_first, word_symbols, word_rules;  // by terminal, and one more; symbols and rules, kNone for none
  std::span<const std::int32_t> bracket;                       // by rule: the label of the bracket that it makes, or kNone
};

class Rules {
 public:
  explicit Rules(const RuleArrays& given);  // throws std::invalid_argument

  std::int32_t symbols() const { return symbols_; }
  std::int32_t terminals() const { return static_cast<std::int32_t>(first_word_.size()) - 1; }
  Symbol start() const { return start_; }
  std::int32_t binary() const { return binary_; }
  std::int32_t unary() const { return unary_; }
  std::int32_t lexical() const { return lexical_; }
  std::int32_t rules() const { return binary_ + unary_ + lexical_; }

  // Binary rules sorted by left child, right child and parent: their place in this order is their position.
  const SplitRules& split() const { return split_; }
  Rule rule_at(std::int32_t position) const { return rule_at_[static_cast<std::size_t>(position)]; }
  // Positions of the rules of a parent.
  std::span<const std::int32_t> positions(Symbol parent) const {
    return {of_parent_.data() + first_of_parent_[static_cast<std::size_t>(parent)], of_parent_.data() + first_of_parent_[static_cast<std::size_t>(parent) + 1]};
  }
  std::span<const Symbol> parents() const { return parents_; }  // symbols with binary rules
  Symbol left(std::int32_t position) const { return left_[static_cast<std::size_t>(position)]; }
  Symbol right(std::int32_t position) const { return right_[static_cast<std::size_t>(position)]; }
  // Numbers among the symbols that are a left child, and a right one; kNone where it is not.
  std::int32_t left_role(Symbol symbol) const { return left_role_[static_cast<std::size_t>(symbol)]; }
  std::int32_t right_role(Symbol symbol) const { return right_role_[static_cast<std::size_t>(symbol)]; }
  const std::int32_t* left_roles_of() const { return left_role_.data(); }
  const std::int32_t* right_roles_of() const { return right_role_.data(); }
  std::int32_t left_roles() const { return left_roles_; }
  std::int32_t right_roles() const { return right_roles_; }
  // Lists of at most 64 pairs with one left child, by its number; the right children of the pairs of a list.
  std::int32_t lists() const { return first_list_.back(); }
  std::int32_t first_list(std::int32_t left_role) const { return first_list_[static_cast<std::size_t>(left_role)]; }
  std::span<const Symbol> right_symbols(std::int32_t list) const {
    return {right_symbols_.data() + split_.first_pair[static_cast<std::size_t>(list)], right_symbols_.data() + split_.first_pair[static_cast<std::size_t>(list) + 1]};
  }
  // What can begin a symbol before a word of this class of tags.
  std::span<const Corner> corners(int tag, Symbol symbol) const {
    const std::int32_t* first = first_corner_.data() + static_cast<std::int64_t>(tag) * symbols_ + symbol;
    return {corners_.data() + first[0], corners_.data() + first[1]};
  }
  // How many pairs the right children before this one have together, by number, and one more.
  std::span<const std::int32_t> first_right_pairs() const { return first_right_pair_; }
  // By list: the pairs whose right child can begin with a word of this class of tags.
  const std::uint64_t* right_begins(int tag) const { return right_begins_.data() + static_cast<std::int64_t>(tag) * lists(); }
  // The tags of a word: the symbols that it can be, in 63 classes, and one for what is after the last word.
  std::uint64_t tags(std::int32_t terminal) const { return tags_[static_cast<std::size_t>(terminal)]; }
  static constexpr std::uint64_t kOutside = 1;
  // By symbol: what it is where a word of this class of tags can stand after it, else 0; and what it is anywhere.
  const std::uint8_t* kinds_before(int tag) const { return kinds_.data() + static_cast<std::int64_t>(tag) * symbols_; }
  const std::uint8_t* kinds() const { return kinds_before(64); }

  // Chains sorted by their top, in the order given among those of the same.
  std::span<const Chain> chains() const { return chains_; }
  std::int32_t first_chain(Symbol top) const { return first_chain_[static_cast<std::size_t>(top)]; }
  // The chains with this bottom.
  std::span<const ChainAbove> chains_above(Symbol bottom) const {
    return {above_.data() + first_above_[static_cast<std::size_t>(bottom)], above_.data() + first_above_[static_cast<std::size_t>(bottom) + 1]};
  }
  std::span<const Rule> rules_of(const Chain& chain) const { return {chain_rules_.data() + chain.first, chain_rules_.data() + chain.last}; }

  std::span<const Word> words(std::int32_t terminal) const {
    return {words_.data() + first_word_[static_cast<std::size_t>(terminal)], words_.data() + first_word_[static_cast<std::size_t>(terminal) + 1]};
  }

  // The symbols of a rule: parent and children, kNone where it has fewer.
  std::span<const Symbol, 3> symbols_of(Rule rule) const { return std::span<const Symbol, 3>(symbols_of_.data() + 3 * static_cast<std::size_t>(rule), 3); }
  std::int32_t bracket(Rule rule) const { return bracket_[static_cast<std::size_t>(rule)]; }
  // The label of the bracket that binary rules with this parent make: it is the same for all of them.
  std::int32_t symbol_bracket(Symbol parent) const { return symbol_bracket_[static_cast<std::size_t>(parent)]; }
  // Tables of brackets have a column per label, for the first bracket with it over a span, and then one for each further bracket with the same label
  // that chains can make there: the label of each column.
  std::span<const std::int32_t> column_labels() const { return column_labels_; }
  std::int64_t columns() const { return std::ssize(column_labels_); }
  // The columns of the brackets that the rules of a chain make above one word, or above a binary rule; kNone where a rule makes none.
  std::span<const std::int32_t> chain_columns(const Chain& chain, bool one_word) const {
    const std::vector<std::int32_t>& all = chain_columns_[one_word ? 1 : 0];
    return {all.data() + chain.first, all.data() + chain.last};
  }

 private:
  void check(const RuleArrays& given) const;
  void sort_binary(const RuleArrays& given);
  void sort_chains(const RuleArrays& given);
  void list_columns();
  void list_corners();
  void find_first_tags();
  void find_kinds();

  std::int32_t symbols_, start_, binary_, unary_, lexical_;
  std::int32_t left_roles_ = 0, right_roles_ = 0;
  std::vector<Rule> rule_at_, chain_rules_;
  std::vector<std::int32_t> first_of_parent_, of_parent_, parents_, left_, right_, first_chain_, first_above_, first_word_, bracket_, symbol_bracket_, symbols_of_;
  std::vector<std::int32_t> column_labels_, chain_columns_[2];
  std::vector<Chain> chains_;
  std::vector<ChainAbove> above_;
  std::vector<Word> words_;
  std::vector<std::int32_t> first_right_pair_, first_list_, first_corner_;
  std::vector<Symbol> right_symbols_;  // by pair
  std::vector<Corner> corners_;
  std::vector<std::uint64_t> tags_, right_begins_, first_tags_;  // the last one by symbol: of its first words
  std::vector<std::int32_t> left_role_, right_role_;
  std::vector<std::uint8_t> kinds_;
  SplitRules split_;
};

}  // namespace maxmargin::grammars
