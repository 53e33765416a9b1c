// The chart of a sentence: the best value of every symbol over every span (CKY).
//
// A span with a symbol has two cells: *low* is what a binary or a lexical rule makes, *high* adds at most one chain of unary rules. Only symbols
// that have a value over a span, can begin where it does (beginnings.hpp) and can stand before the word after it have cells there; they are numbered span by span in the order in which spans are filled, the low
// ones of the span and then the high ones. High values are also kept by start and by end for the kernel (split_rows.hpp). What made a value is not
// stored: a derivation looks at the cells of the best tree a second time.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "maxmargin/grammars/beginnings.hpp"
#include "maxmargin/grammars/scores.hpp"
#include "maxmargin/grammars/split_rows.hpp"
#include "maxmargin/programs/program.hpp"

namespace maxmargin::grammars {

using programs::Cell;
using programs::kImpossible;

// For the spans with one end: of each list the pairs whose right child has a value before that end.
class PairLists {  // keeps its memory
 public:
  void shape(const Rules& rules) {  // before the first end of a sentence
    pairs_.assign(rules.split().first_rule.size() + kReadAhead, {0, 0});
  }
  void clear(const Rules& rules) {  // before each end
    end_.assign(rules.split().first_pair.begin(), rules.split().first_pair.end() - 1);
  }
  void add(std::span<const RightPair> of_right, std::int32_t row) {  // those of a right child and the row of its values
    std::int32_t* end = end_.data();
    EndPair* pairs = pairs_.data();
    for (const RightPair own : of_right) pairs[end[own.list]++] = {own.pair, row};
  }
  const EndPair* pairs() const { return pairs_.data(); }
  const std::int32_t* ends() const { return end_.data(); }

 private:
  std::vector<EndPair> pairs_;
  std::vector<std::int32_t> end_;  // by list
};

struct Around {  // a span, by symbol: whether it can begin where the span does, and what it is if it can end where the span does
  const std::uint8_t *begins, *kinds;
};

struct SymbolList {  // in memory for all of them and one more
  std::vector<Symbol> all;
  std::size_t count = 0;
  void add(Symbol symbol, int times) {  // 0 or 1
    all[count] = symbol;
    count += static_cast<std::size_t>(times);
  }
  std::span<const Symbol> symbols() const { return {all.data(), count}; }
};

class Chart {  // keeps its memory from one sentence to the next
 public:
  static constexpr double kNoBeam = std::numeric_limits<double>::infinity();

  // The best value of a tree, minus infinity where there is none. All arguments must outlive the questions below. With a beam, symbols whose
  // value over a span is by more than `beam` below the best one there are left out, and the answer may not be the best.
  // `anywhere` keeps symbols that are in no tree because of what is before and after them, too.
  double best(const Rules& rules, std::span<const std::int32_t> words, const SentenceScores& scores, double beam = kNoBeam, bool anywhere = false);
  // The rules of the best tree, after a finite answer; each before those below it, the left ones first.
  void derivation(std::vector<Anchored>& tree);

  const Rules& rules() const { return *rules_; }
  const SentenceScores& scores() const { return *scores_; }
  std::span<const std::int32_t> words() const { return words_; }
  std::int32_t n() const { return n_; }
  bool pruned() const { return pruned_; }  // whether the beam left something out
  const SplitRows& rows() const { return rows_; }

  // The symbols of a span, by its number, and the first of its cells.
  std::span<const Symbol> symbols_at(std::int64_t span) const {
    return {symbols_.data() + first_[static_cast<std::size_t>(span)], symbols_.data() + first_[static_cast<std::size_t>(span) + 1]};
  }
  std::int64_t first_symbol(std::int64_t span) const { return first_[static_cast<std::size_t>(span)]; }
  Cell first_cell(std::int64_t span) const { return static_cast<Cell>(2 * first_[static_cast<std::size_t>(span)]); }
  std::int32_t cells() const { return static_cast<std::int32_t>(2 * first_.back()); }
  Cell goal() const { return goal_; }  // after a finite answer
  // By cell, and 0 at -1 for no cell.
  const double* values() const { return values_.data() + 1; }

