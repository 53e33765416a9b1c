#include "maxmargin/grammars/split_rows.hpp"

namespace maxmargin::grammars {

void SplitRows::shape(const Rules& rules, std::int32_t n) {
  rules_ = &rules, left_roles_ = rules.left_roles(), right_roles_ = rules.right_roles(), stride_ = row_stride(n), words_ = n / 64 + 1;
  const auto positions = static_cast<std::size_t>(n) + 1;
  left_.assign(static_cast<std::size_t>(stride_), 0.0);
  left_bits_.assign(static_cast<std::size_t>(words_), 0);
  right_rows_ = right_size_ = 0;
  left_row_.assign(positions * static_cast<std::size_t>(left_roles_ + 1), kNone);
  right_row_.assign(positions * static_cast<std::size_t>(right_roles_ + 1), kNone);
  for (std::size_t at = 0; at < positions; ++at) left_row_[at * static_cast<std::size_t>(left_roles_ + 1)] = right_row_[at * static_cast<std::size_t>(right_roles_ + 1)] = 0;
  live_.resize(positions);
  for (std::vector<LiveRow>& each : live_) each.clear();
  const std::span<const std::int32_t> first = rules.first_right_pairs();
  pairs_.resize(static_cast<std::size_t>(first.back()));
  pairs_end_.assign(first.begin(), first.end() - 1);
  listed_.assign(static_cast<std::size_t>(rules.lists()), 0);
  ends_.assign(1, {0, 0, 0});  // no span ends at 0
  put_.resize(static_cast<std::size_t>(rules.symbols()));
  fresh_.resize(static_cast<std::size_t>(rules.symbols()) + 1);
}

void SplitRows::begin_end(std::int32_t end) {
  ends_.push_back({right_rows_, right_size_, row_stride(end - 1)});
  const std::int64_t most = right_rows_ + right_roles_ + 1;  // kernels read the bits of any of them, past the ends of lists
  if (most * words_ > std::ssize(right_bits_)) right_bits_.resize(static_cast<std::size_t>(2 * most * words_));
  if (most > std::ssize(roles_)) roles_.resize(static_cast<std::size_t>(2 * most));
  roles_[static_cast<std::size_t>(right_rows_)] = kNone;
  new_right_rows(1, 0.0);
}

std::int32_t SplitRows::new_right_rows(std::size_t count, double zero) {
  const auto size = static_cast<std::int64_t>(count) * ends_.back().stride, words = static_cast<std::int64_t>(count) * words_;
  if (right_size_ + size > std::ssize(right_)) right_.resize(static_cast<std::size_t>(2 * (right_size_ + size)));
  double* into = right_.data() + right_size_;
  for (std::int64_t k = 0; k < size; ++k) into[k] = zero;
  std::uint64_t* bits = right_bits_.data() + right_rows_ * words_;
  for (std::int64_t k = 0; k < words; ++k) bits[k] = 0;
  const auto first = static_cast<std::int32_t>(right_rows_ - ends_.back().row);
  right_size_ += size, right_rows_ += static_cast<std::int64_t>(count);
  return first;
}

void SplitRows::list_pairs(std::int32_t list) {
  listed_[static_cast<std::size_t>(list)] = 1;
  std::int32_t pair = rules_->split().first_pair[static_cast<std::size_t>(list)];
  for (const Symbol right : rules_->right_symbols(list)) {
    pairs_[static_cast<std::size_t>(pairs_end_[static_cast<std::size_t>(rules_->right_role(right))]++)] = {list, pair++};
  }
}

void SplitRows::put_left(std::span<const Symbol> symbols, const double* values, std::int32_t start, std::int32_t end, double zero) {
  std::int32_t* row_of = left_row_.data() + start * (left_roles_ + 1) + 1;
  const std::size_t count = list_rows(symbols, rules_->left_roles_of(), values, zero, row_of);
  if (count > 0) {
    auto row = static_cast<std::int32_t>(std::ssize(left_) / stride_);
    left_.resize(left_.size() + count * static_cast<std::size_t>(stride_), zero);
    left_bits_.resize(left_bits_.size() + count * static_cast<std::size_t>(words_), 0);
    std::vector<LiveRow>& live = live_[static_cast<std::size_t>(start)];
    for (std::size_t f = 0; f < count; ++f, ++row) {
      const std::int32_t role = rules_->left_role(symbols[fresh_[f]]);
      row_of[role] = put_[fresh_[f]] = row;
      for (std::int32_t list = rules_->first_list(role); list < rules_->first_list(role + 1); ++list) {
        live.push_back({list, row});
        if (listed_[static_cast<std::size_t>(list)] == 0) list_pairs(list);
      }
    }
  }
  put(symbols.size(), values, left_bits_.data(), left_.data(), stride_, end);
}

}  // namespace maxmargin::grammars
