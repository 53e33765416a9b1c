// Scores of a row of features and updates by it. Part of kernels.inl.

// Calls body.operator()<way>(column, value) for every non-zero cell and the bias, the way going round from 0 to
// kWays - 1: a sum kept in several parts has as many chains of additions, whose latency is what bounds it.
template <int kWays, class Real, class Stored, class Body>
inline void for_each_cell(const Row& x, Body&& body) {
  const Stored* values = static_cast<const Stored*>(x.values);
  constexpr auto ways = std::make_integer_sequence<int, kWays>{};
  auto run = [&](std::int64_t count, auto&& column, auto&& value) {
    std::int64_t c = 0;
    for (; c + kWays <= count; c += kWays) {
      [&]<int... way>(std::integer_sequence<int, way...>) {
        (body.template operator()<way>(column(c + way), value(c + way)), ...);
      }(ways);
    }
    for (; c < count; ++c) body.template operator()<0>(column(c), value(c));
  };
  auto stored = [values](std::int64_t c) { return static_cast<Real>(values[c]); };
  auto one = [](std::int64_t) { return Real{1}; };
  auto index = [&x](std::int64_t c) { return std::int64_t{x.indices[c]}; };
  auto narrow = [&x](std::int64_t c) { return std::int64_t{x.narrow[c]}; };
  switch (x.kind) {
    case RowKind::sparse: run(x.count, index, stored); break;
    case RowKind::ones: run(x.count, index, one); break;
    case RowKind::narrow: run(x.count, narrow, stored); break;
    case RowKind::coded:
      run(x.count, narrow, [codes = x.codes, palette = x.palette->values<Real>()](std::int64_t c) { return palette[codes[c]]; });
      break;
    case RowKind::dense: run(x.width, [](std::int64_t c) { return c; }, stored); break;
    case RowKind::masked:
      for (std::int64_t base = 0; base < x.width; base += 64) {
        std::uint64_t bits = x.mask[base / 64];
        auto next = [&]<int way>() {
          const std::int64_t j = base + std::countr_zero(bits);
          bits &= bits - 1;
          body.template operator()<way>(j, static_cast<Real>(values[j]));
          return bits != 0;
        };
        while (bits != 0) {
          [&]<int... way>(std::integer_sequence<int, way...>) { (void)(next.template operator()<way>() && ...); }(ways);
        }
      }
      break;
    case RowKind::patched: return;  // has no cells
  }
  if (x.bias != 0.0) body.template operator()<0>(x.width, static_cast<Real>(x.bias));
}

// Scores of a row of a patch are read where they are kept, and moves along it change those of the whole patch.
template <class Real>
void score_patched(const Row& x, const Real* weights, int stride, Real* out) {
  const Real* constant = weights + x.width * stride;
  for (int k = 0; k < stride; ++k) {
    out[k] = static_cast<Real>(x.patch_scores[k * x.count + x.place]);
    if (x.bias != 0.0) out[k] += static_cast<Real>(x.bias) * constant[k];
  }
}
template <class Real>
void move_patched(const Row& x, Real* weights, int stride, int label, double change) {
  axpy(change, static_cast<const double*>(x.values), x.patch_scores + label * x.count, x.count);
  if (x.bias != 0.0) weights[x.width * stride + label] += static_cast<Real>(change * x.bias);
}

template <class Real, class Stored, int kCount>
void score_chunk(const Row& x, const Real* weights, int stride, Real* out) {
  constexpr int kFit = 14 / kRegisters<Real, kCount>;  // sums in 16 registers, two being for row and value
  constexpr int kWays = kFit < 1 ? 1 : kFit > 4 ? 4 : kFit;
  Group<Real, kCount> sum[kWays];
  for_each_cell<kWays, Real, Stored>(
      x, [&]<int way>(std::int64_t column, Real value) { sum[way].gather(value, weights + column * stride); });
  for (int way = 1; way < kWays; ++way) sum[0] += sum[way];
  sum[0].to(out);
}

template <class Real, class Stored, int kCount>
void update_chunk(const Row& x, Real* weights, int stride, const double* coefficient) {
  const auto change = Group<Real, kCount>::from(coefficient);
  for_each_cell<2, Real, Stored>(
      x, [&]<int way>(std::int64_t column, Real value) { change.scatter(value, weights + column * stride); });
}

