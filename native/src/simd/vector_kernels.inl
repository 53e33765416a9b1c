// Products and sums of long vectors. Part of kernels.inl.

double dot(const double* a, const double* b, std::int64_t n) {
  constexpr int kWidth = kLanes<double>;
  using V = Vec<double, kWidth>;
  V sum[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * kWidth <= n; i += 4 * kWidth) {
    for (int v = 0; v < 4; ++v) sum[v] += load<V>(a + i + v * kWidth) * load<V>(b + i + v * kWidth);
  }
  for (; i + kWidth <= n; i += kWidth) sum[0] += load<V>(a + i) * load<V>(b + i);
  double total = sum_of((sum[0] + sum[1]) + (sum[2] + sum[3]));
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

double coarse_square(const float* x, std::int64_t n) {
  double sum[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int v = 0; v < 8; ++v) sum[v] += static_cast<double>(x[i + v]) * static_cast<double>(x[i + v]);
  }
  double total = 0.0;
  for (double part : sum) total += part;
  for (; i < n; ++i) total += static_cast<double>(x[i]) * static_cast<double>(x[i]);
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

void weighted_gram(const double* left, const double* right, std::int64_t apart, const double* weight, std::int64_t d, std::int64_t n,
                   double* out) {
  constexpr int kWidth = kLanes<double>, kDown = 2, kAcross = 4;
  using V = Vec<double, kWidth>;
  double scaled[kDown][kGramRows];
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
        const V first = load<V>(scaled[0] + i), second = load<V>(scaled[1] + i);
        for (int b = 0; b < kAcross; ++b) {
          const V x = load<V>(other[b] + i);
          sum[0][b] += first * x;
          sum[1][b] += second * x;
        }
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
