#include "maxmargin/grammars/chart.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace maxmargin::grammars {

void SplitRows::shape(std::int32_t n, std::int64_t left_roles, std::int64_t right_roles) {
  left_roles_ = left_roles, right_roles_ = right_roles, stride_ = row_stride(n), words_ = n / 64 + 1;
  const auto positions = static_cast<std::size_t>(n) + 1;
  left_.resize(positions * static_cast<std::size_t>(left_roles * stride_));
  right_.resize(positions * static_cast<std::size_t>(right_roles * stride_));
  left_bits_.assign(positions * static_cast<std::size_t>(left_roles * words_), 0);
  right_bits_.assign(positions * static_cast<std::size_t>(right_roles * words_), 0);
  right_used_.assign(positions * static_cast<std::size_t>(right_roles), 0);
  live_.resize(positions);
  for (std::vector<std::int32_t>& each : live_) each.clear();
}

void SplitRows::shape_like(const SplitRows& other) {
  left_roles_ = other.left_roles_, right_roles_ = other.right_roles_, stride_ = other.stride_, words_ = other.words_;
  left_.resize(other.left_.size());
  right_.resize(other.right_.size());
  left_bits_ = other.left_bits_, right_bits_ = other.right_bits_, live_ = other.live_, right_used_ = other.right_used_;
  for (std::size_t start = 0; start < live_.size(); ++start) {
    for (const std::int32_t role : live_[start]) std::fill_n(left(static_cast<std::int32_t>(start)) + role * stride_, stride_, 0.0);
  }
  for (std::size_t row = 0; row < right_used_.size(); ++row) {
    if (right_used_[row] != 0) std::fill_n(right_.data() + static_cast<std::int64_t>(row) * stride_, stride_, 0.0);
  }
}

void SplitRows::put(std::int32_t left_role, std::int32_t right_role, std::int32_t start, std::int32_t end, double value, double zero) {
  if (left_role >= 0) {
    std::uint64_t* bits = left_bits_.data() + (start * left_roles_ + left_role) * words_;
    double* row = left(start) + left_role * stride_;
    if (std::all_of(bits, bits + words_, [](std::uint64_t word) { return word == 0; })) {
      std::fill_n(row, stride_, zero);
      live_[static_cast<std::size_t>(start)].push_back(left_role);
    }
    bits[end / 64] |= std::uint64_t{1} << (end % 64);
    row[end] = value;
  }
  if (right_role >= 0) {
    std::uint8_t& used = right_used_[static_cast<std::size_t>(end * right_roles_ + right_role)];
    double* row = right(end) + right_role * stride_;
    if (used == 0) std::fill_n(row, stride_, zero), used = 1;
    right_bits_[static_cast<std::size_t>((end * right_roles_ + right_role) * words_ + start / 64)] |= std::uint64_t{1} << (start % 64);
    row[start] = value;
  }
}

double Chart::best(const Rules& rules, std::span<const std::int32_t> words, const SentenceScores& scores, double beam) {
  rules_ = &rules, scores_ = &scores, words_ = words, n_ = static_cast<std::int32_t>(words.size()), pruned_ = false;
  const std::int64_t symbols = rules.symbols(), cells = span_count(n_) * 2 * symbols;
  if (n_ == 0) throw std::invalid_argument("A sentence without words has no tree.");
  if (cells > std::numeric_limits<Cell>::max() || static_cast<std::int64_t>(rules.binary()) * (n_ + 1) > std::numeric_limits<Cell>::max()) {
    throw std::length_error("A sentence of " + std::to_string(n_) + " words is too long for a chart of " + std::to_string(symbols) + " symbols.");
  }
  rows_.shape(n_, rules.left_roles(), rules.right_roles());
  values_.resize(static_cast<std::size_t>(cells) + 1);
  values_[0] = 0.0;
  chain_scores_.clear();
  if (scores.fields.empty()) {
    for (const Chain& chain : rules.chains()) chain_scores_.push_back(scores.chain(rules, chain, 0, 1));
  }
  for (std::int32_t j = 1; j <= n_; ++j) {
    for (std::int32_t i = j - 1; i >= 0; --i) {
      double* low = values_.data() + 1 + this->low(0, i, j);
      double* high = low + symbols;
      std::fill_n(low, symbols, kImpossible<double>);
      if (j == i + 1) {
        fill_words(i, low);
      } else {
        kernels().best_splits(question(rows_, i, j, scores), low);
        if (scores.symbol_extra != nullptr) {
          for (const Symbol parent : rules.parents()) low[parent] += symbol_extra(parent, i, j);
        }
      }
      add_chains(i, j, low, high);
      if (beam < kNoBeam) apply_beam(high, beam);
      put(i, j, high);
    }
  }
  return values()[goal()];
}

SpanSplits Chart::question(SplitRows& rows, std::int32_t i, std::int32_t j, const SentenceScores& scores) const {
  SpanSplits asked{&rules_->split(), rows.left(i),           rows.right(j),     rows.stride(),           rows.left_bits(i),
                   rows.right_bits(j), rows.words(),         rows.live(i).data(), std::ssize(rows.live(i)), scores.position.data()};
  for (const ScoreField& field : scores.fields) {
    asked.field[asked.fields++] = {field.table + place_row(field.place, i, 0, j) * field.blocks, field.block_at.data()};
  }
  for (const ScoreField& field : scores.split_fields) asked.split_field[asked.split_fields++] = {field.table, field.block_at.data()};
  return asked;
}

