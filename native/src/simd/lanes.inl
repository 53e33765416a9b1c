// Vectors of the width of the machine, and groups of labels in registers. Part of kernels.inl.

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;  // wider vectors than the machine has are split badly
#endif

template <class Real>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(Real));

// Calls op(0), ..., op(n - 1) with constants: an array that these index stays in registers, which that of a loop may not.
template <int n, class Op>
inline void unrolled(Op&& op) {
  [&]<int... at>(std::integer_sequence<int, at...>) { (op(std::integral_constant<int, at>{}), ...); }(std::make_integer_sequence<int, n>{});
}

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
template <class V>
inline V if_greater(V a, V b, V then, V otherwise) {
  return a > b ? then : otherwise;
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
template <class Real, int n>
inline Vec<Real, n> operator-(Vec<Real, n> a, Vec<Real, n> b) {
  for (int k = 0; k < n; ++k) a.lane[k] -= b.lane[k];
  return a;
}
template <class Real, int n>
inline Vec<Real, n> operator/(Vec<Real, n> a, Vec<Real, n> b) {
  for (int k = 0; k < n; ++k) a.lane[k] /= b.lane[k];
  return a;
}
template <class Real, int n>
inline Vec<Real, n> if_greater(Vec<Real, n> a, Vec<Real, n> b, Vec<Real, n> then, Vec<Real, n> otherwise) {
  for (int k = 0; k < n; ++k) a.lane[k] = a.lane[k] > b.lane[k] ? then.lane[k] : otherwise.lane[k];
  return a;
}
#endif
template <class V>
inline V larger(V a, V b) {
  return if_greater(a, b, a, b);
}
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

using Doubles = Vec<double, kLanes<double>>;
inline double sum_of(Doubles v) {
  double lanes[kLanes<double>], total = 0.0;
  store(lanes, v);
  for (double lane : lanes) total += lane;
  return total;
}

template <class Real, int kCount>
inline constexpr int kRegisters = (kCount + kLanes<Real> - 1) / kLanes<Real>;

// For every pattern of n bits the lanes that it selects, as ones and zeros.
template <class Real, int n>
struct Masks {
  Real rows[1 << n][n] = {};
  constexpr Masks() {
    for (int bits = 0; bits < 1 << n; ++bits) {
      for (int lane = 0; lane < n; ++lane) rows[bits][lane] = static_cast<Real>(bits >> lane & 1);
    }
  }
  const Real* of(std::uint32_t bits, int first) const { return rows[bits >> first & ((1u << n) - 1u)]; }
};
template <class Real, int n>
inline constexpr Masks<Real, n> kMasks{};

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
    return at(copy);
  }
  static Group at(const Real* numbers) {
    Group group;
    for (int v = 0; v < kFull; ++v) group.full[v] = load<Full>(numbers + v * kWidth);
    if constexpr (kRest) group.rest = load<Rest>(numbers + kFull * kWidth);
    return group;
  }
  void to(Real* numbers) const {
    for (int v = 0; v < kFull; ++v) store(numbers + v * kWidth, full[v]);
    if constexpr (kRest) store(numbers + kFull * kWidth, rest);
  }
  template <class Op>
  void combine(const Group& other, Op&& op) {
    for (int v = 0; v < kFull; ++v) full[v] = op(full[v], other.full[v]);
    if constexpr (kRest) rest = op(rest, other.rest);
  }
  // this = max(this, value + row)
  void raise(Real value, const Real* row) {
    for (int v = 0; v < kFull; ++v) full[v] = larger(full[v], fill<Full>(value) + load<Full>(row + v * kWidth));
    if constexpr (kRest) rest = larger(rest, fill<Rest>(value) + load<Rest>(row + kFull * kWidth));
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
  // this += value * other
  void add(Real value, const Group& other) {
    for (int v = 0; v < kFull; ++v) full[v] += fill<Full>(value) * other.full[v];
    if constexpr (kRest) rest += fill<Rest>(value) * other.rest;
  }
  // row += value * this, in the lanes whose bit is set
  void scatter(Real value, Real* row, std::uint32_t bits) const {
    for (int v = 0; v < kFull; ++v) {
      const Full mask = load<Full>(kMasks<Real, kWidth>.of(bits, v * kWidth));
      store(row + v * kWidth, load<Full>(row + v * kWidth) + fill<Full>(value) * full[v] * mask);
    }
    if constexpr (kRest) {
      const Rest mask = load<Rest>(kMasks<Real, kPad>.of(bits, kFull * kWidth));
      store(row + kFull * kWidth, load<Rest>(row + kFull * kWidth) + fill<Rest>(value) * rest * mask);
    }
  }
  // row += value * this
  void scatter(Real value, Real* row) const {
    for (int v = 0; v < kFull; ++v) store(row + v * kWidth, load<Full>(row + v * kWidth) + fill<Full>(value) * full[v]);
    if constexpr (kRest) store(row + kFull * kWidth, load<Rest>(row + kFull * kWidth) + fill<Rest>(value) * rest);
  }
};

// Runs op.template operator()<count>(first label) over the labels in chunks of at most 32, of compile-time size.
template <class Op>
inline void over_labels(int stride, Op&& op) {
  int first = 0;
  for (; stride - first > 32; first += 16) op.template operator()<16>(first);
  switch ((stride - first) / kPad) {
    case 1: op.template operator()<4>(first); break;
    case 2: op.template operator()<8>(first); break;
    case 3: op.template operator()<12>(first); break;
    case 4: op.template operator()<16>(first); break;
    case 5: op.template operator()<20>(first); break;
    case 6: op.template operator()<24>(first); break;
    case 7: op.template operator()<28>(first); break;
    default: op.template operator()<32>(first); break;
  }
}
