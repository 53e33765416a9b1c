// The data of a linear classifier of two classes with a smooth loss.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/rows/rows.hpp"
#include "maxmargin/rows/smooth_losses.hpp"

namespace maxmargin {

struct SmoothData {
  Rows rows;
  const std::int8_t* signs = nullptr;  // y, one per row
  const double* weight = nullptr;      // c, one per row; nullptr is 1
  const double* penalty = nullptr;     // p, one per column, all positive

  double weight_of(std::int32_t row) const { return weight == nullptr ? 1.0 : weight[row]; }
  double total_weight(std::span<const std::int32_t> members) const {
    double sum = 0.0;
    for (std::int32_t i : members) sum += weight_of(i);
    return sum;
  }
};

}  // namespace maxmargin
