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
  ends_.assign(1, {0, 0, 0});  // no span ends at 0
  put_.resize(static_cast<std::size_t>(rules.symbols()));
  fresh_.resize(static_cast<std::size_t>(rules.symbols()) + 1);
}

void SplitRows::begin_end(std::int32_t end) {
  ends_.push_back({right_rows_, right_size_, row_stride(end - 1)});
  const std::int64_t most = right_rows_ + right_roles_ + 1;  // kernels read the bits of any of them, past the ends of lists
  if (most * words_ > std::ssize(right_bits_)) right_bits_.resize(static_cast<std::size_t>(2 * most * words_));
  if (most > std::ssize(roles_)) roles_.resize(static_cast<std::size_t>(2 * most));
  new_right_row(kNone, 0.0);
}

std::int64_t SplitRows::new_right_row(std::int32_t role, double zero) {
  const std::int64_t stride = ends_.back().stride;
  if (right_size_ + stride > std::ssize(right_)) right_.resize(static_cast<std::size_t>(2 * (right_size_ + stride)));
  double* into = right_.data() + right_size_;
  for (std::int64_t k = 0; k < stride; ++k) into[k] = zero;
  std::fill_n(right_bits_.data() + right_rows_ * words_, words_, 0);
  right_size_ += stride;
  roles_[static_cast<std::size_t>(right_rows_)] = role;
  return right_rows_++ - ends_.back().row;
}

void SplitRows::put_left(std::span<const Symbol> symbols, std::span<const SymbolFacts> facts, const double* values, std::int32_t start, std::int32_t end, double zero) {
  std::int32_t* row_of = left_row_.data() + start * (left_roles_ + 1) + 1;
  const std::size_t count = list_roles<&SymbolFacts::left_role>(symbols, facts, values, zero, row_of);
  if (count > 0) {
    auto row = static_cast<std::int32_t>(std::ssize(left_) / stride_);
    left_.resize(left_.size() + count * static_cast<std::size_t>(stride_), zero);
    left_bits_.resize(left_bits_.size() + count * static_cast<std::size_t>(words_), 0);
    for (std::size_t f = 0; f < count; ++f, ++row) {
      row_of[fresh_[f]] = row;
      for (std::int32_t list = rules_->first_list(fresh_[f]); list < rules_->first_list(fresh_[f] + 1); ++list) live_[static_cast<std::size_t>(start)].push_back({list, row});
    }
  }
  std::uint64_t *bits = left_bits_.data() + end / 64, bit = std::uint64_t{1} << (end % 64);
  double* into = left_.data() + end;
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    const std::int64_t row = row_of[put_[k]];
    bits[row * words_] |= bit;
    into[row * stride_] = values[k];
  }
}

}  // namespace maxmargin::grammars
