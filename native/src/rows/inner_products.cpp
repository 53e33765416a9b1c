#include "maxmargin/rows/inner_products.hpp"

#include <cstddef>
#include <cstdint>

namespace maxmargin {

std::vector<double> inner_products(const Rows& rows) {
  const auto n = static_cast<std::size_t>(rows.n);
  std::vector<std::int64_t> ends(static_cast<std::size_t>(rows.width) + 1, 0);  // of the cells of each column seen so far
  for (std::int64_t i = 0; i < rows.n; ++i) {
    const Row row = rows.stored(i);
    for (std::int64_t c = 0; c < row.count; ++c) ++ends[static_cast<std::size_t>(row.column(c)) + 1];
  }
  for (std::size_t j = 1; j < ends.size(); ++j) ends[j] += ends[j - 1];
  const std::vector<std::int64_t> starts(ends);
  std::vector<std::int32_t> members(static_cast<std::size_t>(ends.back()));
  std::vector<double> values(members.size()), products(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    double* own = products.data() + i * n;
    for (std::size_t k = 0; k <= i; ++k) own[k] = rows.bias * rows.bias;
    const Row row = rows.stored(static_cast<std::int64_t>(i));
    for (std::int64_t c = 0; c < row.count; ++c) {
      const auto column = static_cast<std::size_t>(row.column(c));
      const double value = row.value(c);
      const std::int64_t last = ends[column]++;
      members[static_cast<std::size_t>(last)] = static_cast<std::int32_t>(i);
      values[static_cast<std::size_t>(last)] = value;
      for (std::int64_t m = starts[column]; m <= last; ++m) {
        own[members[static_cast<std::size_t>(m)]] += value * values[static_cast<std::size_t>(m)];
      }
    }
    for (std::size_t k = 0; k < i; ++k) products[k * n + i] = own[k];
  }
  return products;
}

}  // namespace maxmargin
