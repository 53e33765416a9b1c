// Products of a dense row with weights that lie label by label. Part of kernels.inl.

using TurnedFloats = Vec<float, kLanes<float>>;

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define MAXMARGIN_SHUFFLES
#endif
#endif

// Sums of neighbours: those of a, then those of b.
template <class V>
inline V sums_of_pairs(V a, V b) {
  constexpr int n = sizeof(V) / sizeof(float);
#if defined(MAXMARGIN_SHUFFLES)
  return [&]<int... k>(std::integer_sequence<int, k...>) {
    return __builtin_shufflevector(a, b, 2 * k...) + __builtin_shufflevector(a, b, 2 * k + 1 ...);
  }(std::make_integer_sequence<int, n>{});
#else
  float pairs[2 * n], sums[n];
  store(pairs, a), store(pairs + n, b);
  for (int k = 0; k < n; ++k) sums[k] = pairs[2 * k] + pairs[2 * k + 1];
  return load<V>(sums);
#endif
}

// The lanes of a vector in equal shares, one for each of the v: they add up to the sum of its lanes.
template <int n>
inline TurnedFloats sums_of_lanes(TurnedFloats (&v)[n]) {
  if constexpr (n == 1) {
    return v[0];
  } else {
    TurnedFloats half[n / 2];
    unrolled<n / 2>([&](auto k) { half[k] = sums_of_pairs(v[2 * k], v[2 * k + 1]); });
    return sums_of_lanes(half);
  }
}

// Several rows at a time read the weights, which the second cache delivers, only once. `kWays` sums at a time hide how long an addition takes.
// Each group of labels brings one of the rows that come `soon`, a cache line after the other.
template <int kRows, int kLabels, int kWays>
void turned_scores_of(const float* x, const float* weights, std::int64_t apart, int stride, float* out, const float* const* soon = nullptr, int count = 0) {
  constexpr int kWidth = kLanes<float>, kSums = kRows * kLabels * kWays, kShare = kWidth / (kRows * kLabels);
  static_assert(kSums <= kWidth && kTurnedPad % (kWays * kWidth) == 0 && kPad % kLabels == 0);
  for (int label = 0; label < stride; label += kLabels) {
    const float* own = weights + label * apart;
    TurnedFloats sum[kSums] = {};
    const float* later = label / kLabels < count ? soon[label / kLabels] : x;
    for (std::int64_t j = 0; j < apart; j += kWays * kWidth) {
      if constexpr (kRows > 1) prefetch_line(later + j);
      unrolled<kSums>([&](auto at) {
        constexpr int way = at % kWays, r = at / kWays % kRows, k = at / (kWays * kRows);
        sum[at] += load<TurnedFloats>(x + r * apart + j + way * kWidth) * load<TurnedFloats>(own + k * apart + j + way * kWidth);
      });
    }
    float found[kWidth];
    store(found, sums_of_lanes(sum));
    for (int at = 0; at < kRows * kLabels; ++at) {
      float total = found[at * kShare];
      for (int lane = 1; lane < kShare; ++lane) total += found[at * kShare + lane];
      out[at % kRows * stride + label + at / kRows] = total;
    }
  }
}

void turned_scores(const float* x, int rows, const float* weights, std::int64_t apart, int stride, float* out, const float* const* soon, int count) {
  constexpr int kWidth = kLanes<float>, kTogether = kWidth == 16 ? 8 : 4;  // with AVX-512 there are 32 registers in place of 16
  int r = 0;
  for (; r + kTogether <= rows; r += kTogether) turned_scores_of<kTogether, kWidth / kTogether, 1>(x + r * apart, weights, apart, stride, out + r * stride, soon + std::min(r, count), std::max(0, std::min(count - r, kTogether)));
  for (; r < rows; ++r) turned_scores_of<1, 4, kWidth == 4 ? 1 : 2>(x + r * apart, weights, apart, stride, out + r * stride);
}

void turned_update(float c, const float* x, float* weights, std::int64_t apart) {
  constexpr int kWidth = kLanes<float>;
  const TurnedFloats scale = fill<TurnedFloats>(c);
  for (std::int64_t j = 0; j < apart; j += kWidth) {
    store(weights + j, load<TurnedFloats>(weights + j) + scale * load<TurnedFloats>(x + j));
  }
}
