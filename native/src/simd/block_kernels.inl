// Products of several dense rows at a time with the weights of all labels: each weight is read once for all of them. Part of kernels.inl.

// Rows of which the sums for kCount labels fit into registers beside the weights of a column.
template <int kCount>
inline constexpr int kRowsOf = 8 / kRegisters<double, kCount>;

template <class Stored, int kRows, int kCount>
void block_scores_of(const void* const* cells, std::int64_t width, double bias, const double* weights, int stride, double* out) {
  const Stored* x[kRows];
  for (int r = 0; r < kRows; ++r) x[r] = static_cast<const Stored*>(cells[r]);
  Group<double, kCount> sum[kRows];
  for (std::int64_t j = 0; j < width; ++j) {
    unrolled<kRows>([&](auto r) { sum[r].gather(static_cast<double>(x[r][j]), weights + j * stride); });
  }
  if (bias != 0.0) unrolled<kRows>([&](auto r) { sum[r].gather(bias, weights + width * stride); });
  unrolled<kRows>([&](auto r) { sum[r].to(out + r * stride); });
}

template <class Stored, int kRows, int kCount>
void block_update_of(const void* const* cells, std::int64_t width, double bias, double* weights, int stride, const double* coefficient) {
  const Stored* x[kRows];
  Group<double, kCount> change[kRows];
  unrolled<kRows>([&](auto r) {
    x[r] = static_cast<const Stored*>(cells[r]);
    change[r] = Group<double, kCount>::at(coefficient + r * stride);
  });
  for (std::int64_t j = 0; j < width; ++j) {
    auto sum = Group<double, kCount>::at(weights + j * stride);
    unrolled<kRows>([&](auto r) { sum.add(static_cast<double>(x[r][j]), change[r]); });
    sum.to(weights + j * stride);
  }
  if (bias == 0.0) return;
  auto sum = Group<double, kCount>::at(weights + width * stride);
  unrolled<kRows>([&](auto r) { sum.add(bias, change[r]); });
  sum.to(weights + width * stride);
}

// Calls op.template operator()<kRows, kCount>(first row, first label) for `rows` rows and all labels, kRows at a time as long as there are so many.
template <class Op>
inline void over_blocks(int rows, int stride, Op&& op) {
  auto labels = [&]<int kCount>(int first) {
    int r = 0;
    for (; r + kRowsOf<kCount> <= rows; r += kRowsOf<kCount>) op.template operator()<kRowsOf<kCount>, kCount>(r, first);
    for (; r < rows; ++r) op.template operator()<1, kCount>(r, first);
  };
  int first = 0;
  for (; first + 2 * kPad <= stride; first += 2 * kPad) labels.template operator()<2 * kPad>(first);
  if (first < stride) labels.template operator()<kPad>(first);
}

void block_scores(const void* const* cells, int rows, bool single, std::int64_t width, double bias, const double* weights, int stride, double* out) {
  over_blocks(rows, stride, [&]<int kRows, int kCount>(int r, int first) {
    const std::int64_t at = static_cast<std::int64_t>(r) * stride + first;
    if (single) block_scores_of<float, kRows, kCount>(cells + r, width, bias, weights + first, stride, out + at);
    else block_scores_of<double, kRows, kCount>(cells + r, width, bias, weights + first, stride, out + at);
  });
}

void block_update(const void* const* cells, int rows, bool single, std::int64_t width, double bias, double* weights, int stride,
                  const double* coefficient) {
  over_blocks(rows, stride, [&]<int kRows, int kCount>(int r, int first) {
    const std::int64_t at = static_cast<std::int64_t>(r) * stride + first;
    if (single) block_update_of<float, kRows, kCount>(cells + r, width, bias, weights + first, stride, coefficient + at);
    else block_update_of<double, kRows, kCount>(cells + r, width, bias, weights + first, stride, coefficient + at);
  });
}

void softmax_rows(double* scores, std::int64_t rows, int classes, int stride, double* highest, double* sums) {
  constexpr int kWidth = kLanes<double>;
  for (std::int64_t i = 0; i < rows; ++i) {
    double* own = scores + i * stride;
    std::fill(own + classes, own + stride, own[0]);
    Doubles most = load<Doubles>(own);
    for (int k = kWidth; k < stride; k += kWidth) most = larger(most, load<Doubles>(own + k));
    double lanes[kWidth];
    store(lanes, most);
    highest[i] = *std::max_element(lanes, lanes + kWidth);
    const Doubles shift = fill<Doubles>(highest[i]);
    for (int k = 0; k < stride; k += kWidth) store(own + k, load<Doubles>(own + k) - shift);
  }
  exp_all(scores, rows * stride);
  for (std::int64_t i = 0; i < rows; ++i) {
    double* own = scores + i * stride;
    std::fill(own + classes, own + stride, 0.0);
    sums[i] = normalise(own, stride);
  }
}
