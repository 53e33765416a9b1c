// Kernel bodies. Included by one translation unit per instruction set, which defines MAXMARGIN_TABLE and
// MAXMARGIN_ISA_NAME; the compiler flags of that unit decide the vector width.
#include <bit>
#include <cstring>
#include <utility>

#include "maxmargin/kernels.hpp"

namespace maxmargin {
namespace {

#if defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;  // wider vectors than the machine has are split badly
#endif

template <class Real>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(Real));

#if defined(__GNUC__) || defined(__clang__)
template <class Real, int n>
struct VectorType {
  typedef Real type __attribute__((vector_size(n * sizeof(Real))));
};
template <class Real, int n>
using Vec = typename VectorType<Real, n>::type;
template <class V, class Real>
inline V fill(Real x) {
  return x - V{};  // a broadcast
}
#else
template <class Real, int n>
struct Vec {
  Real lane[n];
};
template <class Real, int n>
inline Vec<Real, n> operator+(Vec<Real, n> a, Vec<Real, n> b) {
  for (int k = 0; k < n; ++k) a.lane[k] += b.lane[k];
  return a;
}
template <class Real, int n>
inline Vec<Real, n> operator*(Vec<Real, n> a, Vec<Real, n> b) {
  for (int k = 0; k < n; ++k) a.lane[k] *= b.lane[k];
  return a;
}
template <class Real, int n>
inline Vec<Real, n>& operator+=(Vec<Real, n>& a, Vec<Real, n> b) {
  return a = a + b;
}
template <class V, class Real>
inline V fill(Real x) {
  V v;
  for (Real& lane : v.lane) lane = x;
  return v;
}
#endif
template <class V, class Real>
inline V load(const Real* p) {
  V v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}
template <class V, class Real>
inline void store(Real* p, V v) {
  std::memcpy(p, &v, sizeof(v));
}

// kCount weights in registers: vectors of full width and, where kCount is an odd multiple of 4, one of four.
template <class Real, int kCount>
struct Group {
  static constexpr int kWidth = kLanes<Real>;
  static constexpr int kFull = kCount / kWidth;
  static constexpr bool kRest = kCount % kWidth != 0;
  using Full = Vec<Real, kWidth>;
  using Rest = Vec<Real, kPad>;

  Full full[kFull > 0 ? kFull : 1] = {};
  Rest rest = {};

