// Sums over all alignments of a grid for scores of any size: every number has a power of two of its own (simd/grid_sum_pass.hpp), so that
// nothing overflows, and what vanishes beside a larger number vanishes in that sum alone. Part of kernels.inl.

constexpr double kWholes = 0x1.8p52;  // added to a whole number it leaves that number in the lowest bits
#if defined(__GNUC__) || defined(__clang__)
using Bits = Vec<std::uint64_t, kGridLanes>;
inline Bits bits_of(Doubles v) { return std::bit_cast<Bits>(v); }
inline Doubles from_bits(Bits v) { return std::bit_cast<Doubles>(v); }
// 2^power for whole powers up to 1023; 0 from -1023 down.
inline Doubles two_to(Doubles power) {
  return from_bits(bits_of(larger(power, fill<Doubles>(-1023.0)) + fill<Doubles>(kWholes + 1023.0)) << 52);
}
// A positive number as a number from 1 to below 2, and the power of two that it leaves.
inline void divide_powers(Doubles& number, Doubles& power) {
  const Bits bits = bits_of(number);
  power = power + (from_bits((bits >> 52) | std::bit_cast<std::uint64_t>(0x1p52)) - fill<Doubles>(0x1p52 + 1023.0));
  number = from_bits((bits & ((std::uint64_t{1} << 52) - 1)) | std::bit_cast<std::uint64_t>(1.0));
}
#else
inline Doubles two_to(Doubles power) {
  for (double& each : power.lane) each = power_of_two(static_cast<std::int64_t>(std::max(each, -1023.0)));
  return power;
}
inline void divide_powers(Doubles& number, Doubles& power) {
  for (int k = 0; k < kGridLanes; ++k) {
    const std::int32_t own = exponent_of(number.lane[k]);
    power.lane[k] += own;
    number.lane[k] *= power_of_two(-own);
  }
}
#endif
inline Strip two_to(const Strip& power) { return {two_to(power.v[0]), two_to(power.v[1])}; }
inline Strip operator-(const Strip& a, const Strip& b) { return {a.v[0] - b.v[0], a.v[1] - b.v[1]}; }

// A number times a power of two per row of a strip. Sums and products of a few normal ones need not be made normal before the next.
struct Wide {
  Strip number, power;

  static Wide none() { return {Strip::all(1.0), Strip::all(kNoWide)}; }
  static Wide at(const WideNumbers& from, std::int64_t k) { return {Strip::at(from.number + k), Strip::at(from.power + k)}; }
  static Wide at(const double* kept) { return {Strip::at(kept), Strip::at(kept + kGridStrip)}; }
  void to(double* kept) const {
    number.to(kept);
    power.to(kept + kGridStrip);
  }
  Wide normal() const {
    Wide same = *this;
    for (int half = 0; half < 2; ++half) divide_powers(same.number.v[half], same.power.v[half]);
    return same;
  }
};
inline Wide operator*(const Wide& a, const Wide& b) { return {a.number * b.number, a.power + b.power}; }
inline Wide operator+(const Wide& a, const Wide& b) {
  const Strip most = larger(a.power, b.power);
  return {a.number * two_to(a.power - most) + b.number * two_to(b.power - most), most};
}
inline Wide if_greater(const Strip& a, const Strip& b, const Wide& then, const Wide& otherwise) {
  return {if_greater(a, b, then.number, otherwise.number), if_greater(a, b, then.power, otherwise.power)};
}

// One number between strips, or of a strip.
struct WideOne {
  double number = 1.0, power = kNoWide;

  static WideOne at(const WideRoom& room, std::int32_t k) { return {room.number[k], room.power[k]}; }
  static WideOne first(const Wide& a) { return {lane(a.number.v[0], 0), lane(a.power.v[0], 0)}; }
  static WideOne last(const Wide& a) { return {lane(a.number.v[1], kGridLanes - 1), lane(a.power.v[1], kGridLanes - 1)}; }
  void to(const WideRoom& room, std::int32_t k) const {
    room.number[k] = number;
    room.power[k] = power;
  }
};
inline Wide down(const Wide& a, WideOne first) { return {a.number.down(first.number), a.power.down(first.power)}; }
inline Wide up(const Wide& a, WideOne last) { return {up(a.number, last.number), up(a.power, last.power)}; }

class GridWideStrip : protected GridPlace {
 public:
  explicit GridWideStrip(GridWidePass& pass) : GridPlace(pass.grid), pass_(pass) {}

