// The inner loops, compiled once per instruction set and reached through one table chosen at import.
//
// Weights are feature-major: W has one row of `stride` numbers per feature (stride = label count rounded up to
// `kPad`, the padding always zero), so that one feature of an example touches consecutive memory. They are float64
// wherever a result is reported, and may be float32 in a sweep: half the memory traffic, which is what bounds a visit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "maxmargin/rows/rows.hpp"
#include "maxmargin/simd/grid_pass.hpp"
#include "maxmargin/simd/grid_sum_pass.hpp"
#include "maxmargin/simd/kernel_pass.hpp"
#include "maxmargin/simd/split_rules.hpp"

namespace maxmargin {

// Weights that start at a cache line: no load of a vector then spans two lines.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
  template <class U>
  bool operator==(const LineAllocator<U>&) const {
    return true;
  }
};
template <class Real>
using WeightsOf = std::vector<Real, LineAllocator<Real>>;
using Weights = WeightsOf<double>;

inline constexpr int kPad = 4;
inline int padded(std::int64_t labels) { return static_cast<int>((labels + kPad - 1) / kPad * kPad); }

// The largest gradient of all planes, and the smallest of those in use (down is -1 where none is).
struct Extremes {
  int up = 0, down = -1;
  double highest = 0.0, lowest = 0.0;
};

template <class Real>
struct RowKernels {
  // out[k] = sum_j x_j W[j, k]
  void (*scores)(const Row& x, const Real* weights, int stride, Real* out);
  // W[j, k] += x_j coefficient[k]
  void (*update)(const Row& x, Real* weights, int stride, const double* coefficient);
  // The same for the labels whose bit is set in the `words` words of row j of `observed`.
  void (*update_observed)(const Row& x, Real* weights, int stride, const double* coefficient, const std::uint32_t* observed, int words);
  // W[j, place[k]] += x_j change[k] for k < count
  void (*update_few)(const Row& x, Real* weights, int stride, const std::int32_t* place, const double* change, int count);
  // out[k] = node[k] + max_j (from[j] + table[j * apart + k])
  void (*max_plus)(const Real* from, int count, const Real* table, std::int64_t apart, const Real* node, int stride, Real* out);
  // out[k] = margin[k] - scale[k] (scores[truth] - scores[k]) - charge, and 0 for the truth; answers the place of the largest,
  // the truth where none is positive
  int (*plane_values)(const Real* scores, const double* margin, const double* scale, double charge, int truth, int stride, double* out);
  // sum_j x_j w[j], for weights of one column
  double (*row_dot)(const Row& x, const Real* w);
  // w[j] += c x_j
  void (*row_axpy)(const Row& x, double c, Real* w);
  // into[k] = max(into[k], from[k] + score)
  void (*raise)(Real* into, const Real* from, std::int64_t n, Real score);
};

inline constexpr std::int64_t kGramRows = 128;
inline constexpr std::int64_t kTurnedPad = 32;
inline constexpr int kTurnedRows = 8;

