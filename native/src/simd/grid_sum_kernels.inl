// Sums over all alignments of a grid, strip by strip (simd/grid_sum_pass.hpp). Part of kernels.inl.

#if defined(__GNUC__) || defined(__clang__)
inline Doubles moved_back(Doubles v, Doubles after) {  // lanes (v[1], v[2], ..., after[0])
#if defined(__AVX__)
  return shuffled<1, 2, 3, 4>(v, after);
#else
  return shuffled<1, 2>(v, after);
#endif
}
#else
inline Doubles moved_back(Doubles v, Doubles after) {
  Doubles to;
  for (int k = 0; k + 1 < kGridLanes; ++k) to.lane[k] = v.lane[k + 1];
  to.lane[kGridLanes - 1] = after.lane[0];
  return to;
}
#endif
inline Strip operator*(const Strip& a, const Strip& b) { return {a.v[0] * b.v[0], a.v[1] * b.v[1]}; }
inline Strip operator*(const Strip& a, double b) { return {a.v[0] * fill<Doubles>(b), a.v[1] * fill<Doubles>(b)}; }
// That of the row after, `last` for the last row.
inline Strip up(const Strip& a, double last) { return {moved_back(a.v[0], a.v[1]), moved_back(a.v[1], fill<Doubles>(last))}; }
inline Strip smaller(const Strip& a, const Strip& b) { return if_greater(a, b, b, a); }

inline double power_of_two(std::int64_t power) {
  if (power < -1022) return 0.0;
  return std::bit_cast<double>(static_cast<std::uint64_t>(std::min<std::int64_t>(power, 1023) + 1023) << 52);
}
inline std::int32_t exponent_of(double positive) { return static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(positive) >> 52) - 1023; }

constexpr double kLog2 = 0.693147180559945309417;
constexpr double kHuge = 1e250;  // times the largest weight of a pair or gap it is still finite
constexpr double kLowestReliable = 0x1p-500;
constexpr std::int32_t kNoPower = std::numeric_limits<std::int32_t>::min();

// Where a strip is, and which of its steps and columns are in the grid and the band.
class GridPlace {
 public:
  explicit GridPlace(const SumGrid& grid) : grid_(grid) {}

 protected:
  void place(std::int32_t first) {
    first_ = first;
    bottom_ = std::min(first + kGridStrip, grid_.m) - 1;
    double rows[kGridStrip], begin[kGridStrip], end[kGridStrip];
    for (int r = 0; r < kGridStrip; ++r) {
      const std::int32_t i = std::min(first + r, grid_.m - 1);
      rows[r] = first + r;
      begin[r] = grid_.begin == nullptr ? 0 : grid_.begin[i];
      end[r] = grid_.begin == nullptr ? grid_.n : grid_.end[i];
    }
    row_ = Strip::at(rows);
    across_ = row_ + Strip::all(static_cast<double>(grid_.n - grid_.m));
    begin_ = Strip::at(begin);
    end_ = Strip::at(end);
    from_ = grid_.begin == nullptr ? 0 : grid_.begin[first];
    to_ = (grid_.begin == nullptr ? grid_.n : grid_.end[bottom_]) + (bottom_ - first);
  }
  // Where the numbers of a row of the grid begin among those of its table.
  std::int64_t at_row(std::int32_t i) const { return static_cast<std::int64_t>(grid_.row == nullptr ? i : grid_.row[i]) * grid_.n; }
  bool is_guarded(std::int32_t begin, std::int32_t end) const { return grid_.begin != nullptr || begin < kGridStrip - 1 || end > grid_.n; }
  Strip columns_at(std::int32_t t) const {
    double columns[kGridStrip];
    for (int r = 0; r < kGridStrip; ++r) columns[r] = t - r;
    return Strip::at(columns);
  }
  Strip by_column(const double* reversed, std::int32_t t) const { return Strip::at(reversed + (grid_.n - 1 - t)); }
  Strip inside(const Strip& column, const Strip& value, double outside) const {
    const Strip other = Strip::all(outside);
    return if_greater(column + Strip::all(1.0), end_, other, if_greater(begin_, column, other, value));
  }
  static Strip paid(const Strip& a, const Strip& b, const bool (&sides)[2]) {  // 1 or 0, by sides[a > b]
    return if_greater(a, b, Strip::all(sides[1] ? 1.0 : 0.0), Strip::all(sides[0] ? 1.0 : 0.0));
  }

