// Smooth losses of rows of two classes. Part of kernels.inl.

// log(1 + x) for x from 0 to 1, by the series of 2 atanh(x / (2 + x)).
template <class V>
inline V log1p_of(V x, V (*all)(double)) {
  const V z = x / (x + all(2.0)), square = z * z;
  V series = all(1.0 / 31.0);
  unrolled<15>([&](auto term) { series = series * square + all(1.0 / (29 - 2 * term)); });
  return (z + z) * series;
}

// The losses of kLanes rows and what follows from them; answers their weighted sum, lane by lane.
template <class V, class Bits>
inline V logistic_lanes(const double* score, const double* sign, const double* weight, double* first, double* second, V (*all)(double)) {
  const V y = load<V>(sign), c = load<V>(weight), z = y * load<V>(score), negative = all(0.0) - z;
  const V e = exp_of<V, Bits>(z > negative ? negative : z, all);
  const V likely = all(1.0) / (all(1.0) + e), rare = e * likely, slope = z > all(0.0) ? rare : likely;
  store(first, all(0.0) - c * y * slope);
  store(second, c * likely * rare);
  return c * (log1p_of<V>(e, all) + (negative > all(0.0) ? negative : all(0.0)));
}

template <class V>
inline V hinge_lanes(const double* score, const double* sign, const double* weight, double* first, double* second, V (*all)(double)) {
  const V y = load<V>(sign), c = load<V>(weight), gap = all(1.0) - y * load<V>(score);
  const V short_of = gap > all(0.0) ? gap : all(0.0);
  store(first, all(0.0) - c * y * short_of);
  store(second, gap > all(0.0) ? c : all(0.0));
  return all(0.5) * c * short_of * short_of;
}

double logistic_losses(const double* score, const double* sign, const double* weight, std::int64_t n, double* first, double* second) {
  double sum = 0.0;
  std::int64_t i = 0;
#if defined(__GNUC__) || defined(__clang__)
  constexpr int kWidth = kLanes<double>;
  Doubles sums{};
  for (; i + kWidth <= n; i += kWidth) {
    sums += logistic_lanes<Doubles, Vec<std::uint64_t, kWidth>>(score + i, sign + i, weight + i, first + i, second + i, fill<Doubles, double>);
  }
  sum = sum_of(sums);
#endif
  for (; i < n; ++i) sum += logistic_lanes<double, std::uint64_t>(score + i, sign + i, weight + i, first + i, second + i, [](double x) { return x; });
  return sum;
}

double squared_hinge_losses(const double* score, const double* sign, const double* weight, std::int64_t n, double* first, double* second) {
  double sum = 0.0;
  std::int64_t i = 0;
#if defined(__GNUC__) || defined(__clang__)
  constexpr int kWidth = kLanes<double>;
  Doubles sums{};
  for (; i + kWidth <= n; i += kWidth) sums += hinge_lanes<Doubles>(score + i, sign + i, weight + i, first + i, second + i, fill<Doubles, double>);
  sum = sum_of(sums);
#endif
  for (; i < n; ++i) sum += hinge_lanes<double>(score + i, sign + i, weight + i, first + i, second + i, [](double x) { return x; });
  return sum;
}
