#include "maxmargin/grammars/sums.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin::grammars {
namespace {

constexpr double kLarge = 1e250;  // numbers up to this may meet the smallest one without a trace in a sum near one

std::vector<double> exponentials(std::span<const double> values) {
  std::vector<double> found(values.begin(), values.end());
  for (double& value : found) value = std::exp(value);
  return found;
}

}  // namespace

double ChartSums::run(const Chart& chart, const Sentences& sentences, std::int64_t i, double* brackets, std::int64_t labels) {
  SentenceScorer::clear(sentences, i, counts_);
  if (brackets != nullptr) std::fill_n(brackets, span_count(chart.n()) * labels, 0.0);
  const double goal = take_exponentials(chart) ? go_up(chart) : 0.0;
  listed_ = !(goal > 1.0 / kLarge && goal < kLarge) || !go_down(chart, goal, brackets, labels);
  if (listed_) {
    SentenceScorer::clear(sentences, i, counts_);
    if (brackets != nullptr) std::fill_n(brackets, span_count(chart.n()) * labels, 0.0);
    return list(chart, sentences, brackets, labels);
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

double ChartSums::chain_factor(const Chart& chart, std::int32_t chain, std::int32_t i, std::int32_t j) const {
  return chain_factors_.empty() ? std::exp(chart.chain_score(chain, i, j)) : chain_factors_[static_cast<std::size_t>(chain)];
}

double ChartSums::go_up(const Chart& chart) {
  const Rules& rules = chart.rules();
  const std::int32_t n = chart.n(), symbols = rules.symbols();
  const std::span<const Chain> chains = rules.chains();
  inside_.shape_like(chart.rows());
  low_.assign(static_cast<std::size_t>(span_count(n) * symbols), 0.0);
  high_.resize(static_cast<std::size_t>(symbols));
  for (std::int32_t j = 1; j <= n; ++j) {
    for (std::int32_t i = j - 1; i >= 0; --i) {
      double* low = low_.data() + span_number(i, j) * symbols;
      if (j == i + 1) {
        for (const Word& word : rules.words(chart.words()[static_cast<std::size_t>(i)])) low[word.symbol] += std::exp(chart.word_score(word, i) - per_word_);
      } else {
        kernels().sum_splits(chart.question(inside_, i, j, factors_), low);
      }
      std::copy_n(low, symbols, high_.data());
      for (std::size_t c = 0; c < chains.size(); ++c) {
        if (low[chains[c].bottom] == 0.0) continue;
        high_[static_cast<std::size_t>(chains[c].top)] += low[chains[c].bottom] * chain_factor(chart, static_cast<std::int32_t>(c), i, j);
      }
      for (Symbol symbol = 0; symbol < symbols; ++symbol) {
        const double value = high_[static_cast<std::size_t>(symbol)];
        if (value == 0.0) continue;
        if (!(value < kLarge)) return value;
        if (rules.left_role(symbol) >= 0) inside_.at_left(rules.left_role(symbol), i, j) = value;
        if (rules.right_role(symbol) >= 0) inside_.at_right(rules.right_role(symbol), i, j) = value;
      }
    }
  }
  return high_[static_cast<std::size_t>(rules.start())];
}

void ChartSums::count_at_span(Rule rule, std::int32_t i, std::int32_t j, double count) {
  counts_.rule[static_cast<std::size_t>(rule)] += count;
  for (const ScoreField& field : factors_.fields) {
    const std::int32_t block = field.block[static_cast<std::size_t>(rule)];
    if (block >= 0) counts_.tables[field.part][static_cast<std::size_t>(place_row(field.place, i, 0, j) * field.blocks + block)] += count;
  }
}

bool ChartSums::go_down(const Chart& chart, double goal, double* brackets, std::int64_t labels) {
  const Rules& rules = chart.rules();
  const std::int32_t n = chart.n(), symbols = rules.symbols();
  const std::span<const Chain> chains = rules.chains();
  outside_.shape_like(chart.rows());
  outside_high_.resize(static_cast<std::size_t>(symbols));
  outside_low_.resize(static_cast<std::size_t>(symbols));
  position_counts_.assign(static_cast<std::size_t>(rules.binary()), 0.0);
  split_counts_.resize(factors_.split_fields.size());
  for (std::size_t f = 0; f < split_counts_.size(); ++f) split_counts_[f].assign(static_cast<std::size_t>(factors_.split_fields[f].size), 0.0);
  double largest = 0.0;
  for (std::int32_t j = n; j >= 1; --j) {
    for (std::int32_t i = 0; i < j; ++i) {
      const double* low = low_.data() + span_number(i, j) * symbols;
      for (Symbol symbol = 0; symbol < symbols; ++symbol) {
        const std::int32_t left = rules.left_role(symbol), right = rules.right_role(symbol);
        double sum = 0.0;
        if (left >= 0 && chart.rows().has_left(left, i, j)) sum += outside_.at_left(left, i, j);
        if (right >= 0 && chart.rows().has_right(right, i, j)) sum += outside_.at_right(right, i, j);
        outside_high_[static_cast<std::size_t>(symbol)] = sum;
        largest = std::max(largest, sum);
      }
      if (i == 0 && j == n) outside_high_[static_cast<std::size_t>(rules.start())] += 1.0 / goal;
      outside_low_ = outside_high_;
      double* own = brackets == nullptr ? nullptr : brackets + span_number(i, j) * labels;
      for (std::size_t c = 0; c < chains.size(); ++c) {
        const double above = outside_high_[static_cast<std::size_t>(chains[c].top)];
        if (above == 0.0) continue;
        const double share = above * chain_factor(chart, static_cast<std::int32_t>(c), i, j);
        outside_low_[static_cast<std::size_t>(chains[c].bottom)] += share;
        const double count = share * low[chains[c].bottom];
        if (count == 0.0) continue;
        for (const Rule rule : rules.rules_of(chains[c])) {
          count_at_span(rule, i, j, count);
          if (own != nullptr && rules.bracket(rule) >= 0) own[rules.bracket(rule)] += count;
        }
      }
      for (const double value : outside_low_) largest = std::max(largest, value);
      if (!(largest < kLarge)) return false;
      if (j == i + 1) {
        for (const Word& word : rules.words(chart.words()[static_cast<std::size_t>(i)])) {
          if (word.rule == kNone) continue;
          const double count = outside_low_[static_cast<std::size_t>(word.symbol)] * std::exp(chart.word_score(word, i) - per_word_);
          count_at_span(word.rule, i, j, count);
        }
        continue;
      }
      if (own != nullptr) {
        for (const Symbol parent : rules.parents()) {
          if (rules.symbol_bracket(parent) >= 0) own[rules.symbol_bracket(parent)] += low[parent] * outside_low_[static_cast<std::size_t>(parent)];
        }
      }
      SpanShares shares{outside_low_.data(), outside_.left(i), outside_.right(j), position_counts_.data(), {}, {}};
      for (std::size_t f = 0; f < factors_.fields.size(); ++f) {
        const ScoreField& field = factors_.fields[f];
        shares.field[f] = counts_.tables[field.part].data() + place_row(field.place, i, 0, j) * field.blocks;
      }
      for (std::size_t f = 0; f < split_counts_.size(); ++f) shares.split_field[f] = split_counts_[f].data();
      kernels().share_splits(chart.question(inside_, i, j, factors_), shares);
    }
  }
  return true;
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

double ChartSums::list(const Chart& chart, const Sentences& sentences, double* brackets, std::int64_t labels) {
  const ChartProgram program(chart);
  forest_.list(program);
  const programs::Edges<2> edges = forest_.edges();
  const double value = sums_.run(edges, forest_.scores().data());
  used_.resize(static_cast<std::size_t>(forest_.size()));
  sums_.marginals(edges, used_);
  for (Edge edge = 0; edge < forest_.size(); ++edge) {
    const double count = used_[static_cast<std::size_t>(edge)];
    if (count == 0.0) continue;
    rules_.clear();
    program.add_rules(forest_.cell(edge), forest_.chart_edge(edge), rules_);
    for (const Anchored& each : rules_) {
      SentenceScorer::count(sentences, each, count, counts_);
      const std::int32_t label = chart.rules().bracket(each.rule);
      if (brackets != nullptr && label >= 0) brackets[span_number(each.start, each.end) * labels + label] += count;
    }
  }
  return value;
}

}  // namespace maxmargin::grammars