  const SumGrid& grid_;
  std::int32_t first_ = 0, bottom_ = 0, from_ = 0, to_ = 0;
  Strip row_, across_, begin_, end_;
};

// Weights of ends over one block of steps of a strip: exp(by_row + by_column + shift).
class EndWeights {
 public:
  void rows(const GridSide& side, std::int32_t first) {
    double numbers[kGridStrip];
    row_most_ = kNever;
    for (int r = 0; r < kGridStrip; ++r) row_most_ = std::max(row_most_, numbers[r] = side.by_row[first + r]);
    for (double& x : numbers) x = row_most_ == kNever ? 0.0 : x - row_most_;
    exp_all(numbers, kGridStrip);
    rows_ = Strip::at(numbers);
    by_column_ = side.by_column;
  }
  // The largest logarithm of the block of steps begin .. end - 1, and the weights of its columns; none if the side has no place there.
  double columns(std::int32_t begin, std::int32_t end, std::int32_t n, bool used) {
    const int count = end - begin + kGridStrip - 1;
    end_ = end;
    column_most_ = kNever;
    if (used) {
      const double* from = by_column_ + (n - end);
      for (int k = 0; k < count; ++k) column_most_ = std::max(column_most_, columns_[k] = from[k]);
    }
    if (column_most_ == kNever || row_most_ == kNever) {
      std::fill_n(columns_, count, 0.0);
      column_most_ = kNever;
      return kNever;
    }
    for (int k = 0; k < count; ++k) columns_[k] -= column_most_;
    exp_all(columns_, count);
    return row_most_ + column_most_;
  }
  void shift(double by) {
    const double log = row_most_ + column_most_ + by;
    scaled_ = rows_ * (column_most_ == kNever ? 0.0 : std::exp(std::min(log, 570.0)));
  }
  Strip at(std::int32_t t) const { return scaled_ * Strip::at(columns_ + (end_ - 1 - t)); }

 private:
  Strip rows_, scaled_;
  double row_most_ = kNever, column_most_ = kNever;
  const double* by_column_ = nullptr;
  std::int32_t end_ = 0;
  double columns_[kSumBlock + 2 * kMostStrip];
};

// What both passes know of a strip.
class GridSumStrip : protected GridPlace {
 public:
  explicit GridSumStrip(GridSumPass& pass) : GridPlace(pass.grid), pass_(pass) {}

 protected:
  void enter(std::int32_t first) {
    const std::int32_t m = grid_.m, n = grid_.n;
    place(first);
    for (int r = 0; r < kGridStrip; ++r) match_[r] = first + r >= m ? pass_.zeros : pass_.match + at_row(first + r);
    open_ = Strip::at(pass_.next_open_x + first);
    extend_ = Strip::at(pass_.next_extend_x + first);
    for (int side = 0; side < 2; ++side) {
      start_[side].rows(pass_.start[side], first);
      stop_[side].rows(pass_.stop[side], first);
    }
    const std::int64_t strip = first / kGridStrip;
    cells_ = pass_.cells + strip * (n + kGridStrip) * 3 * kGridStrip;
    powers_ = pass_.powers + strip * ((n + kGridStrip) / kSumBlock + 1);
  }
  // The largest logarithm of a start in steps begin .. end - 1.
  double enter_block(std::int32_t begin, std::int32_t end) {
    const std::int32_t n = grid_.n, lowest = std::max(0, begin - kGridStrip + 1), highest = std::min(n - 1, end - 1), across = n - grid_.m;
    const double start0 = start_[0].columns(begin, end, n, lowest <= bottom_), start1 = start_[1].columns(begin, end, n, highest > first_);
    stop_most_ = std::max(stop_[0].columns(begin, end, n, highest - first_ >= across), stop_[1].columns(begin, end, n, lowest - bottom_ < across));
    return std::max(start0, start1);
  }
  Strip match(std::int32_t t, bool guarded) const {
    double now[kGridStrip];
    for (int r = 0; r < kGridStrip; ++r) now[r] = match_[r][guarded ? std::clamp(t - r, 0, grid_.n - 1) : t - r];
    return Strip::at(now);
  }
  Strip inside(const Strip& column, const Strip& value) const { return GridPlace::inside(column, value, 0.0); }
  Strip start(const Strip& column, std::int32_t t) const { return if_greater(column, row_, start_[1].at(t), start_[0].at(t)); }
  Strip stop(const Strip& column, std::int32_t t) const {
    return if_greater(across_, column, stop_[1].at(t), stop_[0].at(t));
  }

