#include "maxmargin/alignments/grid_program.hpp"

#include <stdexcept>
#include <string>

namespace maxmargin::alignments {

GridProgram::GridProgram(std::int32_t m, std::int32_t n) : m_(m), n_(n), places_(0) {
  const std::int64_t places = static_cast<std::int64_t>(m) * n;
  if (places > kMostPlaces) {
    throw std::length_error("Sequences of " + std::to_string(m) + " and " + std::to_string(n) + " positions make a grid of " +
                            std::to_string(places) + " places, and " + std::to_string(kMostPlaces) +
                            " is the most for anything but the best alignment: cut them into pieces.");
  }
  places_ = static_cast<std::int32_t>(places);
}

void GridProgram::pairs_of(std::span<const Edge> edges, std::vector<Pair>& pairs) const {
  pairs.clear();
  for (const Edge edge : edges) {
    const std::int32_t place = edge / kEdges;
    if (place < places_ && edge % kEdges < kFirst[1]) pairs.push_back({place / n_, place % n_});
  }
  std::ranges::sort(pairs, {}, &Pair::i);
}

void GridProgram::edge_scores(const GridScores& scores, const GridShape& shape, std::vector<double>& by_edge) {
  constexpr double kNever = programs::kImpossible<double>;
  ends_.start(scores, shape);
  by_edge.assign(static_cast<std::size_t>(edges()), kNever);
  double* last = by_edge.data() + first(goal());
  *last++ = ends_.alone();
  for (std::int32_t i = 0; i < m_; ++i) {
    const double* match = scores.match_row(i);
    const Columns inside = columns_in_band(shape, m_, n_, i);
    for (std::int32_t j = inside.begin; j < inside.end; ++j) {
      double* into = by_edge.data() + pair_edge(i, j);
      into[0] = ends_.before(i, j) + match[j];
      if (i > 0 && j > 0) into[1] = into[2] = into[3] = match[j];
      if (i > 0) into[4] = scores.open_x[i], into[5] = scores.extend_x[i];
      if (j > 0) into[6] = into[7] = scores.open_y[j], into[8] = scores.extend_y[j];
      last[static_cast<std::int64_t>(i) * n_ + j] = ends_.after(i, j);
    }
  }
}

}  // namespace maxmargin::alignments
