// What the rules of a grammar are worth at the places of one sentence.
//
// The score of a rule over tokens i to j - 1, divided at k, is a number of the rule plus fields: tables with one row per start, end, length,
// span or split, and in a row one number per block of rules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/grammars/limits.hpp"
#include "maxmargin/grammars/rules.hpp"

namespace maxmargin::grammars {

enum class Place : std::uint8_t { start, end, length, span, split };

// Rows that a sentence of n tokens has, and which of them belongs to a rule.
inline std::int64_t place_rows(Place place, std::int64_t n) { return place == Place::span ? span_count(n) : n + 1; }
inline std::int64_t place_row(Place place, std::int32_t i, std::int32_t k, std::int32_t j) {
  switch (place) {
    case Place::start: return i;
    case Place::end: return j;
    case Place::length: return j - i;
    case Place::span: return span_number(i, j);
    default: return k;
  }
}

// Numbers per symbol and start or end: those of the positions 0 to n, padded to whole vectors.
inline std::int64_t row_stride(std::int64_t n) { return (n + 4) / 4 * 4; }

struct ScoreField {
  Place place;
  std::int64_t blocks;
  std::span<const std::int32_t> block;     // by rule, kNone where a rule has none
  std::span<const std::int32_t> block_at;  // the same by position, of binary rules
  const double* table;                     // (rows, blocks); of splits (blocks, row_stride)
  std::int64_t size;                       // of the table
  std::size_t part;                        // of the features that it comes from
};

struct SentenceScores {
  std::span<const double> rule;         // by number
  std::span<const double> position;     // of binary rules
  std::vector<ScoreField> fields, split_fields;
  std::int64_t stride = 0;              // of the tables of splits
  const double* symbol_extra = nullptr;  // (spans, symbols): added to what a binary rule makes
  const double* chain_extra = nullptr;   // (spans, chains)
  const SpanLimits* limits = nullptr;    // or none

  // Without what depends on the split.
  double at_span(Rule rule_number, std::int32_t i, std::int32_t j) const {
    double sum = rule[static_cast<std::size_t>(rule_number)];
    for (const ScoreField& field : fields) {
      const std::int32_t block = field.block[static_cast<std::size_t>(rule_number)];
      if (block >= 0) sum += field.table[place_row(field.place, i, 0, j) * field.blocks + block];
    }
    return sum;
  }
  // What is added to `below`, the sum of the values of both parts, in the order of the kernels.
  double with_split(std::int32_t position_number, std::int32_t k, double below) const {
    for (const ScoreField& field : split_fields) {
      const std::int32_t block = field.block_at[static_cast<std::size_t>(position_number)];
      if (block >= 0) below += field.table[block * stride + k];
    }
    return below;
  }
  double chain(const Rules& rules, const Chain& own, std::int32_t i, std::int32_t j) const {
    double sum = 0.0;
    for (const Rule each : rules.rules_of(own)) sum += at_span(each, i, j);
    return sum;
  }
};

}  // namespace maxmargin::grammars
