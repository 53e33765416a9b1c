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
#if defined(__AVX__)
inline Vec fill(double x) { return Vec{x, x, x, x}; }
#else
inline Vec fill(double x) { return Vec{x, x}; }
#endif
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

// Calls pair(column, value, column, value) for the non-zero cells two by two, and one(column, value) for an odd last one
// and for the bias. Two at a time let a sum have two chains of additions, whose latency is what bounds it.
template <class T, class Pair, class One>
inline void for_each_pair(const Row& x, Pair&& pair, One&& one) {
  const T* values = static_cast<const T*>(x.values);
  auto run = [&](std::int64_t count, auto&& column, auto&& value) {
    std::int64_t c = 0;
    for (; c + 2 <= count; c += 2) pair(column(c), value(c), column(c + 1), value(c + 1));
    if (c < count) one(column(c), value(c));
  };
  auto stored = [values](std::int64_t c) { return static_cast<double>(values[c]); };
  switch (x.kind) {
    case RowKind::sparse: run(x.count, [&x](std::int64_t c) { return std::int64_t{x.indices[c]}; }, stored); break;
    case RowKind::narrow: run(x.count, [&x](std::int64_t c) { return std::int64_t{x.narrow[c]}; }, stored); break;
    case RowKind::dense: run(x.width, [](std::int64_t c) { return c; }, stored); break;
    case RowKind::masked:
      for (std::int64_t base = 0; base < x.width; base += 64) {
        std::uint64_t bits = x.mask[base / 64];
        while (bits != 0) {
          const std::int64_t j = base + std::countr_zero(bits);
          bits &= bits - 1;
          if (bits == 0) {
            one(j, stored(j));
            break;
          }
          const std::int64_t k = base + std::countr_zero(bits);
          bits &= bits - 1;
          pair(j, stored(j), k, stored(k));
        }
      }
      break;
  }
  if (x.bias != 0.0) one(x.width, x.bias);
}

template <class T, int kVectors>
void score_chunk(const Row& x, const double* weights, int stride, double* out) {
  Vec even[kVectors] = {}, odd[kVectors] = {};
  auto add = [&](Vec* sum, std::int64_t column, double value) {
    const double* row = weights + column * stride;
    const Vec scale = fill(value);
    for (int v = 0; v < kVectors; ++v) sum[v] += scale * load(row + v * kLanes);
  };
  for_each_pair<T>(
      x,
      [&](std::int64_t j, double xj, std::int64_t k, double xk) {
        add(even, j, xj);
        add(odd, k, xk);
      },
      [&](std::int64_t j, double xj) { add(even, j, xj); });
  for (int v = 0; v < kVectors; ++v) store(out + v * kLanes, even[v] + odd[v]);
}

template <class T, int kVectors>
void update_chunk(const Row& x, double* weights, int stride, const double* coefficient) {
  Vec scale[kVectors];
  for (int v = 0; v < kVectors; ++v) scale[v] = load(coefficient + v * kLanes);
  auto add = [&](std::int64_t column, double value) {
    double* row = weights + column * stride;
    const Vec cell = fill(value);
    for (int v = 0; v < kVectors; ++v) store(row + v * kLanes, load(row + v * kLanes) + cell * scale[v]);
  };
  for_each_pair<T>(
      x,
      [&](std::int64_t j, double xj, std::int64_t k, double xk) {
        add(j, xj);
        add(k, xk);
      },
      add);
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

bool zeros(const double* four) { return four[0] == 0.0 && four[1] == 0.0 && four[2] == 0.0 && four[3] == 0.0; }

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
  // Usually two or three labels change: leave out whole vectors of zeros at either end.
  int begin = 0, end = stride;
  while (begin + kPad < end && zeros(coefficient + begin)) begin += kPad;
  while (begin + kPad < end && zeros(coefficient + end - kPad)) end -= kPad;
  weights += begin;
  coefficient += begin;
  over_labels(end - begin, [&]<int kVectors>(int first) {
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
