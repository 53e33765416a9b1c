// Products of a dense row with weights that lie label by label. Part of kernels.inl.

using TurnedFloats = Vec<float, kLanes<float>>;

template <int n>
inline float sum_of_lanes(Vec<float, n> v) {
  float lanes[n];
  store(lanes, v);
  if constexpr (n == 4) {
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  } else {
    using Half = Vec<float, n / 2>;
    return sum_of_lanes<n / 2>(load<Half>(lanes) + load<Half>(lanes + n / 2));
  }
}

// Several rows at a time read the weights, which the second cache delivers, only once.
template <int kRows>
void turned_scores_of(const float* x, const float* weights, std::int64_t apart, int stride, float* out) {
  constexpr int kWidth = kLanes<float>, kLabels = kRows == 1 ? 4 : 2, kWays = kRows == 1 ? 2 : 1;
  for (int label = 0; label < stride; label += kLabels) {
    const float* own = weights + label * apart;
    TurnedFloats sum[kWays][kRows][kLabels] = {};
    for (std::int64_t j = 0; j < apart; j += kWays * kWidth) {
      for (int way = 0; way < kWays; ++way) {
        const std::int64_t at = j + way * kWidth;
        TurnedFloats cells[kRows];
        for (int r = 0; r < kRows; ++r) cells[r] = load<TurnedFloats>(x + r * apart + at);
        for (int k = 0; k < kLabels; ++k) {
          const TurnedFloats weight = load<TurnedFloats>(own + k * apart + at);
          for (int r = 0; r < kRows; ++r) sum[way][r][k] += cells[r] * weight;
        }
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int k = 0; k < kLabels; ++k) out[r * stride + label + k] = sum_of_lanes<kWidth>(kWays == 1 ? sum[0][r][k] : sum[0][r][k] + sum[kWays - 1][r][k]);
    }
  }
}

void turned_scores(const float* x, int rows, const float* weights, std::int64_t apart, int stride, float* out) {
  if (rows == kTurnedRows) return turned_scores_of<kTurnedRows>(x, weights, apart, stride, out);
  for (int r = 0; r < rows; ++r) turned_scores_of<1>(x + r * apart, weights, apart, stride, out + r * stride);
}

void turned_update(float c, const float* x, float* weights, std::int64_t apart) {
  constexpr int kWidth = kLanes<float>;
  const TurnedFloats scale = fill<TurnedFloats>(c);
  for (std::int64_t j = 0; j < apart; j += kWidth) {
    store(weights + j, load<TurnedFloats>(weights + j) + scale * load<TurnedFloats>(x + j));
  }
}
