#include "maxmargin/alignments/features.hpp"

#include <algorithm>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::alignments {
namespace {

// Gives the columns that positions of x have places in the profile, from 0 on, and answers how many there are.
std::int64_t number_columns(const Component& component, std::int64_t begin, std::int64_t end, std::vector<std::int32_t>& place) {
  place.assign(static_cast<std::size_t>(component.x_columns), -1);
  std::int32_t used = 0;
  for (std::int64_t p = begin; p < end; ++p) {
    component.x.visit(p, [&](std::int32_t column, double) {
      if (place[static_cast<std::size_t>(column)] < 0) place[static_cast<std::size_t>(column)] = used++;
    });
  }
  return used;
}

void gap_scores(const std::vector<GapPart>& gaps, GapSide GapPart::*side, std::int64_t begin, std::int32_t length, const double* weights, double factor,
                std::vector<double>& open, std::vector<double>& extend) {
  open.assign(static_cast<std::size_t>(length), 0.0);
  extend.assign(static_cast<std::size_t>(length), 0.0);
  for (const GapPart& part : gaps) {
    const GapSide& own = part.*side;
    for (std::int32_t i = 0; i < length; ++i) {
      own.rows.visit(begin + i, [&](std::int32_t column, double value) {
        open[static_cast<std::size_t>(i)] += factor * own.open_value * value * weights[own.open[static_cast<std::size_t>(column)]];
        extend[static_cast<std::size_t>(i)] += factor * own.extend_value * value * weights[own.extend[static_cast<std::size_t>(column)]];
      });
    }
  }
}

// The scores of each column of x in use against all positions of y.
void fill_profile(const Component& component, std::int64_t y0, std::int32_t n, const double* w, double factor, const std::vector<std::int32_t>& place,
                  double* profile) {
  for (std::int32_t column = 0; column < component.x_columns; ++column) {
    const std::int32_t at = place[static_cast<std::size_t>(column)];
    if (at < 0) continue;
    const Component::Row own = component.row(column);
    double* row = profile + static_cast<std::int64_t>(at) * n;
    for (std::int32_t j = 0; j < n; ++j) {
      double sum = 0.0;
      component.y.visit(y0 + j, [&](std::int32_t other, double value) {
        if (own.has(other)) sum += value * own.times(other) * w[own.index[other]];
      });
      row[j] = factor * sum;
    }
  }
}

}  // namespace

GridScores AlignmentSet::scores(std::int32_t sx, std::int32_t sy, const double* w, double factor, ScoreRoom& room, bool own) const {
  const std::int32_t m = length(sx), n = length(sy);
  const std::int64_t x0 = first_position[static_cast<std::size_t>(sx)], y0 = first_position[static_cast<std::size_t>(sy)];
  const auto wide = static_cast<std::size_t>(n);
  gap_scores(gaps, &GapPart::x, x0, m, w, factor, room.open_x, room.extend_x);
  gap_scores(gaps, &GapPart::y, y0, n, w, factor, room.open_y, room.extend_y);
  const bool shared = !own && components.size() == 1 && components.front().x.is_code();
  if (!shared) room.match.resize(static_cast<std::size_t>(m) * wide);
  bool first = true;
  for (const Component& component : components) {
    const std::int64_t used = number_columns(component, x0, x0 + m, room.place);
    std::vector<double>& profile = shared ? room.match : room.profile;
    profile.resize(static_cast<std::size_t>(used) * wide);
    fill_profile(component, y0, n, w, factor, room.place, profile.data());
    if (shared) break;
    if (first && !component.x.is_code()) std::fill(room.match.begin(), room.match.end(), 0.0);
    for (std::int32_t i = 0; i < m; ++i) {
      double* into = room.match.data() + static_cast<std::int64_t>(i) * n;
      component.x.visit(x0 + i, [&](std::int32_t column, double value) {
        const double* from = profile.data() + static_cast<std::int64_t>(room.place[static_cast<std::size_t>(column)]) * n;
        if (first && component.x.is_code()) {
          std::copy_n(from, n, into);
        } else {
          kernels().axpy(value, from, into, n);
        }
      });
    }
    first = false;
  }
  if (first && !shared) std::fill(room.match.begin(), room.match.end(), 0.0);
  if (shared) {
    room.row.resize(static_cast<std::size_t>(m));
    for (std::int32_t i = 0; i < m; ++i) room.row[static_cast<std::size_t>(i)] = room.place[static_cast<std::size_t>(components.front().x.indices[x0 + i])];
  }
  return {m, n, room.match.data(), room.open_x.data(), room.extend_x.data(), room.open_y.data(), room.extend_y.data(), shared ? room.row.data() : nullptr};
}

void AlignmentSet::add_expected(std::int32_t sx, std::int32_t sy, const Expected& use, double c, double* v, ScoreRoom& room) const {
  const std::int32_t m = length(sx), n = length(sy);
  const std::int64_t x0 = first_position[static_cast<std::size_t>(sx)], y0 = first_position[static_cast<std::size_t>(sy)];
  for (const Component& component : components) {
    const std::int64_t used = number_columns(component, x0, x0 + m, room.place);
    room.profile.assign(static_cast<std::size_t>(used) * static_cast<std::size_t>(n), 0.0);
    for (std::int32_t i = 0; i < m; ++i) {
      component.x.visit(x0 + i, [&](std::int32_t column, double value) {
        kernels().axpy(value, use.match.data() + static_cast<std::int64_t>(i) * n,
                       room.profile.data() + static_cast<std::int64_t>(room.place[static_cast<std::size_t>(column)]) * n, n);
      });
    }
    for (std::int32_t column = 0; column < component.x_columns; ++column) {
      const std::int32_t at = room.place[static_cast<std::size_t>(column)];
      if (at < 0) continue;
      const Component::Row own = component.row(column);
      const double* row = room.profile.data() + static_cast<std::int64_t>(at) * n;
      for (std::int32_t j = 0; j < n; ++j) {
        component.y.visit(y0 + j, [&](std::int32_t other, double value) {
          if (own.has(other)) v[own.index[other]] += c * value * own.times(other) * row[j];
        });
      }
    }
  }
  auto add_side = [&](const GapSide& side, std::int64_t begin, const std::vector<double>& open, const std::vector<double>& extend) {
    for (std::size_t i = 0; i < open.size(); ++i) {
      side.rows.visit(begin + static_cast<std::int64_t>(i), [&](std::int32_t column, double value) {
        v[side.open[static_cast<std::size_t>(column)]] += c * side.open_value * value * open[i];
        v[side.extend[static_cast<std::size_t>(column)]] += c * side.extend_value * value * extend[i];
      });
    }
  };
  for (const GapPart& part : gaps) {
    add_side(part.x, x0, use.open_x, use.extend_x);
    add_side(part.y, y0, use.open_y, use.extend_y);
  }
}

}  // namespace maxmargin::alignments
