#include "maxmargin/grammars/search.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "maxmargin/programs/strata.hpp"

namespace maxmargin::grammars {

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
  if (goal == TreeGoal::augmented) add_loss(i, scores);
  if (fill(i, scores) == kImpossible<double>) return false;  // only a beam can lose the truth
  bool found = true;
  switch (goal) {
    case TreeGoal::augmented:
    case TreeGoal::prediction: chart_.derivation(tree); break;
    case TreeGoal::second: found = second(i, tree); break;
    case TreeGoal::guesses:
    case TreeGoal::totals: {
      double own = 0.0;
      for (const Anchored& each : problem_.targets->truth(i)) own += factor * problem_.targets->sentences->score(i, each, weights);
      const ChartProgram program(chart_);
      list_counts(i, program);
      found = goal == TreeGoal::totals ? by_total(i, own, tree) : by_guesses(i, own, tree);
      break;
    }
  }
  if (!found) return false;
  std::ranges::sort(tree);
  return !std::ranges::equal(tree, problem_.targets->truth(i));
}

void TreeSearcher::add_loss(std::int64_t i, SentenceScores& scores) {
  const Rules& rules = *problem_.targets->sentences->rules;
  const TreeLoss& loss = *problem_.loss;
  const auto n = static_cast<std::int32_t>(problem_.targets->sentences->words_of(i).size());
  const std::int64_t symbols = rules.symbols(), chains = std::ssize(rules.chains());
  brackets_.start(rules, problem_.targets->gold(i));
  symbol_extra_.resize(static_cast<std::size_t>(span_count(n) * symbols));
  chain_extra_.resize(static_cast<std::size_t>(span_count(n) * chains));
  const auto worth = [&](BracketCounts counts) { return loss.guess * static_cast<double>(counts.guesses) + loss.hit * static_cast<double>(counts.hits); };
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

void TreeSearcher::list_counts(std::int64_t i, const ChartProgram& program) {
  const Rules& rules = *problem_.targets->sentences->rules;
  forest_.list(program);
  brackets_.start(rules, problem_.targets->gold(i));
  totals_.assign(static_cast<std::size_t>(forest_.size()), 0);
  hits_ = totals_;
  const bool only_guesses = problem_.loss->goal == TreeGoal::guesses;
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
    totals_[static_cast<std::size_t>(edge)] = only_guesses ? counts.guesses : problem_.number(i, counts);
    hits_[static_cast<std::size_t>(edge)] = counts.hits;
  }
}

using EdgeStrata = programs::Strata<programs::Edges<2>, double, const double*, const std::int64_t*>;

bool TreeSearcher::by_total(std::int64_t i, double own, std::vector<Anchored>& tree) {
  const programs::Edges<2> edges = forest_.edges();
  EdgeStrata strata(edges, forest_.scores().data(), totals_.data());
  MostViolated chosen;
  const std::span<const double> values = strata.values();
  for (std::int64_t total = 0; total < std::ssize(values); ++total) {
    if (values[static_cast<std::size_t>(total)] != kImpossible<double>) chosen.offer(total, problem_.at(i, total), own, values[static_cast<std::size_t>(total)]);
  }
  if (chosen.stratum < 0) return false;
  strata.derivation(chosen.stratum, edges_);
  forest_.rules(edges_, tree);
  return true;
}

// With g guesses a hit takes price(g) from the margin. One search with a price gives, for every g, the best score less the price of the hits,
// which is convex in the price: exact where price(g) is that price, and between two prices at most the line through their values. So the g of the
// highest bound is asked for exactly until the highest is exact.
bool TreeSearcher::by_guesses(std::int64_t i, double own, std::vector<Anchored>& tree) {
  const programs::Edges<2> edges = forest_.edges();
  const auto margin = [&](std::int64_t hits, std::int64_t guesses) { return problem_.at(i, problem_.number(i, {guesses, hits})).b; };
  const bool any = !problem_.targets->gold(i).empty();
  const auto price = [&](std::int64_t guesses) { return any ? margin(0, guesses) - margin(1, guesses) : 0.0; };
  std::map<double, std::vector<double>> known;  // by price: values by guesses
  std::optional<EdgeStrata> last;
  double last_price = 0.0;
  const auto ask = [&](double at) {
    priced_ = forest_.scores();
    for (std::size_t edge = 0; edge < priced_.size(); ++edge) priced_[edge] -= at * static_cast<double>(hits_[edge]);
    last.emplace(edges, priced_.data(), totals_.data());
    last_price = at;
    known[at].assign(last->values().begin(), last->values().end());
  };
  programs::StrataRoom room;
  room.plan(edges, totals_.data(), sizeof(double));
  const std::int64_t most = room.most(edges.goal());
  double least = price(0), largest = least;
  for (std::int64_t g = 1; g <= most; ++g) least = std::min(least, price(g)), largest = std::max(largest, price(g));
  ask(least), ask(largest);
  while (true) {
    MostViolated chosen;
    bool exact = false;
    for (std::int64_t g = 0; g <= most; ++g) {
      const auto above = known.lower_bound(price(g)), below = above->first == price(g) ? above : std::prev(above);
      const double low = below->second[static_cast<std::size_t>(g)], high = above->second[static_cast<std::size_t>(g)];
      if (low == kImpossible<double>) continue;
      const double share = above == below ? 0.0 : (price(g) - below->first) / (above->first - below->first);
      const std::int64_t before = chosen.stratum;
      chosen.offer(g, {margin(0, g), 1.0}, own, low + share * (high - low));
      if (chosen.stratum != before) exact = above == below;
    }
    if (chosen.stratum < 0) return false;
    if (!exact || last_price != price(chosen.stratum)) ask(price(chosen.stratum));
    if (!exact) continue;
    last->derivation(chosen.stratum, edges_);
    forest_.rules(edges_, tree);
    return true;
  }
}

std::int64_t TreeSearcher::bytes(std::int64_t i) {
  if (problem_.loss->goal != TreeGoal::totals && problem_.loss->goal != TreeGoal::guesses) return 0;
  const std::vector<double> none(static_cast<std::size_t>(problem_.targets->sentences->weights), 0.0);
  const SentenceScores& scores = scorer_.of(*problem_.targets->sentences, i, none.data(), 1.0);
  if (fill(i, scores) == kImpossible<double>) return 0;
  const ChartProgram program(chart_);
  list_counts(i, program);
  programs::StrataRoom rows;
  const programs::Edges<2> edges = forest_.edges();
  rows.plan(edges, totals_.data(), sizeof(double));
  const std::int64_t last = problem_.loss->first[static_cast<std::size_t>(i)] + rows.most(edges.goal());
  if (last >= std::ssize(problem_.loss->margin)) throw std::invalid_argument("margin and scale are too short");
  return rows.numbers() * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace maxmargin::grammars
