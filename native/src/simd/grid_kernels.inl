// Passes over a grid of alignments, strip by strip (simd/grid_pass.hpp). Part of kernels.inl.

inline constexpr int kGridLanes = kLanes<double>;
inline constexpr int kGridStrip = 2 * kGridLanes;
static_assert(kGridStrip <= kMostStrip);

#if defined(__GNUC__) || defined(__clang__)
using Flags = Vec<std::int64_t, kGridLanes>;
using Choices = Vec<std::int32_t, kGridStrip>;

// Lanes of `a` and `b`, counted through both. GCC before 12 knows the second form only.
template <int... kAt, class V>
inline V shuffled(V a, V b) {
#if __has_builtin(__builtin_shufflevector)
  return __builtin_shufflevector(a, b, kAt...);
#else
  return __builtin_shuffle(a, b, decltype(a < b){kAt...});
#endif
}
inline Flags exceeds(Doubles a, Doubles b) { return a > b; }
inline Flags reaches(Doubles a, Doubles b) { return a >= b; }
// Lanes (first, v[0], v[1], ...), where `first` is the last lane of `before`.
inline Doubles moved(Doubles before, Doubles v) {
#if defined(__AVX__)
  return shuffled<3, 4, 5, 6>(before, v);
#else
  return shuffled<1, 2>(before, v);
#endif
}
// One number of 32 bits per lane of both, in an order of the machine's.
inline Choices packed(Flags a, Flags b) {
  Choices low, high;
  std::memcpy(&low, &a, sizeof(a));
  std::memcpy(&high, &b, sizeof(b));
#if defined(__AVX__)
  return shuffled<0, 2, 8, 10, 4, 6, 12, 14>(low, high);
#else
  return shuffled<0, 2, 4, 6>(low, high);
#endif
}
inline void mark(Choices& into, Flags a, Flags b, std::int32_t bit) { into |= packed(a, b) & bit; }
inline double lane(Doubles v, int k) { return v[k]; }
#else
struct Flags {
  std::int64_t lane[kGridLanes];
};
struct Choices {
  std::int32_t lane[kGridStrip];
};
inline Flags exceeds(Doubles a, Doubles b) {
  Flags f;
  for (int k = 0; k < kGridLanes; ++k) f.lane[k] = a.lane[k] > b.lane[k];
  return f;
}
inline Flags reaches(Doubles a, Doubles b) {
  Flags f;
  for (int k = 0; k < kGridLanes; ++k) f.lane[k] = a.lane[k] >= b.lane[k];
  return f;
}
inline Doubles moved(Doubles before, Doubles v) {
  Doubles to;
  to.lane[0] = before.lane[kGridLanes - 1];
  for (int k = 1; k < kGridLanes; ++k) to.lane[k] = v.lane[k - 1];
  return to;
}
inline void mark(Choices& into, Flags a, Flags b, std::int32_t bit) {
  for (int k = 0; k < kGridLanes; ++k) {
    if (a.lane[k]) into.lane[k] |= bit;
    if (b.lane[k]) into.lane[kGridLanes + k] |= bit;
  }
}
inline double lane(Doubles v, int k) { return v.lane[k]; }
#endif

// Where the choices of a row of a strip are.
int grid_lane(int row) {
#if defined(__AVX__)
  constexpr int kPlaces[] = {0, 1, 4, 5, 2, 3, 6, 7};
  return kPlaces[row];
#else
  return row;
#endif
}

constexpr double kNever = -std::numeric_limits<double>::infinity();

// One number per row of a strip.
struct Strip {
  Doubles v[2];
  static Strip at(const double* p) { return {load<Doubles>(p), load<Doubles>(p + kGridLanes)}; }
  static Strip all(double x) { return {fill<Doubles>(x), fill<Doubles>(x)}; }
  void to(double* p) const {
    store(p, v[0]);
    store(p + kGridLanes, v[1]);
  }
  // That of the row before, `first` for the first row.
  Strip down(double first) const { return {moved(fill<Doubles>(first), v[0]), moved(v[0], v[1])}; }
};
inline Strip operator+(const Strip& a, const Strip& b) { return {a.v[0] + b.v[0], a.v[1] + b.v[1]}; }
inline Strip larger(const Strip& a, const Strip& b) { return {larger(a.v[0], b.v[0]), larger(a.v[1], b.v[1])}; }
inline Strip if_greater(const Strip& a, const Strip& b, const Strip& then, const Strip& otherwise) {
  return {if_greater(a.v[0], b.v[0], then.v[0], otherwise.v[0]), if_greater(a.v[1], b.v[1], then.v[1], otherwise.v[1])};
}
inline void mark(Choices& into, const Strip& a, const Strip& b, std::int32_t bit) { mark(into, exceeds(a.v[0], b.v[0]), exceeds(a.v[1], b.v[1]), bit); }

