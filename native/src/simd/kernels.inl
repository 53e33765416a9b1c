// Kernel bodies. Included by one translation unit per instruction set, which defines MAXMARGIN_TABLE and
// MAXMARGIN_ISA_NAME; the compiler flags of that unit decide the vector width.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {
namespace {

#include "lanes.inl"
#include "vector_kernels.inl"
#include "row_kernels.inl"
#include "column_kernels.inl"
#include "class_kernels.inl"
#include "chain_kernels.inl"
#include "loss_kernels.inl"
#include "gram_kernels.inl"
#include "program_kernels.inl"
#include "grid_kernels.inl"
#include "grid_sum_kernels.inl"
#include "grid_wide_kernels.inl"
#include "chart_kernels.inl"
#include "lane_sum_kernels.inl"
#include "value_kernels.inl"
#include "turned_kernels.inl"
#include "block_kernels.inl"

}  // namespace

const Kernels MAXMARGIN_TABLE = {MAXMARGIN_ISA_NAME,
                                 {scores<double>, update<double>, update_observed<double>, update_few<double>, max_plus<double>, plane_values<double>, row_dot<double>, row_axpy<double>, raise<double>},
                                 {scores<float>, update<float>, update_observed<float>, update_few<float>, max_plus<float>, plane_values<float>, row_dot<float>, row_axpy<float>, raise<float>},
                                 dot, coarse_square, extremes, axpy, sparse_dot, sparse_axpy,
                                 sum_product, sum_forward, sum_backward, count_pairs, count_runs, spread, compare, shift, normalise, multiply, range, exp_all, weighted_gram,
                                 max_sum, max_sum_at, all_within, softmax,
                                 kGridStrip, grid_lane, grid_forward, grid_sum_forward, grid_sum_backward, grid_wide_forward, grid_wide_backward,
                                 best_splits, sum_splits, share_splits,
                                 kInputs, weigh_lanes, sum_lanes, spread_lanes,
                                 kValueRows, kValueColumns, add_kernel_values, kernel_values, add_products, turned_scores, turned_update,
                                 block_scores, block_update, softmax_rows,
                                 logistic_losses, squared_hinge_losses, column_scores, column_sums, fold};

}  // namespace maxmargin
