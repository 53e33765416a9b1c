#include "maxmargin/grammars/tree_sampler.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin::grammars {

TreeSampler::Choice TreeSampler::chosen() {
  if (choices_.empty()) programs::refuse_scores();
  const double uniform = static_cast<double>(random_() >> 11) * 0x1p-53 * total_;
  const auto at = std::ranges::upper_bound(choices_, uniform, {}, &Choice::sum);
  return at == choices_.end() ? choices_.back() : *at;  // rounding
}

double TreeSampler::draw(std::vector<Anchored>& tree) {
  struct Open {
    Symbol symbol;
    std::int32_t start, end;
  };
  const Rules& rules = chart_.rules();
  const SplitRows& rows = chart_.rows();
  double score = 0.0;
  tree.clear();
  std::vector<Open> open{{rules.start(), 0, chart_.n()}};
  while (!open.empty()) {
    const auto [top, i, j] = open.back();
    open.pop_back();
    const std::int64_t span = span_number(i, j);
    begin();
    if (chart_.may_be_plain(span, top)) offer(sums_.low(chart_, span, top), kNone);
    for (std::int32_t c = rules.first_chain(top); c < rules.first_chain(top + 1); ++c) {
      if (!chart_.may_have_chain(span, c)) continue;
      const double below = sums_.low(chart_, span, rules.chains()[static_cast<std::size_t>(c)].bottom);
      if (below > 0.0) offer(below * std::exp(chart_.chain_score(c, i, j)), c);
    }
    const std::int32_t chain = chosen().first;
    Symbol symbol = top;
    if (chain != kNone) {
      for (const Rule rule : rules.rules_of(rules.chains()[static_cast<std::size_t>(chain)])) tree.push_back({rule, i, kNone, j});
      score += chart_.chain_score(chain, i, j);
      symbol = rules.chains()[static_cast<std::size_t>(chain)].bottom;
    }
    begin();
    if (j == i + 1) {
      const std::span<const Word> words = rules.words(chart_.words()[static_cast<std::size_t>(i)]);
      for (std::size_t w = 0; w < words.size(); ++w) {
        if (words[w].symbol == symbol) offer(std::exp(chart_.word_score(words[w], i)), static_cast<std::int32_t>(w));
      }
      const Word& word = words[static_cast<std::size_t>(chosen().first)];
      score += chart_.word_score(word, i);
      if (word.rule != kNone) tree.push_back({word.rule, i, kNone, j});
      continue;
    }
    for (const std::int32_t position : rules.positions(symbol)) {
      const std::int32_t left = rules.left_role(rules.left(position)), right = rules.right_role(rules.right(position));
      chart_.splits(position, i, j, [&](std::int32_t k) {
        const double parts = sums_.inside_left(rows.left_place(left, i, k)) * sums_.inside_right(rows.right_place(right, k, j));
        if (parts > 0.0) offer(parts * std::exp(chart_.split_value(position, i, k, j, 0.0, 0.0)), position, k);
      });
    }
    const Choice rule = chosen();
    score += chart_.split_value(rule.first, i, rule.split, j, 0.0, 0.0);
    tree.push_back({rules.rule_at(rule.first), i, rule.split, j});
    open.push_back({rules.right(rule.first), rule.split, j});
    open.push_back({rules.left(rule.first), i, rule.split});
  }
  return score;
}

}  // namespace maxmargin::grammars