template <GridEnds kEnds>
class GridForward {
 public:
  explicit GridForward(GridPass& pass) : pass_(pass) {}

  void run() {
    const std::int32_t m = pass_.m, n = pass_.n;
    pass_.value = kNever;
    pass_.i = pass_.j = -1;
    for (std::int32_t j = 0; j <= n; ++j) {
      pass_.above_x[j] = kNever;
      pass_.above_h[j] = kEnds == GridEnds::border && j > 0 && j < n ? pass_.border_y[j] : kNever;
    }
    for (std::int32_t first = 0; first < m; first += kGridStrip) strip(first);
  }

 private:
  void strip(std::int32_t first) {
    const std::int32_t m = pass_.m, n = pass_.n;
    first_ = first;
    const bool last = first + kGridStrip >= m;
    const std::int32_t bottom = last ? m - 1 : first + kGridStrip - 1;
    double rows[kGridStrip], begin[kGridStrip], end[kGridStrip];
    for (int r = 0; r < kGridStrip; ++r) {
      const std::int32_t i = std::min(first + r, m - 1);
      match_[r] = pass_.match + static_cast<std::int64_t>(pass_.row == nullptr ? i : pass_.row[i]) * n;
      rows[r] = first + r;
      begin[r] = pass_.begin == nullptr ? 0 : pass_.begin[i];
      end[r] = pass_.begin == nullptr ? n : pass_.end[i];
      if constexpr (kEnds == GridEnds::border) border_[r] = pass_.border_x[i + 1];
    }
    row_ = Strip::at(rows);
    begin_ = Strip::at(begin);
    end_ = Strip::at(end);
    open_ = Strip::at(pass_.next_open_x + first);
    extend_ = Strip::at(pass_.next_extend_x + first);
    if constexpr (kEnds == GridEnds::scored) {
      for (int side = 0; side < 2; ++side) {
        start_[side] = Strip::at(pass_.start[side].by_row + first);
        stop_[side] = Strip::at(pass_.stop[side].by_row + first);
      }
    }
    any_ = y_ = next_x_ = h_ = older_ = best_ = Strip::all(kNever);
    where_ = Strip::all(0.0);
    if constexpr (kEnds == GridEnds::border) {
      pass_.above_h[0] = first == 0 ? 0.0 : pass_.border_x[first];
      double left[kGridStrip];
      std::fill_n(left, kGridStrip, kNever);
      left[0] = border_[0];
      any_ = h_ = Strip::at(left);
    } else {
      pass_.above_h[0] = kNever;
    }
    choices_ = pass_.choices + static_cast<std::int64_t>(first / kGridStrip) * (n + kGridStrip) * kGridStrip;
    if (pass_.begin != nullptr) {
      steps<true>(pass_.begin[first], pass_.end[bottom] + (bottom - first));
    } else {
      const std::int32_t stop = n + (bottom - first), full = std::min(n, kGridStrip - 1);
      steps<true>(0, std::min(full, stop));
      if (full < n) steps<false>(full, n);
      steps<true>(std::max(full, n), stop);
    }
    if constexpr (kEnds == GridEnds::border) {
      if (last) pass_.value = at(h_, bottom - first), pass_.i = m - 1, pass_.j = n - 1;
    } else {
      double best[kGridStrip], where[kGridStrip];
      best_.to(best);
      where_.to(where);
      for (std::int32_t r = 0; r <= bottom - first; ++r) {
        if (best[r] > pass_.value) pass_.value = best[r], pass_.i = first + r, pass_.j = static_cast<std::int32_t>(where[r]);
      }
    }
  }
  static double at(const Strip& s, int r) { return r < kGridLanes ? lane(s.v[0], r) : lane(s.v[1], r - kGridLanes); }

  template <bool kGuarded>
  Strip match(std::int32_t t) const {
    double now[kGridStrip];
    for (int r = 0; r < kGridStrip; ++r) now[r] = match_[r][kGuarded ? std::clamp(t - r, 0, pass_.n - 1) : t - r];
    return Strip::at(now);
  }
  Strip by_column(const double* reversed, std::int32_t t) const { return Strip::at(reversed + (pass_.n - 1 - t)); }
  // Sums of a number per row and one per column, on either side of a diagonal.
  Strip side_score(const Strip (&rows)[2], const GridSide (&sides)[2], const Strip& beyond, const Strip& limit, std::int32_t t) const {
    return if_greater(beyond, limit, rows[1] + by_column(sides[1].by_column, t), rows[0] + by_column(sides[0].by_column, t));
  }

