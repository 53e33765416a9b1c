// Scores of rules in one sentence after the other, by weights or by what brackets are worth.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "maxmargin/grammars/decode.hpp"

namespace maxmargin::grammars {

// Sums over the brackets that rules make of one number per span and column (`Rules::column_labels`).
class BracketScores {
 public:
  // `worth` has the columns of each span of the sentence, n tokens long.
  void of(const Rules& rules, std::int64_t n, const double* worth, SentenceScores& into) {
    const std::int64_t spans = span_count(n), symbols = rules.symbols(), chains = std::ssize(rules.chains());
    symbol_.assign(static_cast<std::size_t>(spans * symbols), 0.0);
    chain_.assign(static_cast<std::size_t>(spans * chains), 0.0);
    for (std::int64_t span = 0, next_word = 0, end = 0; span < spans; ++span) {
      const bool one_word = span == next_word;  // the first span with its end
      if (one_word) next_word += ++end;
      const double* own = worth + span * rules.columns();
      for (const Symbol parent : rules.parents()) {
        const std::int32_t label = rules.symbol_bracket(parent);
        if (label >= 0) symbol_[static_cast<std::size_t>(span * symbols + parent)] = own[label];
      }
      for (std::int64_t c = 0; c < chains; ++c) {
        double sum = 0.0;
        for (const std::int32_t column : rules.chain_columns(rules.chains()[static_cast<std::size_t>(c)], one_word)) {
          if (column >= 0) sum += own[column];
        }
        chain_[static_cast<std::size_t>(span * chains + c)] = sum;
      }
    }
    into.symbol_extra = symbol_.data();
    into.chain_extra = chain_.data();
  }

 private:
  std::vector<double> symbol_, chain_;
};

class WorthScorer {  // keeps its memory
 public:
  WorthScorer(const Sentences& sentences, const TreeWorth& worth) : sentences_(sentences), worth_(worth) {
    first_span_.push_back(0);
    if (worth.brackets == nullptr) return;
    for (std::int64_t i = 0; i < sentences.n(); ++i) first_span_.push_back(first_span_.back() + span_count(std::ssize(sentences.words_of(i))));
    none_.assign(static_cast<std::size_t>(sentences.weights), 0.0);
  }

  const SentenceScores& of(std::int64_t i) {
    const std::int64_t n = std::ssize(sentences_.words_of(i));
    const bool weighted = worth_.brackets == nullptr;
    SentenceScores& scores = scorer_.of(sentences_, i, weighted ? worth_.weights : none_.data(), weighted ? 1.0 / worth_.temperature : 1.0);
    if (!weighted) brackets_.of(*sentences_.rules, n, worth_.brackets + first_span_[static_cast<std::size_t>(i)] * sentences_.rules->columns(), scores);
    if (!sentences_.limits_of(i).empty()) {
      limits_.set(*sentences_.rules, static_cast<std::int32_t>(n), sentences_.limits_of(i));
      scores.limits = &limits_;
    }
    return scores;
  }

 private:
  const Sentences& sentences_;
  const TreeWorth& worth_;
  SentenceScorer scorer_;
  BracketScores brackets_;
  SpanLimits limits_;
  std::vector<double> none_;
  std::vector<std::int64_t> first_span_;
};

}  // namespace maxmargin::grammars