  GridSumPass& pass_;
  const double* match_[kGridStrip];
  Strip open_, extend_;
  EndWeights start_[2], stop_[2];
  double stop_most_ = kNever;
  double* cells_ = nullptr;
  std::int32_t* powers_ = nullptr;
};

class GridSumForward : GridSumStrip {
 public:
  using GridSumStrip::GridSumStrip;

  void run() {
    std::fill_n(pass_.across_x, grid_.n + 1, 0.0);
    std::fill_n(pass_.across_h, grid_.n + 1, 0.0);
    std::fill_n(pass_.across_power, grid_.n + 1, 0);
    log_sum_ = grid_.alone;
    pass_.reliable = true;
    for (std::int32_t first = 0; first < grid_.m; first += kGridStrip) {
      enter(first);
      any_ = y_ = next_x_ = h_ = older_ = Strip::all(0.0);
      lowest_ = Strip::all(1.0);
      power_ = 0;
      for (std::int32_t begin = from_; begin < to_;) {
        const std::int32_t end = std::min(to_, (begin / kSumBlock + 1) * kSumBlock);
        choose_power(begin, end, enter_block(begin, end));
        for (int side = 0; side < 2; ++side) {
          start_[side].shift(-power_ * kLog2);
          stop_[side].shift(-stop_most_);
        }
        is_guarded(begin, end) ? steps<true>(begin, end) : steps<false>(begin, end);
        begin = end;
      }
      double lowest[kGridStrip];
      lowest_.to(lowest);
      if (*std::min_element(lowest, lowest + (bottom_ - first + 1)) < kLowestReliable) pass_.reliable = false;
      if (!pass_.reliable) return;
    }
    pass_.log_sum = log_sum_;
  }

 private:
  void choose_power(std::int32_t begin, std::int32_t end, double start) {
    std::int32_t most = start == kNever ? kNoPower : static_cast<std::int32_t>(std::ceil(start / kLog2));
    double state[kGridStrip];
    larger(larger(next_x_, h_), older_).to(state);
    const double highest = *std::max_element(state, state + kGridStrip);
    if (highest > 0.0) most = std::max(most, power_ + exponent_of(highest));
    for (std::int32_t t = begin; t < std::min(end, grid_.n); ++t) {
      if (pass_.across_x[t] > 0.0) most = std::max(most, pass_.across_power[t + 1] + exponent_of(pass_.across_x[t]));
      if (pass_.across_h[t] > 0.0) most = std::max(most, pass_.across_power[t] + exponent_of(pass_.across_h[t]));
    }
    if (most == kNoPower) most = power_;
    const double change = power_of_two(static_cast<std::int64_t>(power_) - most);
    for (Strip* each : {&any_, &y_, &next_x_, &h_, &older_}) *each = *each * change;
    powers_[begin / kSumBlock] = power_ = most;
  }

