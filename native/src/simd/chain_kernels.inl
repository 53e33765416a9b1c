// One step of the dynamic program over a chain, for the best path and for sums over paths. Part of kernels.inl.

template <class Real>
void max_plus(const Real* from, int count, const Real* table, std::int64_t apart, const Real* node, int stride, Real* out) {
  over_labels(stride, [&]<int kCount>(int first) {
    using G = Group<Real, kCount>;
    G even = G::at(table + first), odd;
    even.combine(G{}, [&](auto row, auto) { return row + fill<decltype(row)>(from[0]); });
    int j = 1;
    if constexpr (kRegisters<Real, kCount> <= 2) {  // more are chains enough
      odd = even;
      for (; j + 2 <= count; j += 2) {
        even.raise(from[j], table + j * apart + first);
        odd.raise(from[j + 1], table + (j + 1) * apart + first);
      }
      even.combine(odd, [](auto a, auto b) { return larger(a, b); });
    }
    for (; j < count; ++j) even.raise(from[j], table + j * apart + first);
    even += G::at(node + first);
    even.to(out + first);
  });
}

void sum_product(const double* from, int count, const double* table, std::int64_t apart, const double* node, int stride, double* out) {
  over_labels(stride, [&]<int kCount>(int first) {
    Group<double, kCount> even, odd;
    int j = 0;
    for (; j + 2 <= count; j += 2) {
      even.gather(from[j], table + j * apart + first);
      odd.gather(from[j + 1], table + (j + 1) * apart + first);
    }
    if (j < count) even.gather(from[j], table + j * apart + first);
    even += odd;
    even.combine(Group<double, kCount>::at(node + first), [](auto a, auto b) { return a * b; });
    even.to(out + first);
  });
}

void count_pairs(const double* from, int count, const double* table, std::int64_t apart, const double* to, int stride, double* counts) {
  over_labels(stride, [&]<int kCount>(int first) {
    const auto target = Group<double, kCount>::at(to + first);
    for (int j = 0; j < count; ++j) {
      if (from[j] == 0.0) continue;
      auto term = Group<double, kCount>::at(table + j * apart + first);
      term.combine(target, [&](auto a, auto b) { return a * b * fill<decltype(a)>(from[j]); });
      term += Group<double, kCount>::at(counts + j * apart + first);
      term.to(counts + j * apart + first);
    }
  });
}

template <int kRows, int kVectors>
void count_tile(const double* from, const double* to, std::int64_t n, int stride, const double* table, double* counts) {
  Doubles sum[kRows][kVectors];
  for (auto& row : sum) {
    for (auto& part : row) part = fill<Doubles>(0.0);
  }
  for (std::int64_t t = 0; t < n; ++t, from += stride, to += stride) {
    Doubles target[kVectors];
    for (int v = 0; v < kVectors; ++v) target[v] = load<Doubles>(to + v * kLanes<double>);
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sum[r][v] += fill<Doubles>(from[r]) * target[v];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      const std::int64_t at = static_cast<std::int64_t>(r) * stride + v * kLanes<double>;
      store(counts + at, load<Doubles>(counts + at) + sum[r][v] * load<Doubles>(table + at));
    }
  }
}

void count_runs(const double* from, const double* to, std::int64_t n, int labels, int stride, const double* table, double* counts) {
  constexpr int kHigh = 4, kWide = 2 * kLanes<double>;
  auto column = [&]<int kVectors>(int k) {
    int j = 0;
    for (; j + kHigh <= labels; j += kHigh) {
      const std::int64_t at = static_cast<std::int64_t>(j) * stride + k;
      count_tile<kHigh, kVectors>(from + j, to + k, n, stride, table + at, counts + at);
    }
    for (; j < labels; ++j) {
      const std::int64_t at = static_cast<std::int64_t>(j) * stride + k;
      count_tile<1, kVectors>(from + j, to + k, n, stride, table + at, counts + at);
    }
  };
  int k = 0;
  for (; k + kWide <= stride; k += kWide) column.template operator()<2>(k);
  for (; k < stride; k += kLanes<double>) column.template operator()<1>(k);
}