 protected:
  void enter(std::int32_t first) {
    place(first);
    for (int r = 0; r < kGridStrip; ++r) {
      const bool beyond = first + r >= grid_.m;
      const std::int64_t at = beyond ? 0 : at_row(first + r);
      match_[r] = beyond ? pass_.zeros : WideNumbers{pass_.match.number + at, pass_.match.power + at};
    }
    open_ = Wide::at(pass_.next_open_x, first);
    extend_ = Wide::at(pass_.next_extend_x, first);
    for (int side = 0; side < 2; ++side) {
      start_[side] = Wide::at(pass_.start[side].by_row, first);
      stop_[side] = Wide::at(pass_.stop[side].by_row, first);
    }
    cells_ = pass_.cells + static_cast<std::int64_t>(first / kGridStrip) * (grid_.n + kGridStrip) * 6 * kGridStrip;
  }
  double* kept(std::int32_t t) const { return cells_ + static_cast<std::int64_t>(t) * 6 * kGridStrip; }
  void clear() const {
    for (std::int32_t j = 0; j <= grid_.n; ++j) WideOne().to(pass_.across_x, j), WideOne().to(pass_.across_h, j);
  }

  Wide match(std::int32_t t) const {
    double number[kGridStrip], power[kGridStrip];
    for (int r = 0; r < kGridStrip; ++r) {
      const std::int32_t j = std::clamp(t - r, 0, grid_.n - 1);
      number[r] = match_[r].number[j];
      power[r] = match_[r].power[j];
    }
    return {Strip::at(number), Strip::at(power)};
  }
  Wide by_column(const WideNumbers& reversed, std::int32_t t) const { return Wide::at(reversed, grid_.n - 1 - t); }
  Wide inside(const Strip& column, const Wide& value) const { return {value.number, GridPlace::inside(column, value.power, kNoWide)}; }
  Wide end(const Strip& a, const Strip& b, const Wide (&rows)[2], const WideSide (&sides)[2], std::int32_t t) const {
    return if_greater(a, b, rows[1], rows[0]) * if_greater(a, b, by_column(sides[1].by_column, t), by_column(sides[0].by_column, t));
  }
  Wide start(const Strip& column, std::int32_t t) const { return end(column, row_, start_, pass_.start, t); }
  Wide stop(const Strip& column, std::int32_t t) const { return end(across_, column, stop_, pass_.stop, t); }

  GridWidePass& pass_;
  WideNumbers match_[kGridStrip];
  Wide open_, extend_, start_[2], stop_[2];
  double* cells_ = nullptr;
};

class GridWideForward : GridWideStrip {
 public:
  using GridWideStrip::GridWideStrip;

  void run() {
    clear();
    total_ = Wide::none();
    for (std::int32_t first = 0; first < grid_.m; first += kGridStrip) {
      enter(first);
      steps();
    }
    double number[kGridStrip], power[kGridStrip];
    total_.number.to(number);
    total_.power.to(power);
    const bool alone = grid_.alone != kNever;
    double most = *std::max_element(power, power + kGridStrip), own = alone ? std::floor(grid_.alone / kLog2) : kNoWide, sum = 0.0;
    most = std::max(most, own);
    for (int r = 0; r < kGridStrip; ++r) sum += power[r] - most < -1000.0 ? 0.0 : std::ldexp(number[r], static_cast<int>(power[r] - most));
    if (alone) sum += std::exp(std::max(-700.0, grid_.alone - most * kLog2));
    const int extra = std::ilogb(sum) + 1;  // the inverse of a number below 1 makes no number too small to be normal
    pass_.sum_number = std::ldexp(sum, -extra);
    pass_.sum_power = most + extra;
  }

 private:
  void steps() {
    Wide any = Wide::none(), y = any, next_x = any, h = any, older = any, total = total_;
    Strip column = columns_at(from_);
    for (std::int32_t t = from_; t < to_; ++t) {
      const bool above = t < grid_.n;
      Wide x = down(next_x, above ? WideOne::at(pass_.across_x, t) : WideOne());
      Wide pair = (match(t) * (down(older, above ? WideOne::at(pass_.across_h, t) : WideOne()) + start(column, t))).normal();
      y = (any * by_column(pass_.open_y, t) + y * by_column(pass_.extend_y, t)).normal();
      if (is_guarded(t, t + 1)) x = inside(column, x), pair = inside(column, pair), y = inside(column, y);
      any = pair + x;
      older = h;
      h = any + y;
      next_x = (pair * open_ + x * extend_).normal();
      if (const std::int32_t j = t - kGridStrip + 1; j >= 0) {
        WideOne::last(next_x).to(pass_.across_x, j);
        WideOne::last(h).to(pass_.across_h, j + 1);
      }
      double* into = kept(t);
      pair.to(into);
      x.to(into + 2 * kGridStrip);
      y.to(into + 4 * kGridStrip);
      total = total + pair * stop(column, t);
      column = column + Strip::all(1.0);
    }
    total_ = total;
  }

