#include "maxmargin/grammars/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "maxmargin/programs/strata.hpp"

namespace maxmargin::grammars {
namespace {

constexpr int kPrices = 3;           // charts before edges are listed that can be in a better tree
constexpr int kRounds = 6;           // of them at most, where these edges are many
constexpr Edge kFewEdges = 1000;
constexpr double kRounding = 1e-12;  // of a sum of scores

}  // namespace

std::span<const Bracket> EdgeBrackets::at_span(std::int64_t span) const {
  const auto found = std::ranges::equal_range(gold_, span, {}, &Bracket::span);
  return {found.begin(), found.end()};
}

BracketCounts EdgeBrackets::of_symbol(Symbol parent, std::int64_t span) const {
  const std::int32_t label = rules_->symbol_bracket(parent);
  if (label < 0) return {};
  return {1, std::ranges::binary_search(gold_, Bracket{span, label})};
}

BracketCounts EdgeBrackets::of_chain(const Chain& chain, std::int64_t span, bool one_word) {
  BracketCounts found;
  const std::span<const Bracket> gold = at_span(span);
  left_.clear();
  for (const Bracket& each : gold) left_.push_back(each.label);
  const auto take = [&](std::int32_t label) {
    const auto at = std::ranges::find(left_, label);
    if (at == left_.end()) return false;
    left_.erase(at);
    return true;
  };
  if (!one_word && rules_->symbol_bracket(chain.bottom) >= 0) take(rules_->symbol_bracket(chain.bottom));
  for (const Rule rule : rules_->rules_of(chain)) {
    const std::int32_t label = rules_->bracket(rule);
    if (label < 0) continue;
    ++found.guesses;
    found.hits += take(label);
  }
  return found;
}

double TreeSearcher::fill(std::int64_t i, const SentenceScores& scores) {
  const Sentences& sentences = *problem_.targets->sentences;
  const double value = chart_.best(*sentences.rules, sentences.words_of(i), scores, beam_);
  missed_ += chart_.pruned();
  return value;
}

bool TreeSearcher::find(std::int64_t i, const double* weights, double factor, std::vector<Anchored>& tree) {
  SentenceScores& scores = scorer_.of(*problem_.targets->sentences, i, weights, factor);
  const TreeGoal goal = problem_.loss->goal;
  if (goal == TreeGoal::totals) {
    if (!by_counts(i, weights, factor, scores, tree)) return false;
  } else {
    if (goal == TreeGoal::augmented) add_worth(i, problem_.loss->guess, problem_.loss->hit, scores);
    if (fill(i, scores) == kImpossible<double>) return false;  // only a beam can lose the truth
    if (goal != TreeGoal::second) {
      chart_.derivation(tree);
    } else if (!second(i, tree)) {
      return false;
    }
  }
  std::ranges::sort(tree);
  return !std::ranges::equal(tree, problem_.targets->truth(i));
}

void TreeSearcher::add_worth(std::int64_t i, double guess, double hit, SentenceScores& scores) {
  const Rules& rules = *problem_.targets->sentences->rules;
  const auto n = static_cast<std::int32_t>(problem_.targets->sentences->words_of(i).size());
  const std::int64_t symbols = rules.symbols(), chains = std::ssize(rules.chains());
  brackets_.start(rules, problem_.targets->gold(i));
  symbol_extra_.resize(static_cast<std::size_t>(span_count(n) * symbols));
  chain_extra_.resize(static_cast<std::size_t>(span_count(n) * chains));
  const auto worth = [&](BracketCounts counts) { return guess * static_cast<double>(counts.guesses) + hit * static_cast<double>(counts.hits); };
  // Most spans have no true bracket: what their guesses are worth is the same everywhere.
  std::vector<double> symbol_wrong(static_cast<std::size_t>(symbols), 0.0), chain_wrong(static_cast<std::size_t>(chains), 0.0);
  const auto worth_at = [&](std::int64_t span, bool one_word, double* of_symbols, double* of_chains) {
    for (const Symbol parent : rules.parents()) of_symbols[parent] = worth(brackets_.of_symbol(parent, span));
    for (std::int64_t c = 0; c < chains; ++c) of_chains[c] = worth(brackets_.of_chain(rules.chains()[static_cast<std::size_t>(c)], span, one_word));
  };
  worth_at(-1, true, symbol_wrong.data(), chain_wrong.data());
  for (std::int32_t j = 1; j <= n; ++j) {
    for (std::int32_t start = j - 1; start >= 0; --start) {
      const std::int64_t span = span_number(start, j);
      double *of_symbols = symbol_extra_.data() + span * symbols, *of_chains = chain_extra_.data() + span * chains;
      if (brackets_.has_gold(span)) {
        worth_at(span, j == start + 1, of_symbols, of_chains);
      } else {
        std::ranges::copy(symbol_wrong, of_symbols);
        std::ranges::copy(chain_wrong, of_chains);
      }
    }
  }
  scores.symbol_extra = symbol_extra_.data();
  scores.chain_extra = chain_extra_.data();
}

bool TreeSearcher::second(std::int64_t i, std::vector<Anchored>& tree) {
  const ChartProgram program(chart_);
  list_.start(program, {&program}, chart_.values());
  for (std::int32_t rank = 0; list_.find(rank); ++rank) {
    tree.clear();
    list_.walk(rank, [&](Cell cell, Edge edge) { program.add_rules(cell, edge, tree); });
    std::ranges::sort(tree);
    if (!std::ranges::equal(tree, problem_.targets->truth(i))) return true;
  }
  return false;
}

double TreeSearcher::score(std::int64_t i, std::span<const Anchored> tree, const double* weights, double factor) const {
  double sum = 0.0;
  for (const Anchored& each : tree) sum += factor * problem_.targets->sentences->score(i, each, weights);
  return sum;
}

bool TreeSearcher::by_counts(std::int64_t i, const double* weights, double factor, SentenceScores& scores, std::vector<Anchored>& tree) {
  const auto at = static_cast<std::size_t>(problem_.loss->first[static_cast<std::size_t>(i)]);
  const std::int64_t columns = problem_.loss->guesses[static_cast<std::size_t>(i)];
  const std::int64_t rows = std::ssize(problem_.targets->gold(i)) + 1;
  const auto size = static_cast<std::size_t>(rows * columns);
  const double own = score(i, problem_.targets->truth(i), weights, factor);
  programs::CountPrices prices({{problem_.loss->margin.data() + at, size}, {problem_.loss->scale.data() + at, size}, rows, columns, columns, 1}, own);
  bool found = false;
  double closest = std::numeric_limits<double>::infinity(), hit = prices.hit(), guess = prices.guess();
  for (int round = 1;; ++round) {
    for (int step = 0; step < kPrices; ++step) {
      add_worth(i, prices.guess(), prices.hit(), scores);
      const double priced = fill(i, scores);
      if (priced == kImpossible<double>) return found;  // only a beam can lose the truth
      chart_.derivation(candidate_);
      const BracketCounts counted = problem_.targets->counts(i, candidate_, room_);
      const programs::Counts counts{counted.hits, counted.guesses};
      if (counts.guesses >= columns) throw std::invalid_argument("margin and scale have too few guesses");
      if (prices.raise(prices.worth(score(i, candidate_, weights, factor), counts))) tree = candidate_, found = true;
      const double excess = priced - prices.enough();
      if (excess <= kRounding * (1.0 + std::abs(priced))) return found;
      if (excess < closest) closest = excess, hit = prices.hit(), guess = prices.guess();
      prices.move(counts, excess);
    }
    programs::CountPrices best = prices;
    best.set(hit, guess);
    add_worth(i, guess, hit, scores);
    const double priced = fill(i, scores);
    if (priced == kImpossible<double>) return found;
    const ChartProgram program(chart_);
    list_totals(i, program, best.enough() - kRounding * (1.0 + std::abs(priced)));
    if (round == kRounds || forest_.size() <= kFewEdges) return by_total(i, own, best, tree) || found;
  }
}

bool TreeSearcher::by_total(std::int64_t i, double own, const programs::CountPrices& prices, std::vector<Anchored>& tree) {
  const programs::Edges<2> edges = forest_.edges();
  programs::StrataRoom rows;
  rows.plan(edges, totals_.data(), sizeof(double));
  if (rows.numbers() > problem_.loss->room / static_cast<std::int64_t>(sizeof(double))) {
    ++missed_;
    return false;
  }
  programs::Strata<programs::Edges<2>, double, const double*, const std::int64_t*> strata(edges, forest_.scores().data(), totals_.data());
  MostViolated chosen;
  chosen.highest = prices.least();
  const std::span<const double> values = strata.values();
  const std::int64_t columns = problem_.loss->guesses[static_cast<std::size_t>(i)];
  for (std::int64_t total = 0; total < std::ssize(values); ++total) {
    const double value = values[static_cast<std::size_t>(total)];
    if (value != kImpossible<double>) chosen.offer(total, problem_.at(i, total), own, value - prices.of({total / columns, total % columns}));
  }
  if (chosen.stratum < 0) return false;
  strata.derivation(chosen.stratum, edges_);
  forest_.rules(edges_, tree);
  return true;
}

void TreeSearcher::list_totals(std::int64_t i, const ChartProgram& program, double least) {
  const Rules& rules = *problem_.targets->sentences->rules;
  forest_.list(program, least);
  brackets_.start(rules, problem_.targets->gold(i));
  totals_.assign(static_cast<std::size_t>(forest_.size()), 0);
  for (Edge edge = 0; edge < forest_.size(); ++edge) {
    const ChartProgram::At at = program.place(forest_.cell(edge));
    const std::int64_t span = span_number(at.i, at.j);
    BracketCounts counts;
    if (at.high) {
      const Edge own = forest_.chart_edge(edge);
      if (own > 0) counts = brackets_.of_chain(rules.chains()[static_cast<std::size_t>(program.chain_number(at, own))], span, at.j == at.i + 1);
    } else if (at.j > at.i + 1) {
      counts = brackets_.of_symbol(at.symbol, span);
    }
    totals_[static_cast<std::size_t>(edge)] = problem_.number(i, counts);
  }
}

}  // namespace maxmargin::grammars
