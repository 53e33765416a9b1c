// Inner products of all pairs of rows.
#pragma once

#include <vector>

#include "maxmargin/rows/rows.hpp"

namespace maxmargin {

// <x_i, x_j> of all rows, row-major. Meant for rows with few cells: what it costs is the pairs of cells in one column.
std::vector<double> inner_products(const Rows& rows);

}  // namespace maxmargin
