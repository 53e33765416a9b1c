#include "maxmargin/grammars/split_rows.hpp"

#include "maxmargin/grammars/scores.hpp"

namespace maxmargin::grammars {

void SplitRows::shape(std::int32_t n, std::int64_t left_roles, std::int64_t right_roles) {
  left_roles_ = left_roles, right_roles_ = right_roles, stride_ = row_stride(n), words_ = n / 64 + 1;
  const auto positions = static_cast<std::size_t>(n) + 1;
  left_.clear(), right_.clear(), left_bits_.clear();
  left_row_.assign(positions * static_cast<std::size_t>(left_roles), -1);
  right_row_.assign(positions * static_cast<std::size_t>(right_roles), -1);
  right_bits_.assign(positions * static_cast<std::size_t>(right_roles * words_), 0);
  live_.resize(positions), live_right_.resize(positions);
  for (std::vector<LiveRow>& each : live_) each.clear();
  for (std::vector<std::int32_t>& each : live_right_) each.clear();
}

}  // namespace maxmargin::grammars