  // Steps begin .. end - 1. Guarded ones may have columns outside the grid or the band.
  template <bool kGuarded>
  void steps(std::int32_t begin, std::int32_t end) {
    const Strip never = Strip::all(kNever), one = Strip::all(1.0);
    Strip any = any_, y = y_, next_x = next_x_, h = h_, older = older_, best = best_, where = where_;
    double columns[kGridStrip];
    for (int r = 0; r < kGridStrip; ++r) columns[r] = begin - r;
    Strip column = Strip::at(columns);
    const Strip across = Strip::all(static_cast<double>(pass_.n - pass_.m));
    for (std::int32_t t = begin; t < end; ++t) {
      const bool inside = !kGuarded || t < pass_.n;
      Strip x = next_x.down(inside ? pass_.above_x[t] : kNever);
      Strip from = older.down(inside ? pass_.above_h[t] : kNever);
      Choices choices{};
      const Strip opened = any + by_column(pass_.open_y, t), extended = y + by_column(pass_.extend_y, t);
      mark(choices, extended, opened, kExtendsY);
      y = larger(extended, opened);
      if constexpr (kEnds != GridEnds::border) {
        Strip start = Strip::all(0.0);
        if constexpr (kEnds == GridEnds::scored) start = side_score(start_, pass_.start, column, row_, t);
        mark(choices, reaches(start.v[0], from.v[0]), reaches(start.v[1], from.v[1]), kStarts);
        from = larger(start, from);
      }
      Strip pair = match<kGuarded>(t) + from;
      if constexpr (kGuarded) {
        if constexpr (kEnds == GridEnds::border) {  // a run of x along the border
          const Strip zero = Strip::all(0.0);
          x = if_greater(zero, column, Strip::at(border_), x);
          x = if_greater(Strip::all(-1.0), column, never, x);
        } else {
          x = if_greater(begin_, column, never, x);
        }
        pair = if_greater(begin_, column, never, pair);
        y = if_greater(begin_, column, never, y);
        const Strip next = column + one;
        pair = if_greater(next, end_, never, pair);
        x = if_greater(next, end_, never, x);
        y = if_greater(next, end_, never, y);
      }
      mark(choices, x, pair, kRunOfX);
      any = larger(x, pair);
      mark(choices, y, any, kRunOfY);
      older = h;
      h = larger(y, any);
      const Strip opens = pair + open_, extends = x + extend_;
      mark(choices, extends, opens, kExtendsX);
      next_x = larger(extends, opens);
      if (!kGuarded || t >= kGridStrip - 1) {
        const std::int32_t j = t - kGridStrip + 1;
        pass_.above_x[j] = lane(next_x.v[1], kGridLanes - 1);
        pass_.above_h[j + 1] = lane(h.v[1], kGridLanes - 1);
      }
      std::memcpy(choices_ + static_cast<std::int64_t>(t) * kGridStrip, &choices, sizeof(choices));
      if constexpr (kEnds != GridEnds::border) {
        Strip value = pair;
        if constexpr (kEnds == GridEnds::scored) {  // n - m > j - i on the other side
          value = value + side_score(stop_, pass_.stop, across + row_, column, t);
        }
        where = if_greater(value, best, column, where);
        best = larger(value, best);
      }
      if constexpr (kGuarded || kEnds != GridEnds::border) column = column + one;
    }
    any_ = any, y_ = y, next_x_ = next_x, h_ = h, older_ = older, best_ = best, where_ = where;
  }

  GridPass& pass_;
  std::int32_t first_ = 0;
  const double* match_[kGridStrip];
  double border_[kGridStrip];
  Strip row_, begin_, end_, open_, extend_, start_[2], stop_[2];
  Strip any_, y_, next_x_, h_, older_, best_, where_;  // any: the better of pair and run of x; h: the best of all three
  std::uint32_t* choices_ = nullptr;
};

void grid_forward(GridPass& pass) {
  switch (pass.ends) {
    case GridEnds::border: GridForward<GridEnds::border>(pass).run(); break;
    case GridEnds::zero: GridForward<GridEnds::zero>(pass).run(); break;
    case GridEnds::scored: GridForward<GridEnds::scored>(pass).run(); break;
  }
}