  Wide total_;
};

class GridWideBackward : GridWideStrip {
 public:
  using GridWideStrip::GridWideStrip;

  void run() {
    clear();
    share_ = Strip::all(1.0 / pass_.sum_number);
    whole_ = Strip::all(pass_.sum_power);
    for (std::int32_t first = (grid_.m - 1) / kGridStrip * kGridStrip; first >= 0; first -= kGridStrip) {
      enter(first);
      steps();
    }
  }

 private:
  Strip probability(const Wide& before, const Wide& after) const {
    return before.number * after.number * share_ * two_to(before.power + after.power - whole_);
  }

  void steps() {
    const std::int32_t n = grid_.n;
    const SumUses& uses = pass_.uses;
    Wide of_next = Wide::none(), older = of_next, of_x = of_next, of_y = of_next;  // what follows a place; of pairs with the weight of the pair
    Strip rows[4], columns[4];                                                     // uses: open, extend, before, after
    for (Strip& each : rows) each = Strip::all(0.0);
    for (Strip& each : columns) each = Strip::all(0.0);
    for (std::int32_t t = to_ - 1; t >= from_; --t) {
      const Strip column = columns_at(t);
      const std::int32_t j = t - kGridStrip + 1;
      const Wide next = up(older, j + 1 >= 0 && j + 1 < n ? WideOne::at(pass_.across_h, j + 1) : WideOne());
      const Wide run = up(of_x, j >= 0 && j < n ? WideOne::at(pass_.across_x, j) : WideOne());
      const Wide opens = open_ * run, extends = extend_ * run, open_y = by_column(pass_.open_y, t + 1) * of_y;
      const Wide extend_y = by_column(pass_.extend_y, t + 1) * of_y, stops = stop(column, t), either = next + open_y;
      Wide of_pair = either + stops + opens;
      of_x = (either + extends).normal();
      of_y = (next + extend_y).normal();
      if (is_guarded(t, t + 1)) of_pair = inside(column, of_pair), of_x = inside(column, of_x), of_y = inside(column, of_y);
      const double* from = kept(t);
      const Wide pair = Wide::at(from), x = Wide::at(from + 2 * kGridStrip), y = Wide::at(from + 4 * kGridStrip);
      double used[kGridStrip];
      probability(pair, of_pair).to(used);
      for (std::int32_t r = 0; r <= bottom_ - first_; ++r) {
        if (t - r >= 0 && t - r < n) uses.pairs[static_cast<std::int64_t>(first_ + r) * n + t - r] = used[r];
      }
      const Wide weighed = (match(t) * of_pair).normal();
      const Strip starts = probability(start(column, t), weighed), ends = probability(pair, stops);
      rows[0] = rows[0] + probability(pair, opens);
      rows[1] = rows[1] + probability(x, extends);
      rows[2] = rows[2] + starts * paid(column, row_, grid_.paid_start_x);
      rows[3] = rows[3] + ends * paid(across_, column, grid_.paid_stop_x);
      columns[0] = up(columns[0], 0.0) + probability(pair + x, open_y);
      columns[1] = up(columns[1], 0.0) + probability(y, extend_y);
      columns[2] = up(columns[2], 0.0) + starts * paid(column, row_, grid_.paid_start_y);
      columns[3] = up(columns[3], 0.0) + ends * paid(across_, column, grid_.paid_stop_y);
      if (t < n) {
        double* out[] = {uses.open_y_uses + 1, uses.extend_y_uses + 1, uses.before_y, uses.after_y};
        for (int k = 0; k < 4; ++k) out[k][t] += lane(columns[k].v[0], 0);
        WideOne::first(weighed).to(pass_.across_h, t);
        WideOne::first(of_x).to(pass_.across_x, t);
      }
      older = of_next;
      of_next = weighed;
    }
    double* out[] = {uses.open_x, uses.extend_x, uses.before_x, uses.after_x};
    for (int k = 0; k < 4; ++k) rows[k].to(out[k] + first_);
  }

  Strip share_, whole_;
};

void grid_wide_forward(GridWidePass& pass) { GridWideForward(pass).run(); }
void grid_wide_backward(GridWidePass& pass) { GridWideBackward(pass).run(); }
