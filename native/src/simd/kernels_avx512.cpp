// Compiled with AVX-512 enabled, and only what it makes faster; reached only after the processor said that it has it.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {
namespace {

#include "lanes.inl"
#include "gram_kernels.inl"
#include "value_kernels.inl"
#include "turned_kernels.inl"

}  // namespace

void use_avx512(Kernels& table) {
  table.name = "avx512";
  table.weighted_gram = weighted_gram;
  table.column_scores = column_scores;
  table.column_sums = column_sums;
  table.value_rows = kValueRows;
  table.value_columns = kValueColumns;
  table.add_kernel_values = add_kernel_values;
  table.kernel_values = kernel_values;
  table.add_products = add_products;
  table.turned_scores = turned_scores;
  table.turned_update = turned_update;
}

}  // namespace maxmargin