  template <bool kGuarded>
  void steps(std::int32_t begin, std::int32_t end) {
    Strip any = any_, y = y_, next_x = next_x_, h = h_, older = older_, total = Strip::all(0.0), lowest = lowest_, column = columns_at(begin);
    for (std::int32_t t = begin; t < end; ++t) {
      double above_x = 0.0, above_h = 0.0;
      if (!kGuarded || t < grid_.n) {
        above_x = pass_.across_x[t] * power_of_two(static_cast<std::int64_t>(pass_.across_power[t + 1]) - power_);
        above_h = pass_.across_h[t] * power_of_two(static_cast<std::int64_t>(pass_.across_power[t]) - power_);
      }
      Strip x = next_x.down(above_x);
      Strip pair = match(t, kGuarded) * (older.down(above_h) + start(column, t));
      y = any * by_column(pass_.open_y, t) + y * by_column(pass_.extend_y, t);
      if constexpr (kGuarded) {
        lowest = smaller(lowest, GridPlace::inside(column, pair, 1.0));
        x = inside(column, x), pair = inside(column, pair), y = inside(column, y);
      } else {
        lowest = smaller(lowest, pair);
      }
      any = pair + x;
      older = h;
      h = any + y;
      next_x = pair * open_ + x * extend_;
      if (!kGuarded || t >= kGridStrip - 1) {
        const std::int32_t j = t - kGridStrip + 1;
        pass_.across_x[j] = lane(next_x.v[1], kGridLanes - 1);
        pass_.across_h[j + 1] = lane(h.v[1], kGridLanes - 1);
        pass_.across_power[j + 1] = power_;
      }
      double* kept = cells_ + static_cast<std::int64_t>(t) * 3 * kGridStrip;
      pair.to(kept);
      x.to(kept + kGridStrip);
      y.to(kept + 2 * kGridStrip);
      total = total + pair * stop(column, t);
      column = column + Strip::all(1.0);
    }
    any_ = any, y_ = y, next_x_ = next_x, h_ = h, older_ = older, lowest_ = lowest;
    const double sum = sum_of(total.v[0] + total.v[1]);
    if (sum > 0.0) add(std::log(sum) + power_ * kLog2 + stop_most_);
  }

  void add(double log) {
    const double most = std::max(log, log_sum_);
    log_sum_ = most + std::log(std::exp(log - most) + std::exp(log_sum_ - most));
  }

  Strip any_, y_, next_x_, h_, older_, lowest_;
  std::int32_t power_ = 0;
  double log_sum_ = kNever;
};

class GridSumBackward : GridSumStrip {
 public:
  using GridSumStrip::GridSumStrip;

  void run() {
    std::fill_n(pass_.across_x, grid_.n + 1, 0.0);
    std::fill_n(pass_.across_h, grid_.n + 1, 0.0);
    std::fill_n(pass_.across_power, grid_.n + 1, 0);
    const std::int32_t last = (grid_.m - 1) / kGridStrip * kGridStrip;
    for (std::int32_t first = last; first >= 0; first -= kGridStrip) {
      enter(first);
      pair_ = older_ = x_ = y_ = Strip::all(0.0);
      for (Strip& each : rows_) each = Strip::all(0.0);
      for (Strip& each : columns_) each = Strip::all(0.0);
      power_ = to_ > from_ ? powers_[(to_ - 1) / kSumBlock] : 0;
      for (std::int32_t end = to_; end > from_;) {
        const std::int32_t begin = std::max(from_, (end - 1) / kSumBlock * kSumBlock), power = powers_[begin / kSumBlock];
        enter_block(begin, end);
        for (int side = 0; side < 2; ++side) {
          start_[side].shift(-power * kLog2);
          stop_[side].shift(power * kLog2 - pass_.log_sum);
        }
        const double change = power_of_two(static_cast<std::int64_t>(power) - power_);
        for (Strip* each : {&pair_, &older_, &x_, &y_}) *each = smaller(*each * change, Strip::all(kHuge));
        power_ = power;
        is_guarded(begin, end) ? steps<true>(begin, end) : steps<false>(begin, end);
        end = begin;
      }
      double* out[] = {pass_.uses.open_x, pass_.uses.extend_x, pass_.uses.before_x, pass_.uses.after_x};
      for (int k = 0; k < 4; ++k) rows_[k].to(out[k] + first);
    }
  }

