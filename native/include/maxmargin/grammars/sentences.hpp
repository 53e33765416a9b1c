// Sentences as terminals of a grammar, and the features of rules at their places.
//
// Weights 0 to rules - 1 are those of the rules themselves. Where rules have a value from elsewhere, a prior, its factor is a weight. A part adds
// features of places: rows of a matrix, one per start, end, length, span or split of each sentence (scores.hpp), in the columns of a block of rules;
// weight base + f * blocks + b belongs to column f in block b.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/grammars/scores.hpp"

namespace maxmargin::grammars {

struct PlacePart {
  Place place;
  std::int64_t columns = 0, base = 0, blocks = 0;
  std::vector<std::int32_t> block, block_at;  // by rule and, of binary ones, by position
  std::vector<std::int64_t> first_row;        // (sentences + 1)
  const std::int64_t* starts = nullptr;       // of the rows of all sentences
  const std::int32_t* indices = nullptr;
  const double* values = nullptr;  // null: all are one

  std::int64_t weight_count() const { return columns * blocks; }

  // Calls visit(column, value) for the features of a row of sentence i.
  template <class Visit>
  void visit_row(std::int64_t i, std::int64_t row, Visit&& visit) const {
    const std::int64_t at = first_row[static_cast<std::size_t>(i)] + row;
    for (std::int64_t e = starts[at]; e < starts[at + 1]; ++e) visit(static_cast<std::int64_t>(indices[e]), values == nullptr ? 1.0 : values[e]);
  }
  std::int64_t rows(std::int64_t i) const { return first_row[static_cast<std::size_t>(i) + 1] - first_row[static_cast<std::size_t>(i)]; }
};

struct Sentences {
  const Rules* rules = nullptr;
  std::vector<std::int64_t> first;  // (sentences + 1)
  std::vector<std::int32_t> words;
  std::vector<double> prior;  // by rule, or none
  std::int64_t prior_weight = 0;
  std::vector<PlacePart> parts;
  std::int64_t weights = 0;
  std::vector<std::int64_t> first_limit;  // (sentences + 1), or none
  std::vector<BracketLimit> limits;       // for predictions

  std::span<const BracketLimit> limits_of(std::int64_t i) const {
    if (first_limit.empty()) return {};
    return {limits.data() + first_limit[static_cast<std::size_t>(i)], limits.data() + first_limit[static_cast<std::size_t>(i) + 1]};
  }
  std::int64_t n() const { return std::ssize(first) - 1; }
  std::span<const std::int32_t> words_of(std::int64_t i) const {
    return {words.data() + first[static_cast<std::size_t>(i)], words.data() + first[static_cast<std::size_t>(i) + 1]};
  }

  // Calls visit(index of a weight, value) for the features of a rule at its place in sentence i.
  template <class Visit>
  void visit_features(std::int64_t i, const Anchored& at, Visit&& visit) const {
    visit(static_cast<std::int64_t>(at.rule), 1.0);
    if (!prior.empty()) visit(prior_weight, prior[static_cast<std::size_t>(at.rule)]);
    for (const PlacePart& part : parts) {
      const std::int32_t block = part.block[static_cast<std::size_t>(at.rule)];
      if (block < 0 || (part.place == Place::split && at.split < 0)) continue;
      part.visit_row(i, place_row(part.place, at.start, at.split, at.end),
                     [&](std::int64_t column, double x) { visit(part.base + column * part.blocks + block, x); });
    }
  }
  template <class Real>
  double score(std::int64_t i, const Anchored& at, const Real* weights_at) const {
    double sum = 0.0;
    visit_features(i, at, [&](std::int64_t w, double x) { sum += x * static_cast<double>(weights_at[w]); });
    return sum;
  }
};

// Scores of the rules at all places of one sentence after the other.
class SentenceScorer {  // keeps its memory
 public:
  // At factor * w.
  template <class Real>
  SentenceScores& of(const Sentences& sentences, std::int64_t i, const Real* w, double factor) {
    const Rules& rules = *sentences.rules;
    rule_.resize(static_cast<std::size_t>(rules.rules()));
    position_.resize(static_cast<std::size_t>(rules.binary() + kReadAhead));
    for (std::size_t r = 0; r < rule_.size(); ++r) rule_[r] = factor * static_cast<double>(w[r]);
    if (!sentences.prior.empty()) {
      const double share = factor * static_cast<double>(w[sentences.prior_weight]);
      for (std::size_t r = 0; r < rule_.size(); ++r) rule_[r] += share * sentences.prior[r];
    }
    for (std::int32_t p = 0; p < rules.binary(); ++p) position_[static_cast<std::size_t>(p)] = rule_[static_cast<std::size_t>(rules.rule_at(p))];
    found_ = {rule_, position_, {}, {}, row_stride(std::ssize(sentences.words_of(i)))};
    tables_.resize(sentences.parts.size());
    for (std::size_t k = 0; k < sentences.parts.size(); ++k) add(sentences.parts[k], k, i, w, factor, tables_[k]);
    return found_;
  }

