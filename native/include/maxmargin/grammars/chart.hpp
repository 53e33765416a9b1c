// The chart of a sentence: the best value of every symbol over every span (CKY).
//
// A span with a symbol has two cells: *low* is what a binary or a lexical rule makes, *high* adds at most one chain of unary rules. Cells are
// numbered span by span (scores.hpp), the low ones of all symbols and then the high ones. High values are also kept by start and by end for
// the kernel, in rows that exist only for symbols that are reachable there; a rule is tried at the splits where both of its rows can
// have values.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "maxmargin/grammars/scores.hpp"
#include "maxmargin/programs/program.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::grammars {

using programs::Cell;
using programs::kImpossible;

// Numbers by symbol, start and end, twice: consecutive by end, and by start; with a bit for each that is there.
class SplitRows {
 public:
  void shape(std::int32_t n, std::int64_t left_roles, std::int64_t right_roles);
  // Room for the same numbers, in rows of zeros.
  void shape_like(const SplitRows& other);

  double* left(std::int32_t start) { return left_.data() + start * left_roles_ * stride_; }
  double* right(std::int32_t end) { return right_.data() + end * right_roles_ * stride_; }
  const std::uint64_t* left_bits(std::int32_t start) const { return left_bits_.data() + start * left_roles_ * words_; }
  const std::uint64_t* right_bits(std::int32_t end) const { return right_bits_.data() + end * right_roles_ * words_; }
  double& at_left(std::int32_t role, std::int32_t start, std::int32_t end) { return left(start)[role * stride_ + end]; }
  double& at_right(std::int32_t role, std::int32_t start, std::int32_t end) { return right(end)[role * stride_ + start]; }
  bool has_left(std::int32_t role, std::int32_t start, std::int32_t end) const { return is_set(left_bits(start) + role * words_, end); }
  bool has_right(std::int32_t role, std::int32_t start, std::int32_t end) const { return is_set(right_bits(end) + role * words_, start); }
  std::span<const std::int32_t> live(std::int32_t start) const { return live_[static_cast<std::size_t>(start)]; }
  std::int64_t stride() const { return stride_; }
  int words() const { return words_; }

  // Takes up the value of a symbol over a span; rows begin as `zero`.
  void put(std::int32_t left_role, std::int32_t right_role, std::int32_t start, std::int32_t end, double value, double zero);

  // Calls visit(k) for the splits of [start, end) at which both roles are there.
  template <class Visit>
  void splits(std::int32_t left_role, std::int32_t right_role, std::int32_t start, std::int32_t end, Visit&& visit) const {
    const std::uint64_t *ends = left_bits(start) + left_role * words_, *starts = right_bits(end) + right_role * words_;
    for (int word = 0; word < words_; ++word) {
      for (std::uint64_t bits = ends[word] & starts[word]; bits != 0; bits &= bits - 1) visit(64 * word + std::countr_zero(bits));
    }
  }

 private:
  static bool is_set(const std::uint64_t* bits, std::int32_t at) { return (bits[at / 64] >> (at % 64) & 1) != 0; }

  std::int64_t left_roles_ = 0, right_roles_ = 0, stride_ = 0;
  int words_ = 0;
  Weights left_, right_;
  std::vector<std::uint64_t> left_bits_, right_bits_;
  std::vector<std::vector<std::int32_t>> live_;  // left roles by start
  std::vector<std::uint8_t> right_used_;
};

class Chart {  // keeps its memory from one sentence to the next
 public:
  static constexpr double kNoBeam = std::numeric_limits<double>::infinity();

  // The best value of a tree, minus infinity where there is none. All arguments must outlive the questions below. With a beam, symbols whose
  // value over a span is by more than `beam` below the best one there are left out, and the answer may not be the best.
  double best(const Rules& rules, std::span<const std::int32_t> words, const SentenceScores& scores, double beam = kNoBeam);
  // The rules of the best tree, after a finite answer; each before those below it, the left ones first.
  void derivation(std::vector<Anchored>& tree);

  const Rules& rules() const { return *rules_; }
  const SentenceScores& scores() const { return *scores_; }
  std::span<const std::int32_t> words() const { return words_; }
  std::int32_t n() const { return n_; }
  bool pruned() const { return pruned_; }  // whether the beam left something out
  const SplitRows& rows() const { return rows_; }

  // By cell, and 0 at -1 for no cell.
  const double* values() const { return values_.data() + 1; }
  Cell low(Symbol symbol, std::int32_t i, std::int32_t j) const { return static_cast<Cell>(span_number(i, j) * 2 * rules_->symbols()) + symbol; }
  Cell high(Symbol symbol, std::int32_t i, std::int32_t j) const { return low(symbol, i, j) + rules_->symbols(); }
  Cell goal() const { return high(rules_->start(), 0, n_); }
  std::int32_t cells() const { return static_cast<std::int32_t>(span_count(n_) * 2 * rules_->symbols()); }

  // Calls visit(k) for the splits at which both parts of a binary rule, by position, have a value.
  template <class Visit>
  void splits(std::int32_t position, std::int32_t i, std::int32_t j, Visit&& visit) const {
    rows_.splits(rules_->left_role(rules_->left(position)), rules_->right_role(rules_->right(position)), i, j, visit);
  }
  double chain_score(std::int32_t chain, std::int32_t i, std::int32_t j) const;
  double word_score(const Word& word, std::int32_t i) const { return word.rule == kNone ? 0.0 : scores_->at_span(word.rule, i, i + 1); }
  double symbol_extra(Symbol symbol, std::int32_t i, std::int32_t j) const {
    return scores_->symbol_extra == nullptr ? 0.0 : scores_->symbol_extra[span_number(i, j) * rules_->symbols() + symbol];
  }
  // The value of a rule at a split from those of its parts, as the kernel adds them up.
  double split_value(std::int32_t position, std::int32_t i, std::int32_t k, std::int32_t j, double left, double right) const;

  // How many times a binary rule meets parts that both have a value: what the kernel has to do at least.
  std::int64_t applications() const;

  // The question of the kernels for a span.
  SpanSplits question(SplitRows& rows, std::int32_t i, std::int32_t j, const SentenceScores& scores) const;

 private:
  void fill_words(std::int32_t i, double* low) const;
  void add_chains(std::int32_t i, std::int32_t j, const double* low, double* high);
  void apply_beam(double* high, double beam);
  void put(std::int32_t i, std::int32_t j, const double* high);

  const Rules* rules_ = nullptr;
  const SentenceScores* scores_ = nullptr;
  std::span<const std::int32_t> words_;
  std::int32_t n_ = 0;
  bool pruned_ = false;
  SplitRows rows_;
  std::vector<double> values_;
  std::vector<double> chain_scores_;  // where they do not depend on the span
};

}  // namespace maxmargin::grammars
