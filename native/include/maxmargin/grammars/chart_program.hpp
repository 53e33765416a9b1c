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

  explicit ChartProgram(const Chart& chart) : chart_(&chart), symbols_(chart.rules().symbols()) {
    for (std::int32_t j = 1; j <= chart.n(); ++j) {
      for (std::int32_t i = j - 1; i >= 0; --i) spans_.push_back({i, j});
    }
  }

  std::int32_t cells() const { return chart_->cells(); }
  Cell goal() const { return chart_->goal(); }

  template <class Visit>
  void incoming(Cell cell, Visit&& visit) const {
    const Rules& rules = chart_->rules();
    const double* values = chart_->values();
    const At at = place(cell);
    if (at.high) {
      if (values[cell - symbols_] != kImpossible<double>) visit(Edge{0}, cell - symbols_, kNoTail);
      for (std::int32_t c = rules.first_chain(at.symbol); c < rules.first_chain(at.symbol + 1); ++c) {
        const Cell from = chart_->low(chain(c).bottom, at.i, at.j);
        if (values[from] != kImpossible<double>) visit(1 + c - rules.first_chain(at.symbol), from, kNoTail);
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
    const At at = place(cell);
    if (at.high) return {edge == 0 ? cell - symbols_ : chart_->low(chain(chain_number(at, edge)).bottom, at.i, at.j), kNoTail};
    if (at.j == at.i + 1) return {kNoTail, kNoTail};
    return parts(position_of(at, edge), at, edge % (chart_->n() + 1));
  }

  // The value of a derivation from those of its tails, 0 for no tail; as the kernel adds them up, so that values can be compared.
  double extend(Cell cell, Edge edge, double first, double second) const {
    const At at = place(cell);
    if (at.high) return edge == 0 ? first : first + chart_->chain_score(chain_number(at, edge), at.i, at.j);
    if (at.j == at.i + 1) return chart_->word_score(words_at(at.i)[static_cast<std::size_t>(edge)], at.i);
    const std::int32_t k = edge % (chart_->n() + 1);
    const double value = chart_->split_value(position_of(at, edge), at.i, k, at.j, first, second);
    return chart_->scores().symbol_extra == nullptr ? value : value + chart_->symbol_extra(at.symbol, at.i, at.j);
  }

  // Appends the rules that an edge stands for.
  void add_rules(Cell cell, Edge edge, std::vector<Anchored>& into) const {
    const Rules& rules = chart_->rules();
    const At at = place(cell);
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
    std::int32_t i, j;
    bool high;
  };
  At place(Cell cell) const {
    const Span span = spans_[static_cast<std::size_t>(cell / (2 * symbols_))];
    const std::int32_t rest = cell % (2 * symbols_);
    return {rest % symbols_, span.i, span.j, rest >= symbols_};
  }
  // The number of the chain of an edge into a high cell other than 0.
  std::int32_t chain_number(const At& at, Edge edge) const { return chart_->rules().first_chain(at.symbol) + edge - 1; }
  const Chart& chart() const { return *chart_; }

 private:
  struct Span {
    std::int32_t i, j;
  };
  const Chain& chain(std::int32_t number) const { return chart_->rules().chains()[static_cast<std::size_t>(number)]; }
  std::span<const Word> words_at(std::int32_t i) const { return chart_->rules().words(chart_->words()[static_cast<std::size_t>(i)]); }
  std::int32_t position_of(const At& at, Edge edge) const { return chart_->rules().positions(at.symbol)[static_cast<std::size_t>(edge / (chart_->n() + 1))]; }
  Tails parts(std::int32_t position, const At& at, std::int32_t k) const {
    return {chart_->high(chart_->rules().left(position), at.i, k), chart_->high(chart_->rules().right(position), k, at.j)};
  }

  const Chart* chart_;
  std::int32_t symbols_;
  std::vector<Span> spans_;
};
static_assert(programs::DynamicProgram<ChartProgram>);

// Scores as programs/kbest.hpp asks for them.
struct ChartScores {
  const ChartProgram* program = nullptr;
  double extend(Cell cell, Edge edge, double first, double second) const { return program->extend(cell, edge, first, second); }
};

}  // namespace maxmargin::grammars