// The same for many labels: the rows of a few features at a time are read from end to end, which the machine foresees; chunks
// of labels would ask for one line of every row after the other.
template <class Real, class Stored>
void score_many(const Row& x, const Real* weights, int stride, Real* out) {
  constexpr int kTogether = 4;
  std::array<const Real*, kTogether> rows;
  std::array<Real, kTogether> values;
  std::size_t waiting = 0;
  std::fill(out, out + stride, Real{0});
  auto add = [stride, out]<int... r>(std::integer_sequence<int, r...>, std::array<const Real*, sizeof...(r)> row, std::array<Real, sizeof...(r)> value) {
    auto piece = [&]<class Part>(int k) {
      Part sum = load<Part>(out + k);
      ((sum += fill<Part>(value[r]) * load<Part>(row[r] + k)), ...);
      store(out + k, sum);
    };
    int k = 0;
    for (; k + kLanes<Real> <= stride; k += kLanes<Real>) piece.template operator()<Vec<Real, kLanes<Real>>>(k);
    for (; k < stride; k += kPad) piece.template operator()<Vec<Real, kPad>>(k);
  };
  for_each_cell<1, Real, Stored>(x, [&]<int way>(std::int64_t column, Real value) {
    rows[waiting] = weights + column * stride;
    values[waiting] = value;
    if (++waiting == kTogether) add(std::make_integer_sequence<int, kTogether>{}, rows, values), waiting = 0;
  });
  for (std::size_t r = 0; r < waiting; ++r) {
    add(std::integer_sequence<int, 0>{}, std::array<const Real*, 1>{rows[r]}, std::array<Real, 1>{values[r]});
  }
}
constexpr int kManyLabels = 64;

bool zeros(const double* four) { return four[0] == 0.0 && four[1] == 0.0 && four[2] == 0.0 && four[3] == 0.0; }

template <class Real>
void scores(const Row& x, const Real* weights, int stride, Real* out) {
  if (x.kind == RowKind::patched) return score_patched(x, weights, stride, out);
  if (stride > kManyLabels) {
    return x.single ? score_many<Real, float>(x, weights, stride, out) : score_many<Real, double>(x, weights, stride, out);
  }
  over_labels(stride, [&]<int kCount>(int first) {
    if (x.single) {
      score_chunk<Real, float, kCount>(x, weights + first, stride, out + first);
    } else {
      score_chunk<Real, double, kCount>(x, weights + first, stride, out + first);
    }
  });
}

template <class Real>
void update_few(const Row& x, Real* weights, int stride, const std::int32_t* place, const double* change, int count) {
  if (x.kind == RowKind::patched) {
    for (int k = 0; k < count; ++k) move_patched(x, weights, stride, place[k], change[k]);
    return;
  }
  auto add = [&]<int way>(std::int64_t column, Real value) {
    Real* row = weights + column * stride;
    for (int k = 0; k < count; ++k) row[place[k]] += value * static_cast<Real>(change[k]);
  };
  if (x.single) {
    for_each_cell<1, Real, float>(x, add);
  } else {
    for_each_cell<1, Real, double>(x, add);
  }
}

template <class Real>
void update(const Row& x, Real* weights, int stride, const double* coefficient) {
  if (x.kind == RowKind::patched) {
    for (int k = 0; k < stride; ++k) {
      if (coefficient[k] != 0.0) move_patched(x, weights, stride, k, coefficient[k]);
    }
    return;
  }
  // Usually two or three labels change: leave out whole vectors of zeros at either end.
  int begin = 0, end = stride;
  while (begin + kPad < end && zeros(coefficient + begin)) begin += kPad;
  while (begin + kPad < end && zeros(coefficient + end - kPad)) end -= kPad;
  if (end - begin > kManyLabels) {
    constexpr int kFew = 16;
    std::int32_t place[kFew];
    double change[kFew];
    int count = 0;
    for (int k = begin; k < end && count <= kFew; ++k) {
      if (coefficient[k] == 0.0) continue;
      if (count < kFew) place[count] = k, change[count] = coefficient[k];
      ++count;
    }
    if (count <= kFew) return update_few(x, weights, stride, place, change, count);
  }
  weights += begin;
  coefficient += begin;
  over_labels(end - begin, [&]<int kCount>(int first) {
    if (x.single) {
      update_chunk<Real, float, kCount>(x, weights + first, stride, coefficient + first);
    } else {
      update_chunk<Real, double, kCount>(x, weights + first, stride, coefficient + first);
    }
  });
}

template <class Real, int kCount>
void update_observed_chunk(const Row& x, Real* weights, int stride, const double* coefficient, const std::uint32_t* observed, int words, int first) {
  const auto change = Group<Real, kCount>::from(coefficient + first);
  auto add = [&](std::int64_t column, Real value) {
    const std::uint32_t* mask = observed + column * words;
    std::uint64_t bits = mask[first / 32] >> (first % 32);
    if (first % 32 != 0 && first / 32 + 1 < words) bits |= std::uint64_t{mask[first / 32 + 1]} << (32 - first % 32);
    change.scatter(value, weights + column * stride + first, static_cast<std::uint32_t>(bits));
  };
  for (std::int64_t c = 0; c < x.count; ++c) add(x.column(c), static_cast<Real>(x.value(c)));
  if (x.bias != 0.0) add(x.width, static_cast<Real>(x.bias));
}

template <class Real>
void update_observed(const Row& x, Real* weights, int stride, const double* coefficient, const std::uint32_t* observed, int words) {
  over_labels(stride, [&]<int kCount>(int first) {
    update_observed_chunk<Real, kCount>(x, weights, stride, coefficient, observed, words, first);
  });
}
