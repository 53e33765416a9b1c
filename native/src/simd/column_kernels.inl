// Products of a row of features with one column of weights (stride 1). Part of kernels.inl.

template <class Real, class Stored>
double dense_dot(const Stored* x, const Real* w, std::int64_t n) {
  double sum[8] = {};
  std::int64_t j = 0;
  for (; j + 8 <= n; j += 8) {
    for (int v = 0; v < 8; ++v) sum[v] += static_cast<double>(x[j + v]) * static_cast<double>(w[j + v]);
  }
  for (int v = 0; j < n; ++j, ++v) sum[v] += static_cast<double>(x[j]) * static_cast<double>(w[j]);
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

template <class Real, class Stored>
double row_dot_as(const Row& x, const Real* w) {
  if (x.kind == RowKind::dense) {
    return dense_dot(static_cast<const Stored*>(x.values), w, x.width) + (x.bias != 0.0 ? x.bias * static_cast<double>(w[x.width]) : 0.0);
  }
  double sum[4] = {};
  for_each_cell<4, double, Stored>(x, [&]<int way>(std::int64_t column, double value) { sum[way] += value * static_cast<double>(w[column]); });
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <class Real, class Stored>
void row_axpy_as(const Row& x, double c, Real* w) {
  if (x.kind == RowKind::dense) {
    const Stored* values = static_cast<const Stored*>(x.values);
    for (std::int64_t j = 0; j < x.width; ++j) w[j] += static_cast<Real>(c * static_cast<double>(values[j]));
    if (x.bias != 0.0) w[x.width] += static_cast<Real>(c * x.bias);
    return;
  }
  for_each_cell<2, double, Stored>(x, [&]<int way>(std::int64_t column, double value) { w[column] += static_cast<Real>(c * value); });
}

template <class Real>
double row_dot(const Row& x, const Real* w) {
  if (x.kind == RowKind::patched) return x.patch_scores[x.place] + (x.bias != 0.0 ? x.bias * static_cast<double>(w[x.width]) : 0.0);
  return x.single ? row_dot_as<Real, float>(x, w) : row_dot_as<Real, double>(x, w);
}

template <class Real>
void row_axpy(const Row& x, double c, Real* w) {
  if (x.kind == RowKind::patched) return move_patched(x, w, 1, 0, c);
  return x.single ? row_axpy_as<Real, float>(x, c, w) : row_axpy_as<Real, double>(x, c, w);
}
