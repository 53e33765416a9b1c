#include "maxmargin/grammars/sums.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin::grammars {
namespace {

constexpr double kMost = 600.0;   // exp of it is larger than kLarge
constexpr double kLarge = 1e250;  // numbers up to this may meet the smallest one without a trace in a sum near one

std::vector<double> exponentials(std::span<const double> values) {
  std::vector<double> found(values.size());
  std::ranges::transform(values, found.begin(), [](double value) { return std::min(value, kMost); });
  kernels().exp_all(found.data(), std::ssize(found));
  return found;
}

}  // namespace

double ChartSums::run(const Chart& chart, const Sentences& sentences, std::int64_t i, double* brackets) {
  pairs_.shape(chart.rules());
  SentenceScorer::clear(sentences, i, counts_);
  if (brackets != nullptr) std::fill_n(brackets, span_count(chart.n()) * chart.rules().columns(), 0.0);
  const double goal = take_exponentials(chart) ? go_up(chart) : 0.0;
  listed_ = !(goal > 1.0 / kLarge && goal < kLarge) || !go_down(chart, goal, brackets);
  if (listed_) {
    SentenceScorer::clear(sentences, i, counts_);
    if (brackets != nullptr) std::fill_n(brackets, span_count(chart.n()) * chart.rules().columns(), 0.0);
    return list(chart, sentences, brackets);
  }
  spread_counts(chart);
  return std::log(goal) + per_word_ * chart.n();
}

bool ChartSums::take_exponentials(const Chart& chart) {
  const SentenceScores& scores = chart.scores();
  per_word_ = chart.values()[chart.goal()] / chart.n();
  rule_ = exponentials(scores.rule);
  position_ = exponentials(scores.position);
  tables_.clear();
  factors_ = scores;
  for (std::vector<ScoreField>* each : {&factors_.fields, &factors_.split_fields}) {
    for (ScoreField& field : *each) {
      tables_.push_back(exponentials({field.table, static_cast<std::size_t>(field.size)}));
      field.table = tables_.back().data();
    }
  }
  factors_.rule = rule_;
  factors_.position = position_;
  chain_factors_.clear();
  if (scores.fields.empty()) {
    for (std::int32_t c = 0; c < std::ssize(chart.rules().chains()); ++c) chain_factors_.push_back(std::exp(chart.chain_score(c, 0, 1)));
  }
  const auto moderate = [](const std::vector<double>& values) { return std::ranges::all_of(values, [](double value) { return value < kLarge; }); };
  return moderate(rule_) && std::ranges::all_of(tables_, moderate);
}

// Calls visit(chain, its factor) for the chains above the symbols of a span.
template <class Visit>
void ChartSums::over_chains(const Chart& chart, std::int32_t i, std::int32_t j, Visit&& visit) {
  const Rules& rules = chart.rules();
  const std::int64_t span = span_number(i, j);
  const Around around = chart.around(i, j);
  for (const Symbol bottom : chart.symbols_at(span)) {
    for (const auto& [c, top] : rules.chains_above(bottom)) {
      if (!chart.may_have_chain(span, c) || Chart::fits(top, around) == 0) continue;
      visit(rules.chains()[static_cast<std::size_t>(c)], chain_factors_.empty() ? std::exp(chart.chain_score(c, i, j)) : chain_factors_[static_cast<std::size_t>(c)]);
    }
  }
}

