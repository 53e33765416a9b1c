#include "maxmargin/grammars/chart.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

namespace maxmargin::grammars {
namespace {

double value_if(bool there, double value) {  // else minus infinity, without a branch
  constexpr auto kNothing = std::bit_cast<std::uint64_t>(kImpossible<double>);
  return std::bit_cast<double>(((std::bit_cast<std::uint64_t>(value) ^ kNothing) & -static_cast<std::uint64_t>(there)) ^ kNothing);
}

}  // namespace

double Chart::best(const Rules& rules, std::span<const std::int32_t> words, const SentenceScores& scores, double beam, bool anywhere) {
  rules_ = &rules, scores_ = &scores, words_ = words, n_ = static_cast<std::int32_t>(words.size()), pruned_ = false;
  const std::int64_t symbols = rules.symbols(), cells = span_count(n_) * 2 * symbols;
  if (n_ == 0) throw std::invalid_argument("A sentence without words has no tree.");
  if (cells > std::numeric_limits<Cell>::max() || static_cast<std::int64_t>(rules.binary()) * (n_ + 1) > std::numeric_limits<Cell>::max()) {
    throw std::length_error("A sentence of " + std::to_string(n_) + " words is too long for a chart of " + std::to_string(symbols) + " symbols.");
  }
  rows_.shape(rules, n_);
  beginnings_.shape(rules, n_, anywhere);
  pairs_.shape(rules);
  first_.assign(1, 0);
  if (values_.empty()) values_.resize(1);
  low_.assign(static_cast<std::size_t>(symbols), kImpossible<double>);
  high_ = low_;
  for (SymbolList* each : {&found_, &outer_, &bottoms_}) each->all.resize(static_cast<std::size_t>(symbols) + 1);
  room_.resize(static_cast<std::size_t>(rules.binary()), rules.split().first_rule.size(), rules.split().first_pair.size());
  kinds_.assign(static_cast<std::size_t>((n_ + 1) * symbols), 0);
  chain_scores_.clear();
  if (scores.fields.empty()) {
    for (const Chain& chain : rules.chains()) chain_scores_.push_back(scores.chain(rules, chain, 0, 1));
  }
  for (std::int32_t j = 1; j <= n_; ++j) {
    pairs_.clear(rules);
    rows_.begin_end(j);
    find_kinds(j, anywhere);
    beginnings_.begin(j - 1, rules.tags(words[static_cast<std::size_t>(j) - 1]), rows_);
    for (std::int32_t i = j - 1; i >= 0; --i) {
      if (j == i + 1) {
        fill_words(i);
      } else {
        fill_splits(i, j);
      }
      if (scores.limits != nullptr && scores.limits->any(span_number(i, j))) keep_allowed(span_number(i, j));
      const Around own = around(i, j);
      sort_found(own);
      add_chains(i, j, own);
      take_up(i, j, beam);
    }
  }
  const std::span<const Symbol> top = symbols_at(span_count(n_) - 1);
  const auto at = std::ranges::find(top, rules.start());
  if (at == top.end()) return kImpossible<double>;
  goal_ = static_cast<Cell>(first_cell(span_count(n_) - 1) + std::ssize(top) + (at - top.begin()));
  return values()[goal_];
}

SpanSplits Chart::question(const double* left, const double* right, const PairLists& pairs, std::int32_t i, std::int32_t j, const SentenceScores& scores) const {
  const std::span<const LiveRow> live = rows_.live(i);
  SpanSplits asked;  // its fields are set as far as there are some
  asked.rules = &rules_->split(), asked.from = i + 1, asked.to = j;
  asked.left = left, asked.right = right + rows_.right_begin(j), asked.stride = rows_.stride(), asked.right_stride = rows_.right_stride(j);
  asked.live = live.data(), asked.live_count = std::ssize(live);
  asked.pairs = pairs.pairs(), asked.pairs_end = pairs.ends(), asked.possible = beginnings_.pairs(i);
  asked.left_bits = rows_.left_bits(), asked.right_bits = rows_.right_bits(j), asked.words = rows_.words();
  asked.room = &room_, asked.score = scores.position.data();
  for (const ScoreField& field : scores.fields) {
    asked.field[asked.fields++] = {field.table + place_row(field.place, i, 0, j) * field.blocks, field.block_at.data()};
  }
  for (const ScoreField& field : scores.split_fields) asked.split_field[asked.split_fields++] = {field.table, field.block_at.data()};
  return asked;
}

void Chart::find_kinds(std::int32_t j, bool anywhere) {
  const auto symbols = static_cast<std::size_t>(rules_->symbols());
  std::uint8_t* own = kinds_.data() + static_cast<std::size_t>(j) * symbols;
  const auto add = [&](const std::uint8_t* more) {
    for (std::size_t symbol = 0; symbol < symbols; ++symbol) own[symbol] |= more[symbol];
  };
  if (anywhere) return add(rules_->kinds());
  for (std::uint64_t tags = j == n_ ? Rules::kOutside : rules_->tags(words_[static_cast<std::size_t>(j)]); tags != 0; tags &= tags - 1) add(rules_->kinds_before(std::countr_zero(tags)));
}

void Chart::fill_words(std::int32_t i) {
  found_.count = 0;
  for (const Word& word : rules_->words(words_[static_cast<std::size_t>(i)])) {
    const double value = word_score(word, i);
    if (!(value > kImpossible<double>)) continue;  // no number, or a sum beyond all numbers
    double& low = low_[static_cast<std::size_t>(word.symbol)];
    if (low == kImpossible<double>) found_.add(word.symbol, 1);
    low = std::max(low, value);
  }
}

void Chart::fill_splits(std::int32_t i, std::int32_t j) {
  const SpanSplits asked = question(rows_.left().data(), rows_.right().data(), pairs_, i, j, *scores_);
  found_.count = static_cast<std::size_t>(kernels().best_splits(asked, low_.data(), found_.all.data()));
  if (scores_->symbol_extra == nullptr) return;
  for (const Symbol symbol : found_.symbols()) low_[static_cast<std::size_t>(symbol)] += symbol_extra(symbol, i, j);
}

void Chart::keep_allowed(std::int64_t span) {
  const std::span<const Symbol> found = found_.symbols();
  found_.count = 0;
  for (const Symbol symbol : found) {
    const bool allowed = scores_->limits->low(span, symbol);
    if (!allowed) low_[static_cast<std::size_t>(symbol)] = kImpossible<double>;
    found_.add(symbol, allowed);
  }
}

void Chart::sort_found(const Around& around) {
  const auto before = static_cast<std::size_t>(first_.back()), most = before + static_cast<std::size_t>(rules_->symbols()) + 1;
  if (most > symbols_.size()) symbols_.resize(2 * most), values_.resize(1 + 2 * symbols_.size());
  Symbol *outer = outer_.all.data(), *inner = symbols_.data() + before, *bottom = bottoms_.all.data();
  double *low = low_.data(), *value = values_.data() + 1 + 2 * before;
  for (const Symbol symbol : found_.symbols()) {  // no branch: which symbols fit is hard to foretell
    const int kind = fits(symbol, around), is_inner = (kind & kInner) / kInner;
    *outer = *inner = symbol;
    *value = low[symbol];
    low[symbol] = value_if((kind & kOuter) != 0, *value);
    outer += kind & kOuter;
    inner += is_inner, value += is_inner;
  }
  inner_ = static_cast<std::size_t>(inner - symbols_.data()) - before;
  outer_.count = static_cast<std::size_t>(outer - outer_.all.data());
  for (const Symbol symbol : outer_.symbols()) {
    *bottom = symbol;
    bottom += around.kinds[symbol] / kBottom;
  }
  bottoms_.count = static_cast<std::size_t>(bottom - bottoms_.all.data());
}

void Chart::add_chains(std::int32_t i, std::int32_t j, const Around& around) {
  const std::int64_t span = span_number(i, j);
  const auto add = [&](auto&& score_of) {
    double *low = low_.data(), *high = high_.data();
    Symbol* outer = outer_.all.data() + outer_.count;
    for (const Symbol bottom : bottoms_.symbols()) {
      const double below = low[bottom];
      for (const auto& [chain, top] : rules_->chains_above(bottom)) {
        const double value = value_if(fits(top, around) != 0, below + score_of(chain)), before = high[top];
        *outer = top;
        outer += static_cast<int>(value > kImpossible<double>) & static_cast<int>(before == kImpossible<double>) & static_cast<int>(low[top] == kImpossible<double>);
        high[top] = value > before ? value : before;
      }
    }
    outer_.count = static_cast<std::size_t>(outer - outer_.all.data());
  };
  if (scores_->limits == nullptr && scores_->chain_extra == nullptr && !chain_scores_.empty()) {
    add([own = chain_scores_.data()](std::int32_t chain) { return own[chain]; });
  } else {
    add([&](std::int32_t chain) { return may_have_chain(span, chain) ? chain_score(chain, i, j) : kImpossible<double>; });
  }
}

void Chart::take_up(std::int32_t i, std::int32_t j, double beam) {
  const std::int64_t span = span_number(i, j);
  const auto before = static_cast<std::size_t>(first_.back());
  const std::size_t count = inner_ + outer_.count;
  first_.push_back(static_cast<std::int64_t>(before + count));
  Symbol* own = symbols_.data() + before;
  double *low = values_.data() + 1 + 2 * before, *high = low + count;
  for (std::size_t k = inner_; k < count; ++k) {
    own[k] = outer_.all[k - inner_];
    low[k] = std::exchange(low_[static_cast<std::size_t>(own[k])], kImpossible<double>);
  }
  std::copy_n(low, count, high);
  if (scores_->limits != nullptr) {
    for (std::size_t k = 0; k < count; ++k) high[k] = may_be_plain(span, own[k]) ? low[k] : kImpossible<double>;
  }
  for (std::size_t k = inner_; k < count; ++k) {
    const double chained = std::exchange(high_[static_cast<std::size_t>(own[k])], kImpossible<double>);
    high[k] = chained > high[k] ? chained : high[k];
  }
  if (beam < kNoBeam && count > 0) {
    const double least = *std::max_element(high, high + count) - beam;
    for (std::size_t k = 0; k < count; ++k) {
      if (high[k] < least && high[k] != kImpossible<double>) high[k] = kImpossible<double>, pruned_ = true;
    }
  }
  rows_.put_left({own + inner_, outer_.count}, high + inner_, i, j, kImpossible<double>);
  rows_.put_right({own, count}, high, i, kImpossible<double>, [&](std::int32_t role, std::int32_t row) { pairs_.add(rows_.pairs_of(role), row); });
}

void Chart::list_pairs(std::int32_t j, PairLists& pairs) const {
  pairs.clear(*rules_);
  const std::span<const std::int32_t> roles = rows_.live_right(j);
  for (std::size_t row = 1; row < roles.size(); ++row) pairs.add(rows_.pairs_of(roles[row]), static_cast<std::int32_t>(row));
}

double Chart::low_value(Symbol symbol, std::int64_t span) const {
  const std::span<const Symbol> own = symbols_at(span);
  const auto at = std::ranges::find(own, symbol);
  return at == own.end() ? kImpossible<double> : values()[first_cell(span) + (at - own.begin())];
}

double Chart::high_value(Symbol symbol, std::int32_t i, std::int32_t j) const {
  const std::int32_t left = rules_->left_role(symbol), right = rules_->right_role(symbol);
  if (i == 0 && j == n_) return values()[goal_];
  return left >= 0 ? rows_.left()[rows_.left_place(left, i, j)] : rows_.right()[rows_.right_place(right, i, j)];
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
  while (!open.empty()) {
    const auto [top, i, j] = open.back();
    open.pop_back();
    const std::int64_t span = span_number(i, j);
    const double value = high_value(top, i, j);
    Symbol symbol = top;
    if (low_value(top, span) != value || !may_be_plain(span, top)) {
      std::int32_t found = kNone;
      for (std::int32_t c = rules_->first_chain(top); c < rules_->first_chain(top + 1) && found < 0; ++c) {
        const Symbol bottom = rules_->chains()[static_cast<std::size_t>(c)].bottom;
        if (may_have_chain(span, c) && low_value(bottom, span) + chain_score(c, i, j) == value) found = c;
      }
      if (found < 0) programs::refuse_scores();
      const Chain& chain = rules_->chains()[static_cast<std::size_t>(found)];
      for (const Rule rule : rules_->rules_of(chain)) tree.push_back({rule, i, kNone, j});
      symbol = chain.bottom;
    }
    const double below = low_value(symbol, span);
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
        const std::int32_t left_role = rules_->left_role(left), right_role = rules_->right_role(right);
        splits(position, i, j, [&](std::int32_t k) {
          if (explained) return;
          const double one = rows_.left()[rows_.left_place(left_role, i, k)], other = rows_.right()[rows_.right_place(right_role, k, j)];
          if (split_value(position, i, k, j, one, other) + extra != below) return;
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