void spread(const double* table, int count, std::int64_t apart, const double* to, int stride, double* out) {
  for (int j = 0; j < count; ++j) {
    double sum[kPad] = {};
    for (int k = 0; k < stride; k += kPad) {
      for (int v = 0; v < kPad; ++v) sum[v] += table[j * apart + k + v] * to[k + v];
    }
    out[j] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

void compare(const float* mine, double* change, const double* score, std::int64_t n, double* sums) {
  Doubles own = fill<Doubles>(0.0), other = own, distance = own;
  const Doubles zero = own;
  for (std::int64_t k = 0; k < n; k += kLanes<double>) {
    double widened[kLanes<double>];
    for (int v = 0; v < kLanes<double>; ++v) widened[v] = static_cast<double>(mine[k + v]);
    const Doubles kept = load<Doubles>(widened), found = load<Doubles>(change + k), scores = load<Doubles>(score + k);
    const Doubles difference = kept - found;
    own += kept * scores;
    other += found * scores;
    distance += larger(difference, zero - difference);
    store(change + k, difference);
  }
  sums[0] += sum_of(own);
  sums[1] += sum_of(other);
  sums[2] += sum_of(distance);
}

void shift(float* into, const double* change, double share, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) into[k] -= static_cast<float>(share * change[k]);
}

double normalise(double* x, std::int64_t n) {
  double sum[kPad] = {};
  for (std::int64_t k = 0; k < n; k += kPad) {
    for (int v = 0; v < kPad; ++v) sum[v] += x[k + v];
  }
  const double total = (sum[0] + sum[1]) + (sum[2] + sum[3]), factor = total > 0.0 ? 1.0 / total : 0.0;
  for (std::int64_t k = 0; k < n; ++k) x[k] *= factor;
  return total;
}

// The sum of a group's numbers.
template <int kCount>
double total_of(const Group<double, kCount>& group) {
  double numbers[kCount], sum[kPad] = {};
  group.to(numbers);
  for (int k = 0; k < kCount; k += kPad) {
    for (int v = 0; v < kPad; ++v) sum[v] += numbers[k + v];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <int kCount>
Group<double, kCount> sum_rows(const double* from, int labels, const double* table) {
  Group<double, kCount> even, odd;
  int j = 0;
  for (; j + 2 <= labels; j += 2) {
    even.gather(from[j], table + j * kCount);
    odd.gather(from[j + 1], table + (j + 1) * kCount);
  }
  if (j < labels) even.gather(from[j], table + j * kCount);
  even += odd;
  return even;
}

constexpr int kOneGroup = 32;  // labels: more are not kept in registers

void sum_forward(const double* nodes, const double* table, std::int64_t n, int labels, int stride, double* alpha, double* scale) {
  if (stride > kOneGroup) {
    for (std::int64_t t = 1; t < n; ++t) {
      double* now = alpha + t * stride;
      sum_product(now - stride, labels, table, stride, nodes + t * stride, stride, now);
      scale[t] = normalise(now, stride);
    }
    return;
  }
  over_labels(stride, [&]<int kCount>(int) {
    for (std::int64_t t = 1; t < n; ++t) {
      double* now = alpha + t * kCount;
      auto sum = sum_rows<kCount>(now - kCount, labels, table);
      sum.combine(Group<double, kCount>::at(nodes + t * kCount), [](auto a, auto b) { return a * b; });
      const double total = total_of<kCount>(sum), factor = total > 0.0 ? 1.0 / total : 0.0;
      sum.combine(sum, [factor](auto a, auto) { return a * fill<decltype(a)>(factor); });
      sum.to(now);
      scale[t] = total;
    }
  });
}

void sum_backward(const double* nodes, const double* turned, const double* scale, std::int64_t n, int labels, int stride, const double* ones,
                  double* beta, double* targets) {
  auto token = [&](std::int64_t t) {
    const double factor = 1.0 / scale[t];
    for (int k = 0; k < stride; ++k) targets[t * stride + k] = factor * nodes[t * stride + k] * beta[t * stride + k];
  };
  if (stride > kOneGroup) {
    for (std::int64_t t = n - 1; t >= 1; --t) {
      token(t);
      sum_product(targets + t * stride, labels, turned, stride, ones, stride, beta + (t - 1) * stride);
    }
    return;
  }
  over_labels(stride, [&]<int kCount>(int) {
    for (std::int64_t t = n - 1; t >= 1; --t) {
      auto target = Group<double, kCount>::at(nodes + t * kCount);
      const double factor = 1.0 / scale[t];
      target.combine(Group<double, kCount>::at(beta + t * kCount), [factor](auto a, auto b) { return fill<decltype(a)>(factor) * a * b; });
      target.to(targets + t * kCount);
      sum_rows<kCount>(targets + t * kCount, labels, turned).to(beta + (t - 1) * kCount);
    }
  });
}

void multiply(const double* a, const double* b, double factor, std::int64_t n, double* out) {
  for (std::int64_t k = 0; k < n; ++k) out[k] = factor * a[k] * b[k];
}

void range(const double* x, std::int64_t n, double* lowest, double* highest) {
  constexpr int kWidth = kLanes<double>;
  using V = Vec<double, kWidth>;
  V low = fill<V>(*lowest), high = fill<V>(*highest);
  std::int64_t k = 0;
  for (; k + kWidth <= n; k += kWidth) {
    const V now = load<V>(x + k);
    low = if_greater(low, now, now, low);
    high = larger(now, high);
  }
  double lows[kWidth], highs[kWidth];
  store(lows, low);
  store(highs, high);
  for (int v = 0; v < kWidth; ++v) {
    *lowest = lows[v] < *lowest ? lows[v] : *lowest;
    *highest = highs[v] > *highest ? highs[v] : *highest;
  }
  for (; k < n; ++k) {
    *lowest = x[k] < *lowest ? x[k] : *lowest;
    *highest = x[k] > *highest ? x[k] : *highest;
  }
}

// exp(x) = 2^n exp(r), |r| <= log(2) / 2, the second factor by its Taylor series; up to -708 the answer is zero. V is a
// vector of doubles or one of them, Bits whole numbers of the same size.
template <class V, class Bits>
V exp_of(V x, V (*all)(double)) {
  constexpr double kTerms[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                               1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5,         1.0, 1.0};
  const V lowest = all(-708.0);
  const V shift = all(6755399441055744.0);  // 1.5 * 2^52: adding it rounds to a whole number, in the low bits
  const V clamped = x > lowest ? x : lowest;
  const V shifted = clamped * all(1.4426950408889634) + shift;
  const V whole = shifted - shift;
  const V r = (clamped - whole * all(0.693145751953125)) - whole * all(1.42860682030941723212e-6);
  V series = all(kTerms[0]);
  for (int term = 1; term < 13; ++term) series = series * r + all(kTerms[term]);
  Bits bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits + 1023) << 52;
  V power;
  std::memcpy(&power, &bits, sizeof(power));
  return x > lowest ? series * power : all(0.0);
}

void exp_all(double* x, std::int64_t n) {
  std::int64_t i = 0;
#if defined(__GNUC__) || defined(__clang__)
  constexpr int kWidth = kLanes<double>;
  using V = Vec<double, kWidth>;
  for (; i + kWidth <= n; i += kWidth) store(x + i, exp_of<V, Vec<std::uint64_t, kWidth>>(load<V>(x + i), fill<V, double>));
#endif
  for (; i < n; ++i) x[i] = exp_of<double, std::uint64_t>(x[i], [](double y) { return y; });
}
