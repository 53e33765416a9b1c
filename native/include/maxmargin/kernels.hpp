// The inner loops, compiled once per instruction set and reached through one table chosen at import.
//
// Weights are feature-major: W has one row of `stride` numbers a feature (stride = label count rounded up to
// `kPad`, the padding always zero), so that one feature of an example touches consecutive memory. They are float64
// wherever a result is reported, and may be float32 in a sweep: half the memory traffic, which is what bounds a visit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "maxmargin/rows.hpp"

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

template <class Real>
struct RowKernels {
  // out[k] = sum_j x_j W[j, k]
  void (*scores)(const Row& x, const Real* weights, int stride, double* out);
  // W[j, k] += x_j coefficient[k]
  void (*update)(const Row& x, Real* weights, int stride, const double* coefficient);
};

struct Kernels {
  const char* name;
  RowKernels<double> fine;
  RowKernels<float> coarse;
  double (*dot)(const double* a, const double* b, std::int64_t n);
  // y += c * x
  void (*axpy)(double c, const double* x, double* y, std::int64_t n);
  double (*sparse_dot)(const std::int32_t* index, const double* value, std::int64_t n, const double* dense);
  void (*sparse_axpy)(double c, const std::int32_t* index, const double* value, std::int64_t n, double* dense);
};

// The table for the best instruction set of this machine; MAXMARGIN_ISA=baseline in the environment forces the plain one.
const Kernels& kernels();

inline void row_scores(const Row& x, const double* weights, int stride, double* out) { kernels().fine.scores(x, weights, stride, out); }
inline void row_scores(const Row& x, const float* weights, int stride, double* out) { kernels().coarse.scores(x, weights, stride, out); }
inline void row_update(const Row& x, double* weights, int stride, const double* coefficient) {
  kernels().fine.update(x, weights, stride, coefficient);
}
inline void row_update(const Row& x, float* weights, int stride, const double* coefficient) {
  kernels().coarse.update(x, weights, stride, coefficient);
}

extern const Kernels kBaselineKernels;
extern const Kernels kAvx2Kernels;

}  // namespace maxmargin
