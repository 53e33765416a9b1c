// Kernel bodies. Included by one translation unit per instruction set, which defines MAXMARGIN_TABLE and
// MAXMARGIN_ISA_NAME; the compiler flags of that unit decide the vector width.
#include <bit>
#include <cstring>

#include "maxmargin/kernels.hpp"

namespace maxmargin {
namespace {

#if defined(__GNUC__) || defined(__clang__)
#if defined(__AVX__)
inline constexpr int kLanes = 4;
#else
inline constexpr int kLanes = 2;  // wider vectors than the machine has are split badly
#endif
typedef double Vec __attribute__((vector_size(kLanes * sizeof(double))));
inline Vec load(const double* p) {
  Vec v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}
inline void store(double* p, Vec v) { std::memcpy(p, &v, sizeof(v)); }
inline Vec fill(double x) { return Vec{} + x; }
#else
inline constexpr int kLanes = 2;
struct Vec {
  double lane[kLanes];
};
inline Vec operator+(Vec a, Vec b) { return {a.lane[0] + b.lane[0], a.lane[1] + b.lane[1]}; }
inline Vec operator*(Vec a, Vec b) { return {a.lane[0] * b.lane[0], a.lane[1] * b.lane[1]}; }
inline Vec& operator+=(Vec& a, Vec b) { return a = a + b; }
inline Vec load(const double* p) { return {p[0], p[1]}; }
inline void store(double* p, Vec v) { p[0] = v.lane[0], p[1] = v.lane[1]; }
inline Vec fill(double x) { return {x, x}; }
#endif

// Calls visit(column, value) for every stored non-zero cell, then for the bias.
template <class T, class Visit>
inline void for_each_cell(const Row& x, Visit&& visit) {
  const T* values = static_cast<const T*>(x.values);
  if (x.kind == RowKind::sparse) {
    for (std::int64_t c = 0; c < x.count; ++c) visit(std::int64_t{x.indices[c]}, static_cast<double>(values[c]));
  } else if (x.kind == RowKind::narrow) {
    for (std::int64_t c = 0; c < x.count; ++c) visit(std::int64_t{x.narrow[c]}, static_cast<double>(values[c]));
  } else if (x.kind == RowKind::masked) {
    for (std::int64_t base = 0; base < x.width; base += 64) {
      for (std::uint64_t bits = x.mask[base / 64]; bits != 0; bits &= bits - 1) {
        const std::int64_t column = base + std::countr_zero(bits);
        visit(column, static_cast<double>(values[column]));
      }
    }
  } else {
    for (std::int64_t column = 0; column < x.width; ++column) visit(column, static_cast<double>(values[column]));
  }
  if (x.bias != 0.0) visit(x.width, x.bias);
}

template <class T, int kVectors>
void score_chunk(const Row& x, const double* weights, int stride, double* out) {
  Vec sum[kVectors] = {};
  for_each_cell<T>(x, [&](std::int64_t column, double value) {
    const double* row = weights + column * stride;
    const Vec scale = fill(value);
    for (int v = 0; v < kVectors; ++v) sum[v] += scale * load(row + v * kLanes);
  });
  for (int v = 0; v < kVectors; ++v) store(out + v * kLanes, sum[v]);
}

template <class T, int kVectors>
void update_chunk(const Row& x, double* weights, int stride, const double* coefficient) {
  Vec scale[kVectors];
  for (int v = 0; v < kVectors; ++v) scale[v] = load(coefficient + v * kLanes);
  for_each_cell<T>(x, [&](std::int64_t column, double value) {
    double* row = weights + column * stride;
    const Vec cell = fill(value);
    for (int v = 0; v < kVectors; ++v) store(row + v * kLanes, load(row + v * kLanes) + cell * scale[v]);
  });
}

// Runs op.template operator()<vectors>(first label) over the labels in chunks of at most 24, of compile-time width.
template <class Op>
inline void over_labels(int stride, Op&& op) {
  constexpr int kUnit = kPad / kLanes;
  int first = 0;
  for (; stride - first > 24; first += 16) op.template operator()<4 * kUnit>(first);
  switch ((stride - first) / kPad) {
    case 1: op.template operator()<1 * kUnit>(first); break;
    case 2: op.template operator()<2 * kUnit>(first); break;
    case 3: op.template operator()<3 * kUnit>(first); break;
    case 4: op.template operator()<4 * kUnit>(first); break;
    case 5: op.template operator()<5 * kUnit>(first); break;
    default: op.template operator()<6 * kUnit>(first); break;
  }
}

void scores(const Row& x, const double* weights, int stride, double* out) {
  over_labels(stride, [&]<int kVectors>(int first) {
    if (x.single) {
      score_chunk<float, kVectors>(x, weights + first, stride, out + first);
    } else {
      score_chunk<double, kVectors>(x, weights + first, stride, out + first);
    }
  });
}

void update(const Row& x, double* weights, int stride, const double* coefficient) {
  over_labels(stride, [&]<int kVectors>(int first) {
    if (x.single) {
      update_chunk<float, kVectors>(x, weights + first, stride, coefficient + first);
    } else {
      update_chunk<double, kVectors>(x, weights + first, stride, coefficient + first);
    }
  });
}

double dot(const double* a, const double* b, std::int64_t n) {
  Vec sum[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    for (int v = 0; v < 4; ++v) sum[v] += load(a + i + v * kLanes) * load(b + i + v * kLanes);
  }
  double lanes[kLanes];
  store(lanes, (sum[0] + sum[1]) + (sum[2] + sum[3]));
  double total = 0.0;
  for (double lane : lanes) total += lane;
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

void axpy(double c, const double* x, double* y, std::int64_t n) {
  const Vec scale = fill(c);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, load(y + i) + scale * load(x + i));
  for (; i < n; ++i) y[i] += c * x[i];
}

double sparse_dot(const std::int32_t* index, const double* value, std::int64_t n, const double* dense) {
  double sum[4] = {};
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int v = 0; v < 4; ++v) sum[v] += value[i + v] * dense[index[i + v]];
  }
  for (; i < n; ++i) sum[0] += value[i] * dense[index[i]];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void sparse_axpy(double c, const std::int32_t* index, const double* value, std::int64_t n, double* dense) {
  for (std::int64_t i = 0; i < n; ++i) dense[index[i]] += c * value[i];
}

}  // namespace

const Kernels MAXMARGIN_TABLE = {MAXMARGIN_ISA_NAME, scores, update, dot, axpy, sparse_dot, sparse_axpy};

}  // namespace maxmargin