double ChartSums::go_up(const Chart& chart) {
  const Rules& rules = chart.rules();
  const SplitRows& rows = chart.rows();
  const std::int32_t n = chart.n(), symbols = rules.symbols();
  inside_left_.assign(rows.left().size(), 0.0);
  inside_right_.assign(rows.right().size(), 0.0);
  low_.clear();
  row_.assign(static_cast<std::size_t>(symbols), 0.0);
  high_ = row_;
  double goal = 0.0;
  for (std::int32_t j = 1; j <= n; ++j) {
    chart.list_pairs(j, pairs_);
    for (std::int32_t i = j - 1; i >= 0; --i) {
      const std::span<const Symbol> own = chart.symbols_at(span_number(i, j));
      if (own.empty()) continue;
      if (j == i + 1) {
        found_.clear();
        for (const Word& word : rules.words(chart.words()[static_cast<std::size_t>(i)])) {
          row_[static_cast<std::size_t>(word.symbol)] += std::exp(chart.word_score(word, i) - per_word_);
          found_.push_back(word.symbol);
        }
      } else {
        found_.resize(static_cast<std::size_t>(symbols) + 1);
        const SpanSplits asked = chart.question(inside_left_.data(), inside_right_.data(), pairs_, i, j, factors_);
        found_.resize(static_cast<std::size_t>(kernels().sum_splits(asked, row_.data(), found_.data())));
      }
      const std::int64_t span = span_number(i, j);
      if (const SpanLimits* limits = chart.scores().limits; limits != nullptr && limits->any(span)) {
        for (const Symbol symbol : found_) {
          if (!limits->low(span, symbol)) row_[static_cast<std::size_t>(symbol)] = 0.0;
        }
      }
      for (const Symbol symbol : own) {
        if (chart.may_be_plain(span, symbol)) high_[static_cast<std::size_t>(symbol)] = row_[static_cast<std::size_t>(symbol)];
      }
      over_chains(chart, i, j, [&](const Chain& chain, double factor) {
        high_[static_cast<std::size_t>(chain.top)] += row_[static_cast<std::size_t>(chain.bottom)] * factor;
      });
      if (i == 0 && j == n) goal = high_[static_cast<std::size_t>(rules.start())];
      for (const Symbol symbol : own) {
        const auto at = static_cast<std::size_t>(symbol);
        const double value = high_[at];
        low_.push_back(row_[at]);
        high_[at] = 0.0;
        if (value == 0.0) continue;
        if (!(value < kLarge)) return value;
        if (rules.left_role(symbol) >= 0) inside_left_[rows.left_place(rules.left_role(symbol), i, j)] = value;
        if (rules.right_role(symbol) >= 0) inside_right_[rows.right_place(rules.right_role(symbol), i, j)] = value;
      }
      for (const Symbol symbol : found_) row_[static_cast<std::size_t>(symbol)] = 0.0;  // more than fit here
    }
  }
  return goal;
}

void ChartSums::count_at_span(Rule rule, std::int32_t i, std::int32_t j, double count) {
  counts_.rule[static_cast<std::size_t>(rule)] += count;
  for (const ScoreField& field : factors_.fields) {
    const std::int32_t block = field.block[static_cast<std::size_t>(rule)];
    if (block >= 0) counts_.tables[field.part][static_cast<std::size_t>(place_row(field.place, i, 0, j) * field.blocks + block)] += count;
  }
}

bool ChartSums::go_down(const Chart& chart, double goal, double* brackets) {
  const Rules& rules = chart.rules();
  const SplitRows& rows = chart.rows();
  const std::int32_t n = chart.n(), symbols = rules.symbols();
  outside_left_.assign(rows.left().size(), 0.0);
  outside_right_.assign(rows.right().size(), 0.0);
  outside_high_.assign(static_cast<std::size_t>(symbols), 0.0);
  outside_low_ = outside_high_;
  position_counts_.assign(static_cast<std::size_t>(rules.binary()), 0.0);
  split_counts_.resize(factors_.split_fields.size());
  for (std::size_t f = 0; f < split_counts_.size(); ++f) split_counts_[f].assign(static_cast<std::size_t>(factors_.split_fields[f].size), 0.0);
  double largest = 0.0;
  for (std::int32_t j = n; j >= 1; --j) {
    chart.list_pairs(j, pairs_);
    for (std::int32_t i = 0; i < j; ++i) {
      const std::int64_t span = span_number(i, j);
      const std::span<const Symbol> own = chart.symbols_at(span);
      if (own.empty()) continue;
      const double* low = low_.data() + chart.first_symbol(span);
      for (std::size_t k = 0; k < own.size(); ++k) {
        const Symbol symbol = own[k];
        const std::int32_t left = rules.left_role(symbol), right = rules.right_role(symbol);
        const bool there = chart.values()[chart.first_cell(span) + std::ssize(own) + static_cast<std::int64_t>(k)] != kImpossible<double>;
        double sum = i == 0 && j == n && symbol == rules.start() ? 1.0 / goal : 0.0;
        if (there && left >= 0) sum += outside_left_[rows.left_place(left, i, j)];
        if (there && right >= 0) sum += outside_right_[rows.right_place(right, i, j)];
        const auto at = static_cast<std::size_t>(symbol);
        row_[at] = low[k];
        outside_high_[at] = sum;
        outside_low_[at] = chart.may_be_plain(span, symbol) ? sum : 0.0;
        largest = std::max(largest, sum);
      }
      double* labelled = brackets == nullptr ? nullptr : brackets + span * rules.columns();
      over_chains(chart, i, j, [&](const Chain& chain, double factor) {
        const double share = outside_high_[static_cast<std::size_t>(chain.top)] * factor;
        if (share == 0.0) return;
        outside_low_[static_cast<std::size_t>(chain.bottom)] += share;
        const double count = share * row_[static_cast<std::size_t>(chain.bottom)];
        if (count == 0.0) return;
        for (const Rule rule : rules.rules_of(chain)) count_at_span(rule, i, j, count);
        if (labelled == nullptr) return;
        for (const std::int32_t column : rules.chain_columns(chain, j == i + 1)) {
          if (column >= 0) labelled[column] += count;
        }
      });
      if (const SpanLimits* limits = chart.scores().limits; limits != nullptr && limits->any(span)) {
        for (const Symbol symbol : own) {
          if (!limits->low(span, symbol)) outside_low_[static_cast<std::size_t>(symbol)] = 0.0;
        }
      }
      for (const Symbol symbol : own) largest = std::max(largest, outside_low_[static_cast<std::size_t>(symbol)]);
      if (!(largest < kLarge)) return false;
      if (j == i + 1) {
        for (const Word& word : rules.words(chart.words()[static_cast<std::size_t>(i)])) {
          if (word.rule == kNone) continue;
          const double count = outside_low_[static_cast<std::size_t>(word.symbol)] * std::exp(chart.word_score(word, i) - per_word_);
          count_at_span(word.rule, i, j, count);
        }
      } else {
        if (labelled != nullptr) {
          for (const Symbol parent : own) {
            const auto at = static_cast<std::size_t>(parent);
            if (rules.symbol_bracket(parent) >= 0) labelled[rules.symbol_bracket(parent)] += row_[at] * outside_low_[at];
          }
        }
        share(chart, i, j);
      }
      for (const Symbol symbol : own) row_[static_cast<std::size_t>(symbol)] = outside_high_[static_cast<std::size_t>(symbol)] = outside_low_[static_cast<std::size_t>(symbol)] = 0.0;
    }
  }
  return true;
}