  // Calls visit(k) for the splits at which both parts of a binary rule, by position, have a value.
  template <class Visit>
  void splits(std::int32_t position, std::int32_t i, std::int32_t j, Visit&& visit) const {
    rows_.splits(rules_->left_role(rules_->left(position)), rules_->right_role(rules_->right(position)), i, j, visit);
  }
  // What a symbol is if it can be in a tree with what is around a span, else 0.
  static int fits(Symbol symbol, const Around& span) { return span.begins[symbol] & span.kinds[symbol]; }
  Around around(std::int32_t i, std::int32_t j) const { return {beginnings_.symbols(i), kinds_.data() + static_cast<std::int64_t>(j) * rules_->symbols()}; }
  void list_pairs(std::int32_t j, PairLists& pairs) const;  // of all right children before an end
  // What the limits of the sentence allow over a span, by its number.
  bool may_be_plain(std::int64_t span, Symbol symbol) const { return scores_->limits == nullptr || scores_->limits->plain(span, symbol); }
  bool may_have_chain(std::int64_t span, std::int32_t chain) const { return scores_->limits == nullptr || scores_->limits->chain(span, chain); }
  double chain_score(std::int32_t chain, std::int32_t i, std::int32_t j) const {
    const auto at = static_cast<std::size_t>(chain);
    const double own = chain_scores_.empty() ? scores_->chain(*rules_, rules_->chains()[at], i, j) : chain_scores_[at];
    return scores_->chain_extra == nullptr ? own : own + scores_->chain_extra[span_number(i, j) * std::ssize(rules_->chains()) + chain];
  }
  double word_score(const Word& word, std::int32_t i) const { return word.rule == kNone ? 0.0 : scores_->at_span(word.rule, i, i + 1); }
  double symbol_extra(Symbol symbol, std::int32_t i, std::int32_t j) const {
    return scores_->symbol_extra == nullptr ? 0.0 : scores_->symbol_extra[span_number(i, j) * rules_->symbols() + symbol];
  }
  // The value of a rule at a split from those of its parts, as the kernel adds them up.
  double split_value(std::int32_t position, std::int32_t i, std::int32_t k, std::int32_t j, double left, double right) const;

  // How many times a binary rule meets parts that both have a value.
  std::int64_t applications() const;

  // The question of the kernels for a span, whose numbers are in the places of the rows of this chart.
  SpanSplits question(const double* left, const double* right, const PairLists& pairs, std::int32_t i, std::int32_t j, const SentenceScores& scores) const;

 private:
  void find_kinds(std::int32_t j, bool anywhere);
  void fill_words(std::int32_t i);
  void fill_splits(std::int32_t i, std::int32_t j);
  void keep_allowed(std::int64_t span);
  void sort_found(const Around& around);
  void add_chains(std::int32_t i, std::int32_t j, const Around& around);
  void take_up(std::int32_t i, std::int32_t j, double beam);
  double low_value(Symbol symbol, std::int64_t span) const;  // minus infinity where it has none
  double high_value(Symbol symbol, std::int32_t i, std::int32_t j) const;

  const Rules* rules_ = nullptr;
  const SentenceScores* scores_ = nullptr;
  std::span<const std::int32_t> words_;
  std::int32_t n_ = 0;
  bool pruned_ = false;
  Cell goal_ = 0;
  SplitRows rows_;
  Beginnings beginnings_;
  std::vector<std::int64_t> first_;
  std::vector<Symbol> symbols_;  // and memory for more, as of the values
  std::vector<double> values_;
  std::vector<double> chain_scores_;  // where they do not depend on the span
  PairLists pairs_;
  std::vector<std::uint8_t> kinds_;  // by end and symbol: what it is if it can stand before the word there
  // Of the span at hand: values by symbol, minus infinity where there are none, of `high_` those with a chain; the symbols that have some; those
  // of them that fit, without the inner ones, and how many these are; and the bottoms of chains.
  std::vector<double> low_, high_;
  SymbolList found_, outer_, bottoms_;
  std::size_t inner_ = 0;
  mutable SplitRoom room_;
};

}  // namespace maxmargin::grammars