void Chart::fill_words(std::int32_t i, double* low) const {
  for (const Word& word : rules_->words(words_[static_cast<std::size_t>(i)])) low[word.symbol] = std::max(low[word.symbol], word_score(word, i));
}

double Chart::chain_score(std::int32_t chain, std::int32_t i, std::int32_t j) const {
  const auto at = static_cast<std::size_t>(chain);
  const double own = chain_scores_.empty() ? scores_->chain(*rules_, rules_->chains()[at], i, j) : chain_scores_[at];
  return scores_->chain_extra == nullptr ? own : own + scores_->chain_extra[span_number(i, j) * std::ssize(rules_->chains()) + chain];
}

void Chart::add_chains(std::int32_t i, std::int32_t j, const double* low, double* high) {
  std::copy_n(low, rules_->symbols(), high);
  const std::span<const Chain> chains = rules_->chains();
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const double below = low[chains[c].bottom];
    if (below == kImpossible<double>) continue;
    high[chains[c].top] = std::max(high[chains[c].top], below + chain_score(static_cast<std::int32_t>(c), i, j));
  }
}

void Chart::apply_beam(double* high, double beam) {
  const std::int32_t symbols = rules_->symbols();
  const double least = *std::max_element(high, high + symbols) - beam;
  for (Symbol symbol = 0; symbol < symbols; ++symbol) {
    if (high[symbol] < least && high[symbol] != kImpossible<double>) high[symbol] = kImpossible<double>, pruned_ = true;
  }
}

void Chart::put(std::int32_t i, std::int32_t j, const double* high) {
  for (Symbol symbol = 0; symbol < rules_->symbols(); ++symbol) {
    if (high[symbol] != kImpossible<double>) rows_.put(rules_->left_role(symbol), rules_->right_role(symbol), i, j, high[symbol], kImpossible<double>);
  }
}

double Chart::split_value(std::int32_t position, std::int32_t i, std::int32_t k, std::int32_t j, double left, double right) const {
  const double below = scores_->with_split(position, k, left + right);
  double base = scores_->position[static_cast<std::size_t>(position)];
  for (const ScoreField& field : scores_->fields) {
    const std::int32_t block = field.block_at[static_cast<std::size_t>(position)];
    if (block >= 0) base += field.table[place_row(field.place, i, 0, j) * field.blocks + block];
  }
  return below + base;
}

void Chart::derivation(std::vector<Anchored>& tree) {
  tree.clear();
  struct Open {
    Symbol symbol;
    std::int32_t start, end;
  };
  std::vector<Open> open{{rules_->start(), 0, n_}};
  const double* values = this->values();
  while (!open.empty()) {
    const auto [top, i, j] = open.back();
    open.pop_back();
    const double value = values[high(top, i, j)];
    Symbol symbol = top;
    if (values[low(top, i, j)] != value) {
      std::int32_t found = kNone;
      for (std::int32_t c = rules_->first_chain(top); c < rules_->first_chain(top + 1) && found < 0; ++c) {
        if (values[low(rules_->chains()[static_cast<std::size_t>(c)].bottom, i, j)] + chain_score(c, i, j) == value) found = c;
      }
      if (found < 0) programs::refuse_scores();
      const Chain& chain = rules_->chains()[static_cast<std::size_t>(found)];
      for (const Rule rule : rules_->rules_of(chain)) tree.push_back({rule, i, kNone, j});
      symbol = chain.bottom;
    }
    const double below = values[low(symbol, i, j)];
    bool explained = false;
    if (j == i + 1) {
      for (const Word& word : rules_->words(words_[static_cast<std::size_t>(i)])) {
        if (word.symbol != symbol || word_score(word, i) != below) continue;
        if (word.rule != kNone) tree.push_back({word.rule, i, kNone, j});
        explained = true;
        break;
      }
    } else {
      const double extra = symbol_extra(symbol, i, j);
      for (const std::int32_t position : rules_->positions(symbol)) {
        const Symbol left = rules_->left(position), right = rules_->right(position);
        splits(position, i, j, [&](std::int32_t k) {
          if (explained || split_value(position, i, k, j, values[high(left, i, k)], values[high(right, k, j)]) + extra != below) return;
          tree.push_back({rules_->rule_at(position), i, k, j});
          open.push_back({right, k, j});
          open.push_back({left, i, k});
          explained = true;
        });
        if (explained) break;
      }
    }
    if (!explained) programs::refuse_scores();
  }
}

std::int64_t Chart::applications() const {
  std::int64_t count = 0;
  for (std::int32_t j = 2; j <= n_; ++j) {
    for (std::int32_t i = 0; i + 1 < j; ++i) {
      for (std::int32_t position = 0; position < rules_->binary(); ++position) splits(position, i, j, [&](std::int32_t) { ++count; });
    }
  }
  return count;
}

}  // namespace maxmargin::grammars
