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

double fold(const double* values, std::int64_t n, double* out) {
  constexpr int kWidth = kLanes<double>;
  using V = Vec<double, kWidth>;
  V sum{};
  std::int64_t k = 0;
  for (; k + kWidth <= n; k += kWidth) {
    const V upper = load<V>(values + n + k);
    sum += upper;
    store(out + k, load<V>(values + k) + upper);
  }
  double total = sum_of(sum);
  for (; k < n; ++k) total += values[n + k], out[k] = values[k] + values[n + k];
  return total;
}
