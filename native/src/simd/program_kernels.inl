// Passes over the edges into a cell of a dynamic program. Part of kernels.inl.

inline double largest_of(Doubles v) {
  double lanes[kLanes<double>];
  store(lanes, v);
  double most = lanes[0];
  for (double lane : lanes) most = lane > most ? lane : most;
  return most;
}

// The largest of term(k) for k < n, four vectors at a time: one maximum waits for the one before. term(k, Doubles{}) answers the
// vector that begins at k, term(k, 0.0) one number.
template <class Term>
double largest_term(std::int64_t n, Term&& term) {
  constexpr int kWidth = kLanes<double>;
  double most = -std::numeric_limits<double>::infinity();
  std::int64_t k = 0;
  if (n >= kWidth) {
    Doubles first = term(0, Doubles{}), second = first, third = first, fourth = first;
    k = kWidth;
    for (; k + 4 * kWidth <= n; k += 4 * kWidth) {
      first = larger(first, term(k, Doubles{}));
      second = larger(second, term(k + kWidth, Doubles{}));
      third = larger(third, term(k + 2 * kWidth, Doubles{}));
      fourth = larger(fourth, term(k + 3 * kWidth, Doubles{}));
    }
    for (; k + kWidth <= n; k += kWidth) first = larger(first, term(k, Doubles{}));
    if (k < n) second = larger(second, term(n - kWidth, Doubles{}));  // some of it for the second time
    return largest_of(larger(larger(first, second), larger(third, fourth)));
  }
  for (; k < n; ++k) {
    const double now = term(k, 0.0);
    most = now > most ? now : most;
  }
  return most;
}

double max_sum(const double* a, const double* b, std::int64_t n) {
  return largest_term(n, [=]<class V>(std::int64_t k, V) { return load<V>(a + k) + load<V>(b + k); });
}

double max_sum_at(const double* a, const double* values, const std::int32_t* index, std::int64_t n) {
  double most[4];
  for (double& one : most) one = -std::numeric_limits<double>::infinity();
  std::int64_t k = 0;
  for (; k + 4 <= n; k += 4) {
    for (int v = 0; v < 4; ++v) {
      const double now = a[k + v] + values[index[k + v]];
      most[v] = now > most[v] ? now : most[v];
    }
  }
  for (; k < n; ++k) {
    const double now = a[k] + values[index[k]];
    most[0] = now > most[0] ? now : most[0];
  }
  for (int v = 1; v < 4; ++v) most[0] = most[v] > most[0] ? most[v] : most[0];
  return most[0];
}

bool all_within(const double* x, std::int64_t n, double most) {
  constexpr double kForbidden = -std::numeric_limits<double>::infinity();
  std::int64_t k = 0;
#if defined(__GNUC__) || defined(__clang__)
  constexpr int kWidth = kLanes<double>;
  const Doubles highest = fill<Doubles>(most), lowest = fill<Doubles>(-most), forbidden = fill<Doubles>(kForbidden);
  auto legal = [&](Doubles v) { return (v <= highest) & ((v >= lowest) | (v == forbidden)); };
  if (n >= kWidth) {
    auto all = legal(load<Doubles>(x));
    for (k = kWidth; k + kWidth <= n; k += kWidth) all &= legal(load<Doubles>(x + k));
    for (int v = 0; v < kWidth; ++v) {
      if (!all[v]) return false;
    }
  }
#endif
  for (; k < n; ++k) {
    if (!(x[k] <= most && (x[k] >= -most || x[k] == kForbidden))) return false;
  }
  return true;
}

double softmax(double* x, std::int64_t n) {
  const double most = largest_term(n, [=]<class V>(std::int64_t k, V) { return load<V>(x + k); });
  if (!(most > -std::numeric_limits<double>::infinity())) {
    std::fill_n(x, n, 0.0);
    return most;
  }
  double sum = 0.0;
  std::int64_t k = 0;
#if defined(__GNUC__) || defined(__clang__)
  constexpr int kWidth = kLanes<double>;
  using Bits = Vec<std::uint64_t, kWidth>;
  if (n >= kWidth) {
    const Doubles shift = fill<Doubles>(most);
    const Doubles end = exp_of<Doubles, Bits>(load<Doubles>(x + n - kWidth) - shift, fill<Doubles, double>);  // read before it is changed
    Doubles total{};
    for (; k + kWidth <= n; k += kWidth) {
      const Doubles part = exp_of<Doubles, Bits>(load<Doubles>(x + k) - shift, fill<Doubles, double>);
      store(x + k, part);
      total += part;
    }
    store(x + n - kWidth, end);
    sum = sum_of(total);
  }
#endif
  if (k == 0) {
    for (std::int64_t j = 0; j < n; ++j) x[j] = exp_of<double, std::uint64_t>(x[j] - most, [](double y) { return y; });
  }
  for (; k < n; ++k) sum += x[k];
  const double share = 1.0 / sum;
  for (k = 0; k < n; ++k) x[k] *= share;
  return most + std::log(sum);
}

template <class Real>
void raise(Real* into, const Real* from, std::int64_t n, Real score) {
  constexpr int kWidth = kLanes<Real>;
  using V = Vec<Real, kWidth>;
  const V all = fill<V>(score);
  std::int64_t k = 0;
  for (; k + kWidth <= n; k += kWidth) store(into + k, larger(load<V>(into + k), load<V>(from + k) + all));
  for (; k < n; ++k) {
    const Real now = from[k] + score;
    into[k] = into[k] > now ? into[k] : now;
  }
}
