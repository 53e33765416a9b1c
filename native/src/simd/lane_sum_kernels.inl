// Sums over the derivations of one program for several inputs at once, one per lane: see programs/lane_sums.hpp. Part of kernels.inl.
//
// Numbers of edges and cells are side by side, those of edge e from e * kLanes<double> on. Every lane has the arithmetic of `Sums`
// (programs/sums.hpp) in the same order, so that its answers do not depend on what stands beside it.

inline constexpr int kInputs = kLanes<double>;

inline Doubles lanes_at(const double* numbers, std::int64_t place) { return load<Doubles>(numbers + place * kInputs); }
inline void put_lanes(double* numbers, std::int64_t place, Doubles v) { store(numbers + place * kInputs, v); }

// Most edges only join, with a score of 0 in every lane: the others are packed before the exponentials.
void weigh_lanes(const double* const* scores, std::int64_t edges, double* weights) {
  constexpr std::int64_t kBlock = 256;
  double packed[kBlock * kInputs], sizes[kBlock];
  std::int32_t scored[kBlock];
  for (std::int64_t begin = 0; begin < edges; begin += kBlock) {
    const std::int64_t many = std::min(edges - begin, kBlock);
    for (std::int64_t k = 0; k < many; ++k) sizes[k] = std::abs(scores[0][begin + k]);
    for (int lane = 1; lane < kInputs; ++lane) {
      const double* own = scores[lane] + begin;
      for (std::int64_t k = 0; k < many; ++k) sizes[k] += std::abs(own[k]);
    }
    std::int32_t count = 0;
    for (std::int64_t k = 0; k < many; ++k) {
      scored[count] = static_cast<std::int32_t>(k);
      count += sizes[k] != 0.0;
      put_lanes(weights, begin + k, fill<Doubles>(1.0));
    }
    for (int lane = 0; lane < kInputs; ++lane) {
      const double* own = scores[lane] + begin;
      for (std::int32_t k = 0; k < count; ++k) packed[k * kInputs + lane] = own[scored[k]];
    }
    exp_all(packed, count * kInputs);
    for (std::int32_t k = 0; k < count; ++k) put_lanes(weights, begin + scored[k], lanes_at(packed, k));
  }
}

void sum_lanes(std::int32_t cells, const std::int32_t* first, const std::int32_t* tails, double* weights, double* below, double* lowest,
               double* highest) {
  const Doubles zero = fill<Doubles>(0.0), one = fill<Doubles>(1.0);
  Doubles least = one, most = one;
  for (std::int32_t cell = 0; cell < cells; ++cell) {
    const std::int64_t begin = first[cell], end = first[cell + 1];
    Doubles sum = zero;
    for (std::int64_t edge = begin; edge < end; ++edge) {
      const Doubles number = lanes_at(weights, edge) * lanes_at(below, tails[2 * edge]) * lanes_at(below, tails[2 * edge + 1]);
      put_lanes(weights, edge, number);
      sum += number;
    }
    put_lanes(below, cell, sum);
    most = larger(sum, most);  // a lane that became NaN was too large or too small before
    least = if_greater(least, if_greater(sum, zero, sum, one), sum, least);
    const Doubles share = if_greater(sum, zero, one / sum, zero);
    if (end - begin == 1) {
      put_lanes(weights, begin, if_greater(sum, zero, one, zero));
      continue;
    }
    for (std::int64_t edge = begin; edge < end; ++edge) put_lanes(weights, edge, lanes_at(weights, edge) * share);
  }
  store(lowest, least);
  store(highest, most);
}

void spread_lanes(std::int32_t cells, const std::int32_t* first, const std::int32_t* tails, const double* chances, double* reach,
                  double* const* marginals) {
  std::array<double*, kInputs> into;
  std::copy_n(marginals, kInputs, into.begin());
  for (std::int32_t cell = cells - 1; cell >= 0; --cell) {
    const Doubles here = lanes_at(reach, cell);
    const std::int64_t end = first[cell + 1];
    for (std::int64_t edge = first[cell]; edge < end; ++edge) {
      const std::int32_t a = tails[2 * edge], b = tails[2 * edge + 1];
      const Doubles used = here * lanes_at(chances, edge);
      put_lanes(reach, a, lanes_at(reach, a) + used);
      put_lanes(reach, b, lanes_at(reach, b) + used);
      double apart[kInputs];
      store(apart, used);
      for (int lane = 0; lane < kInputs; ++lane) into[static_cast<std::size_t>(lane)][edge] = apart[lane];
    }
  }
}