struct Kernels {
  const char* name;
  RowKernels<double> fine;
  RowKernels<float> coarse;
  double (*dot)(const double* a, const double* b, std::int64_t n);
  // sum x^2 in float64
  double (*coarse_square)(const float* x, std::int64_t n);
  // of `stride` numbers, a multiple of 4
  Extremes (*extremes)(const double* gradient, const double* alpha, int stride);
  // y += c * x
  void (*axpy)(double c, const double* x, double* y, std::int64_t n);
  double (*sparse_dot)(const std::int32_t* index, const double* value, std::int64_t n, const double* dense);
  void (*sparse_axpy)(double c, const std::int32_t* index, const double* value, std::int64_t n, double* dense);
  // out[k] = node[k] * sum_j from[j] table[j * apart + k]
  void (*sum_product)(const double* from, int count, const double* table, std::int64_t apart, const double* node, int stride, double* out);
  // For t = 1 to n - 1: alpha[t, k] = nodes[t, k] * sum_j alpha[t - 1, j] table[j, k], divided by their sum, which is scale[t].
  void (*sum_forward)(const double* nodes, const double* table, std::int64_t n, int labels, int stride, double* alpha, double* scale);
  // For t = n - 1 down to 1: targets[t, k] = nodes[t, k] beta[t, k] / scale[t] and beta[t - 1, j] = sum_k targets[t, k] turned[k, j];
  // `ones` are stride times 1.
  void (*sum_backward)(const double* nodes, const double* turned, const double* scale, std::int64_t n, int labels, int stride, const double* ones,
                       double* beta, double* targets);
  // counts[j * apart + k] += from[j] table[j * apart + k] to[k]
  void (*count_pairs)(const double* from, int count, const double* table, std::int64_t apart, const double* to, int stride, double* counts);
  // counts[j * stride + k] += table[j * stride + k] sum_t from[t * stride + j] to[t * stride + k] for n values of t and j < labels
  void (*count_runs)(const double* from, const double* to, std::int64_t n, int labels, int stride, const double* table, double* counts);
  // out[j] = sum_k table[j * apart + k] to[k]
  void (*spread)(const double* table, int count, std::int64_t apart, const double* to, int stride, double* out);
  // change[k] = mine[k] - change[k] for n entries, a multiple of 4; adds to sums: mine . score, (old) change . score, |difference|_1
  void (*compare)(const float* mine, double* change, const double* score, std::int64_t n, double* sums);
  // into[k] -= share * change[k]
  void (*shift)(float* into, const double* change, double share, std::int64_t n);
  // x /= their sum, for n a multiple of 4; answers the sum, and x = 0 where it is 0
  double (*normalise)(double* x, std::int64_t n);
  // out[k] = factor a[k] b[k]
  void (*multiply)(const double* a, const double* b, double factor, std::int64_t n, double* out);
  // lowers *lowest and raises *highest to what is among the n numbers
  void (*range)(const double* x, std::int64_t n, double* lowest, double* highest);
  // x[k] = exp(x[k]) to 2 units in the last place or so; x is at most 709
  void (*exp_all)(double* x, std::int64_t n);
  // out[j * d + l] += sum_i weight[i] x_j[i] y_l[i] for l <= j < d, column x_j being left + j * apart and y_l right + l * apart, of
  // n <= kGramRows numbers each
  void (*weighted_gram)(const double* left, const double* right, std::int64_t apart, const double* weight, std::int64_t d, std::int64_t n, double* out);
  // max_k a[k] + b[k], and with values[index[k]] for b[k]; minus infinity for n = 0
  double (*max_sum)(const double* a, const double* b, std::int64_t n);
  double (*max_sum_at)(const double* a, const double* values, const std::int32_t* index, std::int64_t n);
  // whether every number is at most `most` in size, or minus infinity
  bool (*all_within)(const double* x, std::int64_t n, double most);
  // x[k] = exp(x[k]) / sum; answers the log of the sum, and x = 0 where all are minus infinity
  double (*softmax)(double* x, std::int64_t n);
  // The best alignments up to each place of a grid: rows in a strip, where the choices of a row of a strip are, and the pass.
  int grid_strip;
  int (*grid_lane)(int row);
  void (*grid_forward)(GridPass& pass);
  // Sums over all alignments: up to each place, and then uses of pairs and gaps.
  void (*grid_sum_forward)(GridSumPass& pass);
  void (*grid_sum_backward)(GridSumPass& pass);
  void (*grid_wide_forward)(GridWidePass& pass);
  void (*grid_wide_backward)(GridWidePass& pass);
  // low[parent] = max over the rules of the parent and their splits of left + right + scores; lists in `found` the parents that had nothing,
  // minus infinity, before, and answers how many they are
  std::int64_t (*best_splits)(const SpanSplits& span, double* low, std::int32_t* found);
  // low[parent] = sum over them of left * right * scores; the scores are factors here, and nothing is 0
  std::int64_t (*sum_splits)(const SpanSplits& span, double* low, std::int32_t* found);
  // what each parent, with outside[parent], gives to its parts and to the counts of its rules
  void (*share_splits)(const SpanSplits& span, const SpanShares& shares);
  // Sums of `inputs` inputs of one program at once (programs/lane_sums.hpp): what belongs to an edge or a cell is that many numbers side
  // by side. `first` has the first edge into each cell and the number of edges, `tails` two cells per edge.
  int inputs;
  // weights[e] = exp(scores[.][e])
  void (*weigh_lanes)(const double* const* scores, std::int64_t edges, double* weights);
  // below[cell] = sum over the edges into the cell of weights[e] below[tails of e], and weights[e] becomes the edge's share of that;
  // lowest and highest sum but for those that are 0, by input, NaN left out
  void (*sum_lanes)(std::int32_t cells, const std::int32_t* first, const std::int32_t* tails, double* weights, double* below, double* lowest,
                    double* highest);
  // marginals[.][e] = reach[head of e] chances[e], added to reach of both tails, from the last cell to the first
  void (*spread_lanes)(std::int32_t cells, const std::int32_t* first, const std::int32_t* tails, const double* chances, double* reach,
                       double* const* marginals);
  // Sums of values of a kernel: rows of a group, columns of a panel, and the pass.
  int value_rows, value_columns;
  void (*add_kernel_values)(const KernelPass& pass);
  // The values themselves for `count` rows in groups and a panel, rows of `out` being `apart` from each other.
  void (*kernel_values)(const float* panel, const float* groups, std::int64_t depth, std::int64_t count, int power, float* out, std::int64_t apart);
  // out[r * apart + c] += sum_k x[r * own + k] panel[k, c] for k < depth, the columns c of a panel, and r < count, a multiple of a group
  void (*add_products)(const float* x, std::int64_t own, std::int64_t count, const float* panel, std::int64_t depth, float* out, std::int64_t apart);
  // out[r * stride + k] = sum_j x[r * apart + j] weights[k * apart + j] for r < rows and k < stride, with `apart` a multiple of kTurnedPad and
  // rows filled up with zeros to it; kTurnedRows of them are fast, and
  // bring `count` others that come soon into the cache
  void (*turned_scores)(const float* x, int rows, const float* weights, std::int64_t apart, int stride, float* out, const float* const* soon, int count);
  // weights[j] += c x_j for j < apart
  void (*turned_update)(float c, const float* x, float* weights, std::int64_t apart);
  // out[r, k] = sum_j x_r[j] W[j, k] for dense rows whose cells, float32 where `single`, are at cells[r], the constant column included
  void (*block_scores)(const void* const* cells, int rows, bool single, std::int64_t width, double bias, const double* weights, int stride, double* out);
  // W[j, k] += sum_r x_r[j] coefficient[r, k]
  void (*block_update)(const void* const* cells, int rows, bool single, std::int64_t width, double bias, double* weights, int stride,
                       const double* coefficient);
  // From scores (rows, stride) to probabilities of the classes, in place, 0 in the padding; the log of the sum of the exponentials of row i
  // is highest[i] + log sums[i].
  void (*softmax_rows)(double* scores, std::int64_t rows, int classes, int stride, double* highest, double* sums);
  // Losses of n rows of two classes and their first two derivatives by the score, all times the weights; answer the sum. With
  // z = sign * score they are log(1 + exp(-z)) and 1/2 max(0, 1 - z)^2.
  double (*logistic_losses)(const double* score, const double* sign, const double* weight, std::int64_t n, double* first, double* second);
  double (*squared_hinge_losses)(const double* score, const double* sign, const double* weight, std::int64_t n, double* first, double* second);
  // out[i] = sum_j w[j] x_j[i] for columns x_j = columns + j * apart of n numbers
  void (*column_scores)(const double* columns, std::int64_t apart, const double* w, std::int64_t d, std::int64_t n, double* out);
  // out[j] += sum_i coefficient[i] x_j[i]
  void (*column_sums)(const double* columns, std::int64_t apart, const double* coefficient, std::int64_t d, std::int64_t n, double* out);
  // out[k] = values[k] + values[n + k] for k < n, where out may be values; answers the sum of the second half
  double (*fold)(const double* values, std::int64_t n, double* out);
};

// The table for the best instruction set of this machine; MAXMARGIN_ISA=baseline in the environment forces the plain one, and avx2 leaves
// AVX-512 out.
const Kernels& kernels();

inline const RowKernels<double>& kernels_for(const double*) { return kernels().fine; }
inline const RowKernels<float>& kernels_for(const float*) { return kernels().coarse; }

template <class Real>
void row_scores(const Row& x, const Real* weights, int stride, Real* out) {
  kernels_for(weights).scores(x, weights, stride, out);
}
template <class Real>
void row_update(const Row& x, Real* weights, int stride, const double* coefficient) {
  kernels_for(weights).update(x, weights, stride, coefficient);
}

extern const Kernels kBaselineKernels;
extern const Kernels kAvx2Kernels;
// Puts what gains from AVX-512 into a table.
void use_avx512(Kernels& table);

}  // namespace maxmargin
