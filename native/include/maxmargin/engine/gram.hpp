// The planes of one block and their products, with room to grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

template <class Plane>
struct GramGroup {
  std::vector<Plane> planes;
  std::vector<double> gram;  // (room, room)
  std::size_t room = 0;

  void prefetch() const {
    for (std::size_t k = 0; k < planes.size(); ++k) prefetch_line(&planes[k]), prefetch_line(row(k));
  }
  double at(std::size_t k, std::size_t l) const { return gram[k * room + l]; }
  const double* row(std::size_t k) const { return &gram[k * room]; }

  // Takes a plane in whose products with the planes before it, and last with itself, are `row`.
  void append(Plane plane, const std::vector<double>& row) {
    const std::size_t count = planes.size();
    if (count == room) {
      const std::size_t larger = room == 0 ? 2 : 2 * room;
      std::vector<double> grown(larger * larger);
      for (std::size_t k = 0; k < count; ++k) std::copy_n(&gram[k * room], count, &grown[k * larger]);
      gram = std::move(grown);
      room = larger;
    }
    for (std::size_t k = 0; k <= count; ++k) gram[k * room + count] = gram[count * room + k] = row[k];
    planes.push_back(std::move(plane));
  }

  void erase(std::size_t gone) {
    const std::size_t count = planes.size();
    for (std::size_t k = 0; k < count; ++k) {
      std::copy(&gram[k * room + gone] + 1, &gram[k * room] + count, &gram[k * room + gone]);
    }
    for (std::size_t k = gone; k + 1 < count; ++k) std::copy_n(&gram[(k + 1) * room], count, &gram[k * room]);
    planes.erase(planes.begin() + static_cast<std::ptrdiff_t>(gone));
  }
};

}  // namespace maxmargin
