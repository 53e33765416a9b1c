// Numbers by symbol, start and end as the kernels of charts read them (simd/split_rules.hpp): twice, consecutive by end and by start.
//
// Rows exist only for symbols that have a number there, one after the other in the order in which they came.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::grammars {

class SplitRows {
 public:
  void shape(std::int32_t n, std::int64_t left_roles, std::int64_t right_roles);
  // Takes up the value of a symbol over a span by its role, its number among the left or the right children; rows begin as `zero`. The answer
  // is whether a row begins.
  bool put_left(std::int32_t role, std::int32_t start, std::int32_t end, double value, double zero) {
    std::int32_t& row = left_row_[static_cast<std::size_t>(start * left_roles_ + role)];
    const bool fresh = row < 0;
    if (fresh) {
      row = begin_row(left_, zero);
      left_bits_.resize(left_bits_.size() + static_cast<std::size_t>(words_), 0);
      live_[static_cast<std::size_t>(start)].push_back({role, row});
    }
    set(left_bits_.data() + static_cast<std::int64_t>(row) * words_, end);
    left_[static_cast<std::size_t>(row * stride_ + end)] = value;
    return fresh;
  }
  bool put_right(std::int32_t role, std::int32_t start, std::int32_t end, double value, double zero) {
    std::int32_t& row = right_row_[static_cast<std::size_t>(end * right_roles_ + role)];
    const bool fresh = row < 0;
    if (fresh) {
      row = begin_row(right_, zero);
      live_right_[static_cast<std::size_t>(end)].push_back(role);
    }
    set(right_bits_.data() + (end * right_roles_ + role) * words_, start);
    right_[static_cast<std::size_t>(row * stride_ + start)] = value;
    return fresh;
  }

  // All rows, and the place in them of a symbol that was put over a span: other numbers can be kept in the same places.
  std::span<const double> left() const { return left_; }
  std::span<const double> right() const { return right_; }
  std::size_t left_place(std::int32_t role, std::int32_t start, std::int32_t end) const { return static_cast<std::size_t>(left_row(role, start) * stride_ + end); }
  std::size_t right_place(std::int32_t role, std::int32_t start, std::int32_t end) const { return static_cast<std::size_t>(right_row(role, end) * stride_ + start); }

  const std::uint64_t* left_bits() const { return left_bits_.data(); }
  const std::uint64_t* right_bits(std::int32_t end) const { return right_bits_.data() + end * right_roles_ * words_; }
  const std::int32_t* right_rows(std::int32_t end) const { return right_row_.data() + end * right_roles_; }
  std::span<const LiveRow> live(std::int32_t start) const { return live_[static_cast<std::size_t>(start)]; }
  std::span<const std::int32_t> live_right(std::int32_t end) const { return live_right_[static_cast<std::size_t>(end)]; }  // roles
  std::int64_t stride() const { return stride_; }
  int words() const { return words_; }

  // Calls visit(k) for the splits of [start, end) at which both roles are there.
  template <class Visit>
  void splits(std::int32_t left_role, std::int32_t right_role, std::int32_t start, std::int32_t end, Visit&& visit) const {
    const std::int64_t row = left_row(left_role, start);
    if (row < 0) return;
    const std::uint64_t *ends = left_bits() + row * words_, *starts = right_bits(end) + right_role * words_;
    for (int word = 0; word < words_; ++word) {
      for (std::uint64_t bits = ends[word] & starts[word]; bits != 0; bits &= bits - 1) visit(64 * word + std::countr_zero(bits));
    }
  }

 private:
  static void set(std::uint64_t* bits, std::int32_t at) { bits[at / 64] |= std::uint64_t{1} << (at % 64); }
  std::int32_t begin_row(Weights& rows, double zero) const {
    const auto row = static_cast<std::int32_t>(std::ssize(rows) / stride_);
    rows.resize(rows.size() + static_cast<std::size_t>(stride_), zero);
    return row;
  }
  std::int64_t left_row(std::int32_t role, std::int32_t start) const { return left_row_[static_cast<std::size_t>(start * left_roles_ + role)]; }
  std::int64_t right_row(std::int32_t role, std::int32_t end) const { return right_row_[static_cast<std::size_t>(end * right_roles_ + role)]; }

  std::int64_t left_roles_ = 0, right_roles_ = 0, stride_ = 0;
  int words_ = 0;
  Weights left_, right_;
  std::vector<std::int32_t> left_row_, right_row_;         // by start or end, and role; -1 for none
  std::vector<std::uint64_t> left_bits_, right_bits_;      // by row; by end and role
  std::vector<std::vector<LiveRow>> live_;                 // by start
  std::vector<std::vector<std::int32_t>> live_right_;      // by end
};

}  // namespace maxmargin::grammars
