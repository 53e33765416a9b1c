#include "maxmargin/alignments/limits.hpp"

#include <algorithm>

#include "maxmargin/programs/program.hpp"

namespace maxmargin::alignments {

GridScores LimitedScores::limit(const GridScores& scores, std::span<const Pair> required, std::span<const Pair> forbidden) {
  constexpr double kNever = programs::kImpossible<double>;
  const auto rows = static_cast<std::size_t>(scores.m), columns = static_cast<std::size_t>(scores.n);
  match_.resize(rows * columns);
  auto row = [&](std::int32_t i) { return match_.data() + static_cast<std::size_t>(i) * columns; };
  for (std::int32_t i = 0; i < scores.m; ++i) std::copy_n(scores.match_row(i), columns, row(i));
  const double* given[] = {scores.open_x, scores.extend_x, scores.open_y, scores.extend_y};
  for (int k = 0; k < 4; ++k) gaps_[k].assign(given[k], given[k] + (k < 2 ? rows : columns));
  for (const Pair& pair : forbidden) row(pair.i)[pair.j] = kNever;
  for (const Pair& pair : required) {  // its positions have no other partner, and are in no gap
    const double own = row(pair.i)[pair.j];
    std::fill_n(row(pair.i), columns, kNever);
    for (std::int32_t i = 0; i < scores.m; ++i) row(i)[pair.j] = kNever;
    row(pair.i)[pair.j] = own;
    for (int k = 0; k < 4; ++k) gaps_[k][static_cast<std::size_t>(k < 2 ? pair.i : pair.j)] = kNever;
  }
  GridScores limited{scores.m, scores.n, match_.data(), gaps_[0].data(), gaps_[1].data(), gaps_[2].data(), gaps_[3].data(), nullptr};
  if (!required.empty()) limited.first = required.front(), limited.last = required.back();  // nor are they outside of all pairs
  return limited;
}

}  // namespace maxmargin::alignments