  // Numbers by rule and by place, zero: what is added to them `spread` gives to the features.
  struct Counts {
    std::vector<double> rule;
    std::vector<std::vector<double>> tables;  // (rows, blocks) for each part
  };
  static void clear(const Sentences& sentences, std::int64_t i, Counts& counts) {
    counts.rule.assign(static_cast<std::size_t>(sentences.rules->rules()), 0.0);
    counts.tables.resize(sentences.parts.size());
    for (std::size_t k = 0; k < sentences.parts.size(); ++k) {
      counts.tables[k].assign(static_cast<std::size_t>(sentences.parts[k].rows(i) * sentences.parts[k].blocks), 0.0);
    }
  }
  static void count(const Sentences& sentences, const Anchored& at, double times, Counts& counts) {
    counts.rule[static_cast<std::size_t>(at.rule)] += times;
    for (std::size_t k = 0; k < sentences.parts.size(); ++k) {
      const PlacePart& part = sentences.parts[k];
      const std::int32_t block = part.block[static_cast<std::size_t>(at.rule)];
      if (block < 0 || (part.place == Place::split && at.split < 0)) continue;
      counts.tables[k][static_cast<std::size_t>(place_row(part.place, at.start, at.split, at.end) * part.blocks + block)] += times;
    }
  }
  // v += c * features times counts.
  static void spread(const Sentences& sentences, std::int64_t i, const Counts& counts, double c, double* v) {
    for (std::size_t r = 0; r < counts.rule.size(); ++r) v[r] += c * counts.rule[r];
    for (std::size_t r = 0; r < sentences.prior.size(); ++r) v[sentences.prior_weight] += c * counts.rule[r] * sentences.prior[r];
    for (std::size_t k = 0; k < sentences.parts.size(); ++k) {
      const PlacePart& part = sentences.parts[k];
      for (std::int64_t row = 0; row < part.rows(i); ++row) {
        const double* line = counts.tables[k].data() + row * part.blocks;
        part.visit_row(i, row, [&](std::int64_t column, double x) {
          double* own = v + part.base + column * part.blocks;
          for (std::int64_t b = 0; b < part.blocks; ++b) own[b] += c * x * line[b];
        });
      }
    }
  }

 private:
  template <class Real>
  void add(const PlacePart& part, std::size_t number, std::int64_t i, const Real* w, double factor, std::vector<double>& table) {
    const std::int64_t rows = part.rows(i), stride = found_.stride;
    const bool split = part.place == Place::split;
    std::vector<double>& into = split ? room_ : table;
    into.assign(static_cast<std::size_t>(rows * part.blocks), 0.0);
    for (std::int64_t row = 0; row < rows; ++row) {
      double* line = into.data() + row * part.blocks;
      part.visit_row(i, row, [&](std::int64_t column, double x) {
        const Real* own = w + part.base + column * part.blocks;
        for (std::int64_t b = 0; b < part.blocks; ++b) line[b] += factor * x * static_cast<double>(own[b]);
      });
    }
    if (split) {  // turned, so that the kernel reads the splits of a block as vectors
      table.assign(static_cast<std::size_t>(part.blocks * stride), 0.0);
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t b = 0; b < part.blocks; ++b) table[static_cast<std::size_t>(b * stride + row)] = room_[static_cast<std::size_t>(row * part.blocks + b)];
      }
    }
    (split ? found_.split_fields : found_.fields).push_back({part.place, part.blocks, part.block, part.block_at, table.data(), std::ssize(table), number});
  }

  SentenceScores found_;
  std::vector<double> rule_, position_, room_;
  std::vector<std::vector<double>> tables_;
};

}  // namespace maxmargin::grammars
