// Numbers by symbol, start and end as the kernels of charts read them (simd/split_rules.hpp): twice, consecutive by end and by start.
//
// Rows exist only for symbols that have a number there, in the order in which they came; those of a left child have the numbers of all ends, those
// of a right one the numbers of the starts before its end. Spans come by end, so that the rows of an end follow each other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/grammars/scores.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::grammars {

struct RightPair {  // a pair of children, seen from the right one: its list and its number
  std::int32_t list, pair;
};

class SplitRows {
 public:
  void shape(const Rules& rules, std::int32_t n);
  void begin_end(std::int32_t end);  // before the numbers of spans with this end, from the first end on
  // Take up the values of symbols over a span where they have a role there; what is `zero` is left out, and rows begin as it. Right ones belong to
  // the end that was begun, and fresh(role, row) is called where a row begins. Which symbols have a row yet is hard to foretell: new rows are
  // listed first, without a branch, and what has no place goes to a row that is never read.
  void put_left(std::span<const Symbol> symbols, const double* values, std::int32_t start, std::int32_t end, double zero);
  template <class Fresh>
  void put_right(std::span<const Symbol> symbols, const double* values, std::int32_t start, double zero, Fresh&& fresh) {
    const End own = ends_.back();
    std::int32_t* row_of = right_row_.data() + (std::ssize(ends_) - 1) * (right_roles_ + 1) + 1;
    const std::size_t count = list_rows(symbols, rules_->right_roles_of(), values, zero, row_of);
    std::int32_t row = new_right_rows(count, zero);
    for (std::size_t f = 0; f < count; ++f, ++row) {
      const std::int32_t role = rules_->right_role(symbols[fresh_[f]]);
      row_of[role] = put_[fresh_[f]] = row;
      roles_[static_cast<std::size_t>(own.row + row)] = role;
      fresh(role, row);
    }
    put(symbols.size(), values, right_bits_.data() + own.row * words_, right_.data() + own.place, own.stride, start);
  }

  // All rows, and the place in them of a symbol that was put over a span: other numbers can be kept in the same places.
  std::span<const double> left() const { return left_; }
  std::span<const double> right() const { return {right_.data(), static_cast<std::size_t>(right_size_)}; }
  std::size_t left_place(std::int32_t role, std::int32_t start, std::int32_t end) const { return static_cast<std::size_t>(left_row(role, start) * stride_ + end); }
  std::size_t right_place(std::int32_t role, std::int32_t start, std::int32_t end) const {
    return static_cast<std::size_t>(right_begin(end) + right_row(role, end) * right_stride(end) + start);
  }
  // Where the rows of an end begin.
  std::int64_t right_begin(std::int32_t end) const { return ends_[static_cast<std::size_t>(end)].place; }

  const std::uint64_t* left_bits() const { return left_bits_.data(); }
  const std::uint64_t* right_bits(std::int32_t end) const { return right_bits_.data() + ends_[static_cast<std::size_t>(end)].row * words_; }
  std::span<const LiveRow> live(std::int32_t start) const { return live_[static_cast<std::size_t>(start)]; }
  std::span<const std::int32_t> live_right(std::int32_t end) const {  // roles, by row of the end; the first has none
    const std::int64_t next = end + 1 < std::ssize(ends_) ? ends_[static_cast<std::size_t>(end) + 1].row : right_rows_;
    return {roles_.data() + ends_[static_cast<std::size_t>(end)].row, roles_.data() + next};
  }
  // The pairs of a right child whose left child has a row at some start: at an end no other can have a split.
  std::span<const RightPair> pairs_of(std::int32_t right_role) const {
    const auto role = static_cast<std::size_t>(right_role);
    return {pairs_.data() + rules_->first_right_pairs()[role], pairs_.data() + pairs_end_[role]};
  }
  std::int64_t stride() const { return stride_; }
  std::int64_t right_stride(std::int32_t end) const { return ends_[static_cast<std::size_t>(end)].stride; }
  int words() const { return words_; }

  // Calls visit(k) for the splits of [start, end) at which both roles are there.
  template <class Visit>
  void splits(std::int32_t left_role, std::int32_t right_role, std::int32_t start, std::int32_t end, Visit&& visit) const {
    const std::int64_t row = left_row(left_role, start), other = right_row(right_role, end);
    if (row < 0 || other < 0) return;
    const std::uint64_t *ends = left_bits() + row * words_, *starts = right_bits(end) + other * words_;
    for (int word = 0; word < words_; ++word) {
      for (std::uint64_t bits = ends[word] & starts[word]; bits != 0; bits &= bits - 1) visit(64 * word + std::countr_zero(bits));
    }
  }

 private:
  struct End {
    std::int64_t row, place, stride;  // where its rows begin, in rows and in numbers, and how long they are
  };
  // Lists in put_ the rows of symbols, the first one where they have no role or no value; in fresh_, and answers how many, the symbols that need a row.
  std::size_t list_rows(std::span<const Symbol> symbols, const std::int32_t* roles, const double* values, double zero, const std::int32_t* row_of) {
    std::size_t count = 0;
    std::int32_t* put = put_.data();
    std::uint32_t* fresh = fresh_.data();
    for (std::size_t k = 0; k < symbols.size(); ++k) {
      const std::int32_t role = values[k] == zero ? kNone : roles[symbols[k]], row = row_of[role];
      put[k] = row;
      fresh[count] = static_cast<std::uint32_t>(k);
      count += static_cast<std::size_t>(row < 0);
    }
    return count;
  }
  // Values into the rows of put_, at a place.
  void put(std::size_t count, const double* values, std::uint64_t* bits, double* rows, std::int64_t stride, std::int32_t place) const {
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    const std::int32_t* row = put_.data();
    const std::int64_t words = words_;
    bits += place / 64, rows += place;
    for (std::size_t k = 0; k < count; ++k) {
      bits[row[k] * words] |= bit;
      rows[row[k] * stride] = values[k];
    }
  }
  void list_pairs(std::int32_t list);  // those of a list, at their right children
  std::int32_t new_right_rows(std::size_t count, double zero);  // the first of them, among those of the end
  std::int64_t left_row(std::int32_t role, std::int32_t start) const { return left_row_[static_cast<std::size_t>(start * (left_roles_ + 1) + 1 + role)]; }
  std::int64_t right_row(std::int32_t role, std::int32_t end) const { return right_row_[static_cast<std::size_t>(end * (right_roles_ + 1) + 1 + role)]; }

  const Rules* rules_ = nullptr;
  std::int64_t left_roles_ = 0, right_roles_ = 0, stride_ = 0;
  std::int64_t right_rows_ = 0, right_size_ = 0;  // in use, of the memory of right ones
  int words_ = 0;
  Weights left_, right_;
  std::vector<std::int32_t> left_row_, right_row_;     // by start or end, and role from kNone on; kNone for none
  std::vector<std::uint64_t> left_bits_, right_bits_;  // by row
  std::vector<std::vector<LiveRow>> live_;             // by start
  std::vector<RightPair> pairs_;       // by right role
  std::vector<std::int32_t> pairs_end_;
  std::vector<char> listed_;           // by list
  std::vector<End> ends_;
  std::vector<std::int32_t> roles_;  // of all right rows
  std::vector<std::int32_t> put_;     // of the span at hand
  std::vector<std::uint32_t> fresh_;  // by number among its symbols
};

}  // namespace maxmargin::grammars
