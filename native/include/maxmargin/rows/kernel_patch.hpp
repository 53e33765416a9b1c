// Training rows by a kernel: what the core sees of the kernel matrix K.
//
// With a kernel, w is sum_r beta[r] phi(x_r) over the n training rows, and all that is read of it are its products with these rows,
// F = K beta. So weights have one row of numbers per training row for F, another for beta, and explicit ones may follow. Row r is the
// unit vector e_r, whose product with the weights is F[r]; to move by c along row r is beta[r] += c and F += c K[:, r]. While
// some rows are visited, F is kept up to date for those in a patch of K only, in a copy with the scores of a label side by side, since
// few labels change in a move; whoever set the patch adds all moves to F at once (rows/kernel_oracle.py).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace maxmargin {

struct KernelPatch {
  std::vector<std::int32_t> unit;   // n + r for every row r, where beta[r] is
  std::vector<std::int32_t> place;  // of each row in the patch, -1 where it is not in it
  std::int64_t size = 0;            // rows in the patch
  const std::int32_t* rows = nullptr;
  const double* values = nullptr;  // (size, size)
  double* scores = nullptr;        // F of these rows, (labels, size)

  // K[r, s] of two rows in the patch.
  double operator()(std::int64_t r, std::int64_t s) const {
    const std::int64_t at = place[static_cast<std::size_t>(r)], other = place[static_cast<std::size_t>(s)];
    if (at < 0 || other < 0) throw std::logic_error("a product of rows outside the patch of the kernel matrix was asked for");
    return values[at * size + other];
  }
};

}  // namespace maxmargin
