// Sums of products of columns that stand on their side. Part of kernels.inl.

void weighted_gram(const double* left, const double* right, std::int64_t apart, const double* weight, std::int64_t d, std::int64_t n,
                   double* out) {
  constexpr int kWidth = kLanes<double>, kDown = kWidth == 8 ? 4 : 2, kAcross = 4;  // with AVX-512 there are 32 registers in place of 16
  using V = Vec<double, kWidth>;
  alignas(kVectorBytes) double scaled[kDown][kGramRows];
  for (std::int64_t j = 0; j < d; j += kDown) {
    for (int a = 0; a < kDown; ++a) {
      const double* own = left + std::min(j + a, d - 1) * apart;
      for (std::int64_t i = 0; i < n; ++i) scaled[a][i] = weight[i] * own[i];
    }
    for (std::int64_t l = 0; l < std::min(j + kDown, d); l += kAcross) {
      const double* other[kAcross];
      for (int b = 0; b < kAcross; ++b) other[b] = right + std::min(l + b, d - 1) * apart;
      V sum[kDown][kAcross] = {};
      std::int64_t i = 0;
      for (; i + kWidth <= n; i += kWidth) {
        V own[kDown];
        unrolled<kDown>([&](auto a) { own[a] = load<V>(scaled[a] + i); });
        unrolled<kAcross>([&](auto b) {
          const V x = load<V>(other[b] + i);
          unrolled<kDown>([&](auto a) { sum[a][b] += own[a] * x; });
        });
      }
      for (int a = 0; a < kDown && j + a < d; ++a) {
        for (int b = 0; b < kAcross && l + b <= j + a; ++b) {
          double total = sum_of(sum[a][b]);
          for (std::int64_t rest = i; rest < n; ++rest) total += scaled[a][rest] * other[b][rest];
          out[(j + a) * d + l + b] += total;
        }
      }
    }
  }
}

void column_scores(const double* columns, std::int64_t apart, const double* w, std::int64_t d, std::int64_t n, double* out) {
  constexpr int kWidth = kLanes<double>, kWays = 4;
  using V = Vec<double, kWidth>;
  std::int64_t i = 0;
  for (; i + kWays * kWidth <= n; i += kWays * kWidth) {
    V sum[kWays] = {};
    for (std::int64_t j = 0; j < d; ++j) {
      const V weight = fill<V, double>(w[j]);
      unrolled<kWays>([&](auto way) { sum[way] += weight * load<V>(columns + j * apart + i + way * kWidth); });
    }
    unrolled<kWays>([&](auto way) { store(out + i + way * kWidth, sum[way]); });
  }
  for (; i < n; ++i) {
    out[i] = 0.0;
    for (std::int64_t j = 0; j < d; ++j) out[i] += w[j] * columns[j * apart + i];
  }
}

void column_sums(const double* columns, std::int64_t apart, const double* coefficient, std::int64_t d, std::int64_t n, double* out) {
  constexpr int kWidth = kLanes<double>, kAcross = 4;
  using V = Vec<double, kWidth>;
  for (std::int64_t j = 0; j < d; j += kAcross) {
    const double* own[kAcross];
    for (int b = 0; b < kAcross; ++b) own[b] = columns + std::min(j + b, d - 1) * apart;
    V sum[kAcross] = {};
    std::int64_t i = 0;
    for (; i + kWidth <= n; i += kWidth) {
      const V c = load<V>(coefficient + i);
      unrolled<kAcross>([&](auto b) { sum[b] += c * load<V>(own[b] + i); });
    }
    for (int b = 0; b < kAcross && j + b < d; ++b) {
      double total = sum_of(sum[b]);
      for (std::int64_t rest = i; rest < n; ++rest) total += coefficient[rest] * own[b][rest];
      out[j + b] += total;
    }
  }
}
