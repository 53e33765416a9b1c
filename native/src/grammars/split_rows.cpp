#include "maxmargin/grammars/split_rows.hpp"

namespace maxmargin::grammars {

void SplitRows::shape(std::int32_t n, std::int64_t left_roles, std::int64_t right_roles) {
  left_roles_ = left_roles, right_roles_ = right_roles, stride_ = row_stride(n), words_ = n / 64 + 1;
  const auto positions = static_cast<std::size_t>(n) + 1;
  left_.clear(), left_bits_.clear();
  right_rows_ = right_size_ = 0;
  left_row_.assign(positions * static_cast<std::size_t>(left_roles), kNone);
  right_row_.assign(positions * static_cast<std::size_t>(right_roles), kNone);
  live_.resize(positions);
  for (std::vector<LiveRow>& each : live_) each.clear();
  ends_.assign(1, {0, 0, 0});  // no span ends at 0
}

void SplitRows::begin_end(std::int32_t end) { ends_.push_back({right_rows_, right_size_, row_stride(end - 1)}); }

void SplitRows::put_left(std::span<const Symbol> symbols, std::span<const SymbolFacts> facts, const double* values, std::int32_t start, std::int32_t end, double zero) {
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    const std::int32_t role = facts[static_cast<std::size_t>(symbols[k])].left_role;
    if (role < 0 || values[k] == zero) continue;
    std::int32_t& row = left_row_[static_cast<std::size_t>(start * left_roles_ + role)];
    if (row < 0) {
      row = static_cast<std::int32_t>(std::ssize(left_) / stride_);
      left_.resize(left_.size() + static_cast<std::size_t>(stride_), zero);
      left_bits_.resize(left_bits_.size() + static_cast<std::size_t>(words_), 0);
      live_[static_cast<std::size_t>(start)].push_back({role, row});
    }
    left_bits_[static_cast<std::size_t>(row * words_ + end / 64)] |= std::uint64_t{1} << (end % 64);
    left_[static_cast<std::size_t>(row * stride_ + end)] = values[k];
  }
}

}  // namespace maxmargin::grammars
