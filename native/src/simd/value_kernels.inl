// Values of a kernel and their sums with coefficients. Part of kernels.inl.

#if defined(__AVX512F__)
inline constexpr int kValueRows = 8;
#else
inline constexpr int kValueRows = 6;  // there are 16 registers
#endif
using Floats = Vec<float, kLanes<float>>;
inline constexpr int kValueColumns = 2 * kLanes<float>;

// 2^t to 2e-7 of it: 2^n of the nearest whole number times a polynomial of what is left; at least 2^-126.
template <class V, class Bits>
inline V power_of_two(V t, V (*all)(float)) {
  const V lowest = all(-126.0F), shift = all(12582912.0F);  // 1.5 * 2^23: adding it rounds to a whole number, in the low bits
  t = t > lowest ? t : lowest;
  const V shifted = t + shift, r = t - (shifted - shift);
  V series = all(0x1.5c0900p-10F);  // of least relative error for |r| <= 1/2
  series = series * r + all(0x1.3d0c52p-7F);
  series = series * r + all(0x1.c6b6e4p-5F);
  series = series * r + all(0x1.ebf918p-3F);
  series = series * r + all(0x1.62e428p-1F);
  series = series * r + all(0x1.000002p+0F);
  Bits bits, found;
  std::memcpy(&bits, &shifted, sizeof(bits));
  std::memcpy(&found, &series, sizeof(found));
  found += bits << 23;
  std::memcpy(&series, &found, sizeof(series));
  return series;
}

inline Floats kernel_value(Floats x, int power) {
  if (power == 0) {
#if defined(__GNUC__) || defined(__clang__)
    return power_of_two<Floats, Vec<std::uint32_t, kLanes<float>>>(x, fill<Floats, float>);
#else
    for (float& lane : x.lane) lane = power_of_two<float, std::uint32_t>(lane, [](float y) { return y; });
    return x;
#endif
  }
  Floats value = x;
  for (int k = 1; k < power; ++k) value = value * x;
  return value;
}

// The values of a group of rows for a panel, to `out`, rows being `apart` from each other.
inline void value_group(const float* panel, const float* group, std::int64_t depth, int power, float* out, std::int64_t apart) {
  constexpr int kWidth = kLanes<float>;
  Floats sum[kValueRows][2] = {};
  for (std::int64_t k = 0; k < depth; ++k, panel += kValueColumns, group += kValueRows) {
    const Floats first = load<Floats>(panel), second = load<Floats>(panel + kWidth);
    for (int r = 0; r < kValueRows; ++r) {
      const Floats x = fill<Floats>(group[r]);
      sum[r][0] += x * first;
      sum[r][1] += x * second;
    }
  }
  for (int r = 0; r < kValueRows; ++r, out += apart) {
    store(out, kernel_value(sum[r][0], power));
    store(out + kWidth, kernel_value(sum[r][1], power));
  }
}

void add_kernel_values(const KernelPass& pass) {
  constexpr int kWidth = kLanes<float>;
  alignas(64) float values[kPassRows * kValueColumns];
  for (std::int64_t row = 0; row < pass.count; row += kValueRows) {
    value_group(pass.panel, pass.groups + row * pass.depth, pass.depth, pass.power, values + row * kValueColumns, kValueColumns);
  }
  for (std::int64_t label = 0; label < pass.labels; ++label) {
    std::int32_t c = pass.first[label];
    const std::int32_t end = pass.first[label + 1];
    if (c == end) continue;
    float* into = pass.sums + label * kValueColumns;
    Floats sum[2][2] = {{load<Floats>(into), load<Floats>(into + kWidth)}, {}};
    auto add = [&](int way) {
      const float* own = values + pass.place[c] * kValueColumns;
      const Floats x = fill<Floats>(pass.coefficients[c++]);
      sum[way][0] += x * load<Floats>(own);
      sum[way][1] += x * load<Floats>(own + kWidth);
    };
    while (c + 2 <= end) add(0), add(1);
    if (c < end) add(0);
    store(into, sum[0][0] + sum[1][0]);
    store(into + kWidth, sum[0][1] + sum[1][1]);
  }
}

void kernel_values(const float* panel, const float* groups, std::int64_t depth, std::int64_t count, int power, float* out, std::int64_t apart) {
  for (std::int64_t row = 0; row < count; row += kValueRows) value_group(panel, groups + row * depth, depth, power, out + row * apart, apart);
}

void add_products(const float* x, std::int64_t own, std::int64_t count, const float* panel, std::int64_t depth, float* out, std::int64_t apart) {
  constexpr int kWidth = kLanes<float>;
  for (std::int64_t row = 0; row < count; row += kValueRows, x += kValueRows * own, out += kValueRows * apart) {
    Floats sum[2 * kValueRows];
    unrolled<2 * kValueRows>([&](auto at) { sum[at] = load<Floats>(out + at / 2 * apart + at % 2 * kWidth); });
    for (std::int64_t k = 0; k < depth; ++k) {
      const Floats first = load<Floats>(panel + k * kValueColumns), second = load<Floats>(panel + k * kValueColumns + kWidth);
      unrolled<kValueRows>([&](auto r) {
        const Floats cell = fill<Floats>(x[r * own + k]);
        sum[2 * r] += cell * first;
        sum[2 * r + 1] += cell * second;
      });
    }
    unrolled<2 * kValueRows>([&](auto at) { store(out + at / 2 * apart + at % 2 * kWidth, sum[at]); });
  }
}