void ChartSums::share(const Chart& chart, std::int32_t i, std::int32_t j) {
  SpanShares shares{outside_low_.data(), outside_left_.data(), outside_right_.data() + chart.rows().right_begin(j), position_counts_.data(), {}, {}};
  for (std::size_t f = 0; f < factors_.fields.size(); ++f) {
    const ScoreField& field = factors_.fields[f];
    shares.field[f] = counts_.tables[field.part].data() + place_row(field.place, i, 0, j) * field.blocks;
  }
  for (std::size_t f = 0; f < split_counts_.size(); ++f) shares.split_field[f] = split_counts_[f].data();
  kernels().share_splits(chart.question(inside_left_.data(), inside_right_.data(), pairs_, i, j, factors_), shares);
}

void ChartSums::spread_counts(const Chart& chart) {
  const Rules& rules = chart.rules();
  for (std::int32_t position = 0; position < rules.binary(); ++position) {
    counts_.rule[static_cast<std::size_t>(rules.rule_at(position))] += position_counts_[static_cast<std::size_t>(position)];
  }
  for (std::size_t f = 0; f < split_counts_.size(); ++f) {
    const ScoreField& field = factors_.split_fields[f];
    std::vector<double>& table = counts_.tables[field.part];
    for (std::int64_t k = 1; k < chart.n(); ++k) {
      for (std::int64_t b = 0; b < field.blocks; ++b) table[static_cast<std::size_t>(k * field.blocks + b)] = split_counts_[f][static_cast<std::size_t>(b * factors_.stride + k)];
    }
  }
}

double ChartSums::list(const Chart& chart, const Sentences& sentences, double* brackets) {
  const ChartProgram program(chart);
  forest_.list(program);
  const programs::Edges<2> edges = forest_.edges();
  const double value = sums_.run(edges, forest_.scores().data());
  used_.resize(static_cast<std::size_t>(forest_.size()));
  sums_.marginals(edges, used_);
  for (Edge edge = 0; edge < forest_.size(); ++edge) {
    const double count = used_[static_cast<std::size_t>(edge)];
    if (count == 0.0) continue;
    const Cell cell = forest_.cell(edge);
    const ChartProgram::At& at = program.place(cell);
    rules_.clear();
    program.add_rules(cell, forest_.chart_edge(edge), rules_);
    for (const Anchored& each : rules_) SentenceScorer::count(sentences, each, count, counts_);
    if (brackets == nullptr || rules_.empty()) continue;
    double* labelled = brackets + span_number(at.i, at.j) * chart.rules().columns();
    if (!at.high) {
      if (const std::int32_t label = chart.rules().bracket(rules_.front().rule); label >= 0) labelled[label] += count;
      continue;
    }
    const Chain& chain = chart.rules().chains()[static_cast<std::size_t>(program.chain_number(at, forest_.chart_edge(edge)))];
    for (const std::int32_t column : chart.rules().chain_columns(chain, at.j == at.i + 1)) {
      if (column >= 0) labelled[column] += count;
    }
  }
  return value;
}

}  // namespace maxmargin::grammars
