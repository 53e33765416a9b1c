// A chart as a dynamic program (programs/program.hpp), without a list of its edges: what the kernel is compared with, and what questions
// other than the best tree are asked of.
//
// Edges into a low cell: words of its token, or rule * (n + 1) + split, rules counted among those of the parent. Edges into a high cell:
// 0 for no chain, else 1 + a chain, counted from the first with this top. Only edges whose tails have a value are there.
#pragma once

#include <vector>

#include "maxmargin/grammars/chart.hpp"

namespace maxmargin::grammars {

using programs::Edge;
using programs::kNoTail;
using programs::Tails;

class ChartProgram {
 public:
  static constexpr int kTails = 2;

  explicit ChartProgram(const Chart& chart)
      : chart_(&chart), symbols_(chart.rules().symbols()), place_(static_cast<std::size_t>(chart.cells())), number_(static_cast<std::size_t>(span_count(chart.n()) * symbols_), kNoTail) {
    for (std::int32_t j = 1; j <= chart.n(); ++j) {
      for (std::int32_t i = j - 1; i >= 0; --i) {
        const std::int64_t span = span_number(i, j);
        const std::span<const Symbol> own = chart.symbols_at(span);
        const auto count = static_cast<std::int32_t>(own.size());
        for (std::int32_t k = 0; k < count; ++k) {
          const Cell low = chart.first_cell(span) + k;
          number_[static_cast<std::size_t>(span * symbols_ + own[static_cast<std::size_t>(k)])] = low;
          place_[static_cast<std::size_t>(low)] = {own[static_cast<std::size_t>(k)], i, j, count, false};
          place_[static_cast<std::size_t>(low + count)] = {own[static_cast<std::size_t>(k)], i, j, count, true};
        }
      }
    }
  }

  std::int32_t cells() const { return chart_->cells(); }
  Cell goal() const { return chart_->goal(); }

  template <class Visit>
  void incoming(Cell cell, Visit&& visit) const {
    const Rules& rules = chart_->rules();
    const double* values = chart_->values();
    const At& at = place(cell);
    if (at.high) {
      const Cell plain = cell - at.symbols;
      const std::int64_t span = span_number(at.i, at.j);
      if (values[plain] != kImpossible<double> && chart_->may_be_plain(span, at.symbol)) visit(Edge{0}, plain, kNoTail);
      for (std::int32_t c = rules.first_chain(at.symbol); c < rules.first_chain(at.symbol + 1); ++c) {
        const Cell from = low(chain(c).bottom, at.i, at.j);
        if (from == kNoTail || values[from] == kImpossible<double> || !chart_->may_have_chain(span, c)) continue;
        visit(1 + c - rules.first_chain(at.symbol), from, kNoTail);
      }
    } else if (at.j == at.i + 1) {
      const std::span<const Word> words = words_at(at.i);
      for (std::size_t w = 0; w < words.size(); ++w) {
        if (words[w].symbol == at.symbol) visit(static_cast<Edge>(w), kNoTail, kNoTail);
      }
    } else {
      const std::span<const std::int32_t> positions = rules.positions(at.symbol);
      for (std::size_t p = 0; p < positions.size(); ++p) {
        chart_->splits(positions[p], at.i, at.j, [&](std::int32_t k) {
          const Tails from = parts(positions[p], at, k);
          visit(static_cast<Edge>(p) * (chart_->n() + 1) + k, from.first, from.second);
        });
      }
    }
  }

  Tails tails(Cell cell, Edge edge) const {
    const At& at = place(cell);
    if (at.high) return {edge == 0 ? cell - at.symbols : low(chain(chain_number(at, edge)).bottom, at.i, at.j), kNoTail};
    if (at.j == at.i + 1) return {kNoTail, kNoTail};
    return parts(position_of(at, edge), at, edge % (chart_->n() + 1));
  }

  // The value of a derivation from those of its tails, 0 for no tail; as the kernel adds them up, so that values can be compared.
  double extend(Cell cell, Edge edge, double first, double second) const {
    const At& at = place(cell);
    if (at.high) return edge == 0 ? first : first + chart_->chain_score(chain_number(at, edge), at.i, at.j);
    if (at.j == at.i + 1) return chart_->word_score(words_at(at.i)[static_cast<std::size_t>(edge)], at.i);
    const std::int32_t k = edge % (chart_->n() + 1);
    const double value = chart_->split_value(position_of(at, edge), at.i, k, at.j, first, second);
    return chart_->scores().symbol_extra == nullptr ? value : value + chart_->symbol_extra(at.symbol, at.i, at.j);
  }

  // Appends the rules that an edge stands for.
  void add_rules(Cell cell, Edge edge, std::vector<Anchored>& into) const {
    const Rules& rules = chart_->rules();
    const At& at = place(cell);
    if (at.high) {
      if (edge == 0) return;
      for (const Rule rule : rules.rules_of(chain(chain_number(at, edge)))) into.push_back({rule, at.i, kNone, at.j});
    } else if (at.j == at.i + 1) {
      const Rule rule = words_at(at.i)[static_cast<std::size_t>(edge)].rule;
      if (rule != kNone) into.push_back({rule, at.i, kNone, at.j});
    } else {
      into.push_back({rules.rule_at(position_of(at, edge)), at.i, edge % (chart_->n() + 1), at.j});
    }
  }

  struct At {
    Symbol symbol;
    std::int32_t i, j, symbols;  // how many symbols its span has
    bool high;
  };
  const At& place(Cell cell) const { return place_[static_cast<std::size_t>(cell)]; }
  // The number of the chain of an edge into a high cell other than 0.
  std::int32_t chain_number(const At& at, Edge edge) const { return chart_->rules().first_chain(at.symbol) + edge - 1; }
  const Chart& chart() const { return *chart_; }

 private:
  Cell low(Symbol symbol, std::int32_t i, std::int32_t j) const { return number_[static_cast<std::size_t>(span_number(i, j) * symbols_ + symbol)]; }
  Cell high(Symbol symbol, std::int32_t i, std::int32_t j) const {
    const Cell own = low(symbol, i, j);
    return own + place(own).symbols;
  }
  const Chain& chain(std::int32_t number) const { return chart_->rules().chains()[static_cast<std::size_t>(number)]; }
  std::span<const Word> words_at(std::int32_t i) const { return chart_->rules().words(chart_->words()[static_cast<std::size_t>(i)]); }
  std::int32_t position_of(const At& at, Edge edge) const { return chart_->rules().positions(at.symbol)[static_cast<std::size_t>(edge / (chart_->n() + 1))]; }
  Tails parts(std::int32_t position, const At& at, std::int32_t k) const {
    return {high(chart_->rules().left(position), at.i, k), high(chart_->rules().right(position), k, at.j)};
  }

  const Chart* chart_;
  std::int64_t symbols_;
  std::vector<At> place_;
  std::vector<Cell> number_;  // of the low cell, by span and symbol
};
static_assert(programs::DynamicProgram<ChartProgram>);

// Scores as programs/kbest.hpp asks for them.
struct ChartScores {
  const ChartProgram* program = nullptr;
  double extend(Cell cell, Edge edge, double first, double second) const { return program->extend(cell, edge, first, second); }
};

}  // namespace maxmargin::grammars