  static Group from(const double* numbers) {
    Real copy[kCount];
    for (int k = 0; k < kCount; ++k) copy[k] = static_cast<Real>(numbers[k]);
    Group group;
    for (int v = 0; v < kFull; ++v) group.full[v] = load<Full>(copy + v * kWidth);
    if constexpr (kRest) group.rest = load<Rest>(copy + kFull * kWidth);
    return group;
  }
  void to(double* numbers) const {
    Real copy[kCount];
    for (int v = 0; v < kFull; ++v) store(copy + v * kWidth, full[v]);
    if constexpr (kRest) store(copy + kFull * kWidth, rest);
    for (int k = 0; k < kCount; ++k) numbers[k] = static_cast<double>(copy[k]);
  }
  Group& operator+=(const Group& other) {
    for (int v = 0; v < kFull; ++v) full[v] += other.full[v];
    if constexpr (kRest) rest += other.rest;
    return *this;
  }
  // this += value * row
  void gather(Real value, const Real* row) {
    for (int v = 0; v < kFull; ++v) full[v] += fill<Full>(value) * load<Full>(row + v * kWidth);
    if constexpr (kRest) rest += fill<Rest>(value) * load<Rest>(row + kFull * kWidth);
  }
  // row += value * this
  void scatter(Real value, Real* row) const {
    for (int v = 0; v < kFull; ++v) store(row + v * kWidth, load<Full>(row + v * kWidth) + fill<Full>(value) * full[v]);
    if constexpr (kRest) store(row + kFull * kWidth, load<Rest>(row + kFull * kWidth) + fill<Rest>(value) * rest);
  }
};

// Calls body.operator()<way>(column, value) for every non-zero cell and the bias, the way going round from 0 to
// kWays - 1: a sum kept in several parts has as many chains of additions, whose latency is what bounds it.
template <int kWays, class Real, class Stored, class Body>
inline void for_each_cell(const Row& x, Body&& body) {
  const Stored* values = static_cast<const Stored*>(x.values);
  constexpr auto ways = std::make_integer_sequence<int, kWays>{};
  auto run = [&](std::int64_t count, auto&& column, auto&& value) {
    std::int64_t c = 0;
    for (; c + kWays <= count; c += kWays) {
      [&]<int... way>(std::integer_sequence<int, way...>) {
        (body.template operator()<way>(column(c + way), value(c + way)), ...);
      }(ways);
    }
    for (; c < count; ++c) body.template operator()<0>(column(c), value(c));
  };
  auto stored = [values](std::int64_t c) { return static_cast<Real>(values[c]); };
  auto one = [](std::int64_t) { return Real{1}; };
  auto index = [&x](std::int64_t c) { return std::int64_t{x.indices[c]}; };
  auto narrow = [&x](std::int64_t c) { return std::int64_t{x.narrow[c]}; };
  switch (x.kind) {
    case RowKind::sparse: run(x.count, index, stored); break;
    case RowKind::ones: run(x.count, index, one); break;
    case RowKind::narrow: run(x.count, narrow, stored); break;
    case RowKind::coded:
      run(x.count, narrow, [codes = x.codes, palette = x.palette->values<Real>()](std::int64_t c) { return palette[codes[c]]; });
      break;
    case RowKind::dense: run(x.width, [](std::int64_t c) { return c; }, stored); break;
    case RowKind::masked:
      for (std::int64_t base = 0; base < x.width; base += 64) {
        std::uint64_t bits = x.mask[base / 64];
        auto next = [&]<int way>() {
          const std::int64_t j = base + std::countr_zero(bits);
          bits &= bits - 1;
          body.template operator()<way>(j, static_cast<Real>(values[j]));
          return bits != 0;
        };
        while (bits != 0) {
          [&]<int... way>(std::integer_sequence<int, way...>) { (void)(next.template operator()<way>() && ...); }(ways);
        }
      }
      break;
  }
  if (x.bias != 0.0) body.template operator()<0>(x.width, static_cast<Real>(x.bias));
}

template <class Real, class Stored, int kCount>
void score_chunk(const Row& x, const Real* weights, int stride, double* out) {
  constexpr int kWays = kCount > 8 * kLanes<Real> / 4 ? 2 : 4;
  Group<Real, kCount> sum[kWays];
  for_each_cell<kWays, Real, Stored>(
      x, [&]<int way>(std::int64_t column, Real value) { sum[way].gather(value, weights + column * stride); });
  for (int way = 1; way < kWays; ++way) sum[0] += sum[way];
  sum[0].to(out);
}

template <class Real, class Stored, int kCount>
void update_chunk(const Row& x, Real* weights, int stride, const double* coefficient) {
  const auto change = Group<Real, kCount>::from(coefficient);
  for_each_cell<2, Real, Stored>(
      x, [&]<int way>(std::int64_t column, Real value) { change.scatter(value, weights + column * stride); });
}

// Runs op.template operator()<count>(first label) over the labels in chunks of at most 24, of compile-time size.
template <class Op>
inline void over_labels(int stride, Op&& op) {
  int first = 0;
  for (; stride - first > 24; first += 16) op.template operator()<16>(first);
  switch ((stride - first) / kPad) {
    case 1: op.template operator()<4>(first); break;
    case 2: op.template operator()<8>(first); break;
    case 3: op.template operator()<12>(first); break;
    case 4: op.template operator()<16>(first); break;
    case 5: op.template operator()<20>(first); break;
    default: op.template operator()<24>(first); break;
  }
}

bool zeros(const double* four) { return four[0] == 0.0 && four[1] == 0.0 && four[2] == 0.0 && four[3] == 0.0; }

template <class Real>
void scores(const Row& x, const Real* weights, int stride, double* out) {
  over_labels(stride, [&]<int kCount>(int first) {
    if (x.single) {
      score_chunk<Real, float, kCount>(x, weights + first, stride, out + first);
    } else {
      score_chunk<Real, double, kCount>(x, weights + first, stride, out + first);
    }
  });
}

template <class Real>
void update(const Row& x, Real* weights, int stride, const double* coefficient) {
  // Usually two or three labels change: leave out whole vectors of zeros at either end.
  int begin = 0, end = stride;
  while (begin + kPad < end && zeros(coefficient + begin)) begin += kPad;
  while (begin + kPad < end && zeros(coefficient + end - kPad)) end -= kPad;
  weights += begin;
  coefficient += begin;
  over_labels(end - begin, [&]<int kCount>(int first) {
    if (x.single) {
      update_chunk<Real, float, kCount>(x, weights + first, stride, coefficient + first);
    } else {
      update_chunk<Real, double, kCount>(x, weights + first, stride, coefficient + first);
    }
  });
}

double dot(const double* a, const double* b, std::int64_t n) {
  constexpr int kWidth = kLanes<double>;
  using V = Vec<double, kWidth>;
  V sum[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * kWidth <= n; i += 4 * kWidth) {
    for (int v = 0; v < 4; ++v) sum[v] += load<V>(a + i + v * kWidth) * load<V>(b + i + v * kWidth);
  }
  double lanes[kWidth];
  store(lanes, (sum[0] + sum[1]) + (sum[2] + sum[3]));
  double total = 0.0;
  for (double lane : lanes) total += lane;
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

void axpy(double c, const double* x, double* y, std::int64_t n) {
  constexpr int kWidth = kLanes<double>;
  using V = Vec<double, kWidth>;
  const V scale = fill<V>(c);
  std::int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store(y + i, load<V>(y + i) + scale * load<V>(x + i));
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

const Kernels MAXMARGIN_TABLE = {MAXMARGIN_ISA_NAME, {scores<double>, update<double>}, {scores<float>, update<float>}, dot, axpy, sparse_dot, sparse_axpy};

}  // namespace maxmargin