 private:
  double scaled(double value, std::int32_t power) const { return std::min(kHuge, value * power_of_two(static_cast<std::int64_t>(power_) - power)); }

  template <bool kGuarded>
  void steps(std::int32_t begin, std::int32_t end) {
    const std::int32_t n = grid_.n;
    const Strip huge = Strip::all(kHuge), across = across_;
    for (std::int32_t t = end - 1; t >= begin; --t) {
      const Strip column = columns_at(t);
      const std::int32_t j = t - kGridStrip + 1;
      double below_h = 0.0, below_x = 0.0;
      if (!kGuarded || (j + 1 >= 0 && j + 1 < n)) below_h = scaled(pass_.across_h[j + 1], pass_.across_power[j + 1]);
      if (!kGuarded || (j >= 0 && j < n)) below_x = scaled(pass_.across_x[j], pass_.across_power[j]);
      const Strip next = up(older_, below_h), run = up(x_, below_x);
      const Strip opens = open_ * run, extends = extend_ * run;
      const Strip open_y = by_column(pass_.open_y, t + 1) * y_, extend_y = by_column(pass_.extend_y, t + 1) * y_, stops = stop(column, t);
      Strip of_pair = smaller(stops + next + opens + open_y, huge), of_x = smaller(next + extends + open_y, huge);
      Strip of_y = smaller(next + extend_y, huge);
      if constexpr (kGuarded) of_pair = inside(column, of_pair), of_x = inside(column, of_x), of_y = inside(column, of_y);
      const double* kept = cells_ + static_cast<std::int64_t>(t) * 3 * kGridStrip;
      const Strip pair = Strip::at(kept), x = Strip::at(kept + kGridStrip), y = Strip::at(kept + 2 * kGridStrip);
      double used[kGridStrip];
      (pair * of_pair).to(used);
      for (std::int32_t r = 0; r <= bottom_ - first_; ++r) {
        if (!kGuarded || (t - r >= 0 && t - r < n)) pass_.uses.pairs[static_cast<std::int64_t>(first_ + r) * n + t - r] = used[r];
      }
      const Strip weighed = match(t, kGuarded) * of_pair;
      const Strip starts = start(column, t) * weighed, ends = pair * stops;
      rows_[0] = rows_[0] + pair * opens;
      rows_[1] = rows_[1] + x * extends;
      rows_[2] = rows_[2] + starts * paid(column, row_, grid_.paid_start_x);
      rows_[3] = rows_[3] + ends * paid(across, column, grid_.paid_stop_x);
      columns_[0] = up(columns_[0], 0.0) + (pair + x) * open_y;
      columns_[1] = up(columns_[1], 0.0) + y * extend_y;
      columns_[2] = up(columns_[2], 0.0) + starts * paid(column, row_, grid_.paid_start_y);
      columns_[3] = up(columns_[3], 0.0) + ends * paid(across, column, grid_.paid_stop_y);
      if (!kGuarded || t < n) {
        pass_.uses.open_y_uses[t + 1] += lane(columns_[0].v[0], 0);
        pass_.uses.extend_y_uses[t + 1] += lane(columns_[1].v[0], 0);
        pass_.uses.before_y[t] += lane(columns_[2].v[0], 0);
        pass_.uses.after_y[t] += lane(columns_[3].v[0], 0);
        pass_.across_h[t] = lane(weighed.v[0], 0);
        pass_.across_x[t] = lane(of_x.v[0], 0);
        pass_.across_power[t] = power_;
      }
      older_ = pair_;
      pair_ = weighed;
      x_ = of_x;
      y_ = of_y;
    }
  }

  Strip pair_, older_, x_, y_;     // what follows a place, of the step before; of pairs with the weight of the pair
  Strip rows_[4], columns_[4];     // uses: open, extend, before, after
  std::int32_t power_ = 0;
};

void grid_sum_forward(GridSumPass& pass) { GridSumForward(pass).run(); }
void grid_sum_backward(GridSumPass& pass) { GridSumBackward(pass).run(); }
