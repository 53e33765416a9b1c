// Weighted sums over the rows for every column: what defaults need to know of the features, without the constant one, and
// what solvers do, with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

struct ColumnMoments {
  std::vector<double> first, second, filled;  // sums of w x, of w x^2, and of w where x is not zero
};
ColumnMoments column_moments(const Rows& rows, const double* weight);

// How columns vary within groups of rows: the sum over groups of share times the mean square of a column, and of share times the square
// of its mean. `members` are row numbers, group after group; empty where they are all rows.
struct GroupMoments {
  std::vector<double> square, centre;
};
GroupMoments group_moments(const Rows& rows, std::span<const std::int32_t> members, std::span<const std::int64_t> offsets,
                           std::span<const double> share);

// Of the cells that are not zero: sums of w |x - centre| and of w (x - centre)^2.
struct ColumnDeviations {
  std::vector<double> absolute, squared;
};
ColumnDeviations column_deviations(const Rows& rows, const double* weight, const double* centre);

// The lower triangle of sum_i w_i x_i x_i', of order columns(), the constant feature included; zero above the diagonal.
std::vector<double> column_products(const Rows& rows, const double* weight);

}  // namespace maxmargin
