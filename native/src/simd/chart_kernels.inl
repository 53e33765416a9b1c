// Binary rules over all splits of a span (simd/split_rules.hpp). Part of kernels.inl.

#if defined(__AVX2__)
// By four bits, the 8-byte entries of a vector that they select, in front.
struct Packings {
  alignas(32) std::int32_t rows[16][8] = {};
  constexpr Packings() {
    for (int bits = 0; bits < 16; ++bits) {
      int to = 0;
      for (int lane = 0; lane < 4; ++lane) {
        if (bits >> lane & 1) rows[bits][to++] = 2 * lane, rows[bits][to++] = 2 * lane + 1;
      }
    }
  }
};
inline constexpr Packings kPackings{};

inline __m256i broadcast(std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
inline __m256i load_four(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
inline __m256i no_bits(__m256i a, __m256i b) { return _mm256_cmpeq_epi64(_mm256_and_si256(a, b), _mm256_setzero_si256()); }

// Puts the rows whose list has pairs at this end into two lists, those with at most four pairs and the others; answers how many each has.
inline std::pair<std::int64_t, std::int64_t> sort_live(const SpanSplits& span, LiveRow* few, LiveRow* many) {
  const std::int32_t *first = span.rules->first_pair.data(), *end = span.pairs_end;
  std::int64_t fews = 0, manys = 0;
  for (std::int64_t l = 0; l < span.live_count; ++l) {
    const LiveRow live = span.live[l];
    const std::int32_t size = end[live.list] - first[live.list];
    few[fews] = many[manys] = live;
    fews += static_cast<int>(size > 0) & static_cast<int>(size <= 4);
    manys += static_cast<int>(size > 4);
  }
  return {fews, manys};
}

// list_pairs where the bits of a row are one word. Most lists have few pairs at an end: those with at most four are one vector, the others come eight
// pairs at a time.
[[gnu::noinline]] std::int64_t list_short_pairs(const SpanSplits& span) {
  static_assert(sizeof(EndPair) == 8 && kReadAhead >= 8);
  EndPair* pairs = span.room->pair.data();
  std::int32_t* rows = span.room->left.data();
  const std::int32_t *first = span.rules->first_pair.data(), *end = span.pairs_end;
  const std::uint64_t *left_bits = span.left_bits, *right_bits = span.right_bits;
  const EndPair* of_end = span.pairs;
  std::int64_t count = 0;
  // How far to the left a bit of `possible` is from the sign, plus the number of its pair.
  const auto last_bit_of = [](std::int32_t first_of_list) { return _mm256_set1_epi64x(first_of_list + kPairsPerList - 1); };
  // Four pairs of a row from a place on, of which the bits of `there` are in the list.
  const auto add_four = [&](std::int32_t at, int there, std::int32_t row, __m256i ends, __m256i possible, __m256i last_bit) {
    const EndPair* four = of_end + at;
    const __m256i own = load_four(four), number = _mm256_and_si256(own, broadcast(0xffffffff));
    const auto starts_of = [&](int k) { return static_cast<long long>(right_bits[four[k].row]); };
    const __m256i starts = _mm256_set_epi64x(starts_of(3), starts_of(2), starts_of(1), starts_of(0));
    const __m256i in = _mm256_andnot_si256(no_bits(ends, starts), _mm256_sllv_epi64(possible, _mm256_sub_epi64(last_bit, number)));  // by its sign
    const int kept = _mm256_movemask_pd(_mm256_castsi256_pd(in)) & there;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(pairs + count), _mm256_permutevar8x32_epi32(own, load_four(kPackings.rows[kept])));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(rows + count), _mm_set1_epi32(row));
    count += std::popcount(static_cast<unsigned>(kept));
  };
  LiveRow *few = span.room->few.data(), *many = span.room->many.data();
  const auto [fews, manys] = sort_live(span, few, many);
  for (std::int64_t l = 0; l < fews; ++l) {
    const auto [list, row] = few[l];
    const std::int32_t at = first[list];
    add_four(at, (1 << (end[list] - at)) - 1, row, broadcast(left_bits[row]), broadcast(span.possible[list]), last_bit_of(at));
  }
  for (std::int64_t l = 0; l < manys; ++l) {
    const auto [list, row] = many[l];
    const std::int32_t last = end[list];
    std::int32_t at = first[list];
    const __m256i ends = broadcast(left_bits[row]), possible = broadcast(span.possible[list]), last_bit = last_bit_of(at);
    do {
      const int there = (1 << std::min(last - at, 8)) - 1;
      add_four(at, there, row, ends, possible, last_bit);
      add_four(at + 4, there >> 4, row, ends, possible, last_bit);
      at += 8;
    } while (at < last);
  }
  return count;
}
#endif

// Lists the pairs that have a split and may have a parent here, without a branch that depends on them; answers how many they are.
[[gnu::noinline]] std::int64_t list_pairs(const SpanSplits& span) {
#if defined(__AVX2__)
  if (span.words == 1) return list_short_pairs(span);
#endif
  EndPair* pairs = span.room->pair.data();
  std::int32_t* rows = span.room->left.data();
  std::int64_t count = 0;
  for (std::int64_t l = 0; l < span.live_count; ++l) {
    const LiveRow live = span.live[l];
    const std::uint64_t* ends = span.left_bits + static_cast<std::int64_t>(live.row) * span.words;
    const std::int32_t first = span.rules->first_pair[static_cast<std::size_t>(live.list)];
    for (std::int32_t at = first; at < span.pairs_end[live.list]; ++at) {
      std::uint64_t any = 0;
      for (int word = 0; word < span.words; ++word) any |= ends[word] & span.right_bits[static_cast<std::int64_t>(span.pairs[at].row) * span.words + word];
      pairs[count] = span.pairs[at], rows[count] = live.row;
      count += static_cast<int>(any != 0) & static_cast<int>(span.possible[live.list] >> (span.pairs[at].pair - first) & 1);
    }
  }
  return count;
}

// Calls visit(pair, place of the left row, place of the right row, bits of left, bits of right) for the pairs that have a split.
template <class Visit>
inline void over_pairs(const SpanSplits& span, Visit&& visit) {
  const std::int64_t count = list_pairs(span);
  for (std::int64_t c = 0; c < count; ++c) {
    const auto [pair, right] = span.room->pair[static_cast<std::size_t>(c)];
    const std::int32_t left = span.room->left[static_cast<std::size_t>(c)];
    visit(pair, left * span.stride, right * span.right_stride, span.left_bits + static_cast<std::int64_t>(left) * span.words, span.right_bits + static_cast<std::int64_t>(right) * span.words);
  }
}

// Calls some(k) for vectors from k on that hold all splits of a pair.
template <class Some>
inline void over_splits(const SpanSplits& span, const std::uint64_t* left, const std::uint64_t* right, Some&& some) {
  constexpr int kWidth = kLanes<double>;
  if (span.words == 1) {
    for (std::int32_t k = span.from / kWidth * kWidth; k < span.to; k += kWidth) some(k);
    return;
  }
  for (std::int32_t base = span.from / 64 * 64; base < span.to; base += 64) {  // the words of a long row that have none are left out
    if ((left[base / 64] & right[base / 64]) == 0) continue;
    const std::int32_t from = base < span.from ? span.from / kWidth * kWidth : base, to = base + 64 < span.to ? base + 64 : span.to;
    for (std::int32_t k = from; k < to; k += kWidth) some(k);
  }
}

// The score of a rule at a span, of the fields that do not depend on the split.
template <bool kFields, class Join>
inline double at_span(const SpanSplits& span, std::int32_t rule, Join&& join) {
  double score = span.score[rule];
  if constexpr (kFields) {
    for (int f = 0; f < span.fields; ++f) {
      const std::int32_t block = span.field[f].block[rule];
      if (block >= 0) score = join(score, span.field[f].row[block]);
    }
  }
  return score;
}
template <bool kSplits, class V, class Join>
inline V at_split(const SpanSplits& span, std::int32_t rule, std::int32_t k, V value, Join&& join) {
  if constexpr (kSplits) {
    for (int f = 0; f < span.split_fields; ++f) {
      const std::int32_t block = span.split_field[f].block[rule];
      if (block >= 0) value = join(value, load<V>(span.split_field[f].row + block * span.stride + k));
    }
  }
  return value;
}

// Chooses the code without what is not there.
template <class Run>
inline void with_fields(const SpanSplits& span, Run&& run) {
  if (span.split_fields > 0) return run.template operator()<true, true>();
  if (span.fields > 0) return run.template operator()<true, false>();
  run.template operator()<false, false>();
}

// What rules are joined by: the best of sums of scores, or sums of products of factors.
struct BestOf {
  static constexpr double kNothing = -std::numeric_limits<double>::infinity();
  static constexpr auto times = [](auto a, auto b) { return a + b; };
  static double join(double a, double b) { return a > b ? a : b; }
  static Doubles join(Doubles a, Doubles b) { return larger(a, b); }
};
struct SumOf {
  static constexpr double kNothing = 0.0;
  static constexpr auto times = [](auto a, auto b) { return a * b; };
  static double join(double a, double b) { return a + b; }
  static Doubles join(Doubles a, Doubles b) { return a + b; }
};

// Joins the lanes of as many vectors as they have lanes: one lane of the answer each.
template <class Of>
inline Doubles across(const Doubles* v) {
  double lanes[kLanes<double>][kLanes<double>], turned[kLanes<double>][kLanes<double>];
  std::memcpy(lanes, v, sizeof(lanes));
  for (int a = 0; a < kLanes<double>; ++a) {
    for (int b = 0; b < kLanes<double>; ++b) turned[a][b] = lanes[b][a];
  }
  Doubles all = load<Doubles>(turned[0]);
  for (int a = 1; a < kLanes<double>; ++a) all = Of::join(all, load<Doubles>(turned[a]));
  return all;
}

// What the splits of the listed pairs come to, as many pairs at a time as a vector has lanes.
template <class Of>
[[gnu::noinline]] void join_pairs(const SpanSplits& span, std::int64_t count) {
  constexpr int kWidth = kLanes<double>;
  static_assert(kWidth <= kReadAhead);
  EndPair* list = span.room->pair.data();
  std::int32_t* rows = span.room->left.data();
  std::fill_n(list + count, count == 0 ? 0 : kWidth - 1, list[0]);
  std::fill_n(rows + count, count == 0 ? 0 : kWidth - 1, rows[0]);
  const std::int32_t begin = span.from / kWidth * kWidth;
  for (std::int64_t c = 0; c < count; c += kWidth) {
    const double *left[kWidth], *right[kWidth];
    Doubles some[kWidth];
    for (int g = 0; g < kWidth; ++g) {
      left[g] = span.left + rows[c + g] * span.stride;
      right[g] = span.right + list[c + g].row * span.right_stride;
      some[g] = Of::times(load<Doubles>(left[g] + begin), load<Doubles>(right[g] + begin));
    }
    for (std::int32_t k = begin + kWidth; k < span.to; k += kWidth) {
      for (int g = 0; g < kWidth; ++g) some[g] = Of::join(some[g], Of::times(load<Doubles>(left[g] + k), load<Doubles>(right[g] + k)));
    }
    store(span.room->sum.data() + c, across<Of>(some));
  }
}

// Lists the parents of the pairs with the values that their rules give them: as many are written at once as a pair can have rules.
// Answers how many they are, and whether all have a value.
template <class Of, bool kFields>
[[gnu::noinline]] std::pair<std::int64_t, bool> list_parents(const SpanSplits& span, std::int64_t pairs) {
  const std::int32_t *first = span.rules->first_rule.data(), *parents = span.rules->parent.data();
  const EndPair* list = span.room->pair.data();
  const double *sums = span.room->sum.data(), *score = span.score;
  std::int32_t* parent = span.room->parent.data();
  double* value = span.room->value.data();
  const Doubles nothing = fill<Doubles>(Of::kNothing);
  Doubles valued = fill<Doubles>(1.0);
  for (std::int64_t c = 0; c < pairs; ++c) {
    const std::int32_t begin = first[list[c].pair], size = first[list[c].pair + 1] - begin;
    const Doubles sum = fill<Doubles>(sums[c]);
    std::memcpy(parent, parents + begin, kRulesPerPair * sizeof(*parents));
    if constexpr (kFields) {
      for (int r = 0; r < size; ++r) value[r] = Of::times(sums[c], at_span<kFields>(span, begin + r, Of::times));
    } else {
      for (int r = 0; r < kRulesPerPair; r += kLanes<double>) {
        const Doubles own = Of::times(sum, load<Doubles>(score + begin + r));
        valued = if_greater(own, nothing, valued, Doubles{});
        store(value + r, own);
      }
    }
    parent += size, value += size;
  }
  return {parent - span.room->parent.data(), !kFields && sum_of(valued) == kLanes<double>};
}

// Joins a value, if it is there, with that of its parent; answers 1 for a parent that had none, which is written to `found`.
template <class Of>
inline int join_parent(std::int32_t parent, double now, bool there, double* low, std::int32_t* found) {
  const double before = low[parent];
  *found = parent;
  low[parent] = Of::join(now, before);
  return static_cast<int>(std::bit_cast<std::uint64_t>(before) == std::bit_cast<std::uint64_t>(Of::kNothing)) & static_cast<int>(there);
}
// The same for all that are listed; answers how many had none.
template <class Of>
[[gnu::noinline]] std::int64_t join_parents(const SpanSplits& span, std::int64_t listed, bool valued, double* low, std::int32_t* found) {
  const std::int32_t* parent = span.room->parent.data();
  const double* value = span.room->value.data();
  std::int64_t count = 0;
  if (valued) {
    for (std::int64_t r = 0; r < listed; ++r) count += join_parent<Of>(parent[r], value[r], true, low, found + count);
  } else {
    for (std::int64_t r = 0; r < listed; ++r) count += join_parent<Of>(parent[r], value[r], value[r] > Of::kNothing, low, found + count);
  }
  return count;
}

template <class Of>
std::int64_t join_splits(const SpanSplits& span, double* low, std::int32_t* found) {
  const std::int32_t *first = span.rules->first_rule.data(), *parents = span.rules->parent.data();
  std::int64_t count = 0;
  with_fields(span, [&]<bool kFields, bool kSplits>() {
    if constexpr (kSplits) {
      over_pairs(span, [&](std::int32_t pair, std::int64_t left_row, std::int64_t right_row, const std::uint64_t* ends, const std::uint64_t* starts) {
        const double *left = span.left + left_row, *right = span.right + right_row;
        for (std::int32_t rule = first[pair]; rule < first[pair + 1]; ++rule) {
          Doubles some = fill<Doubles>(Of::kNothing);
          over_splits(span, ends, starts, [&](std::int32_t k) {
            some = Of::join(some, at_split<kSplits>(span, rule, k, Of::times(load<Doubles>(left + k), load<Doubles>(right + k)), Of::times));
          });
          double lanes[kLanes<double>], sum = Of::kNothing;
          store(lanes, some);
          for (const double lane : lanes) sum = Of::join(sum, lane);
          const double value = Of::times(sum, at_span<kFields>(span, rule, Of::times));
          count += join_parent<Of>(parents[rule], value, value > Of::kNothing, low, found + count);
        }
      });
    } else {
      const std::int64_t pairs = list_pairs(span);
      join_pairs<Of>(span, pairs);
      const auto [listed, valued] = list_parents<Of, kFields>(span, pairs);
      count = join_parents<Of>(span, listed, valued, low, found);
    }
  });
  return count;
}

std::int64_t best_splits(const SpanSplits& span, double* low, std::int32_t* found) { return join_splits<BestOf>(span, low, found); }
std::int64_t sum_splits(const SpanSplits& span, double* low, std::int32_t* found) { return join_splits<SumOf>(span, low, found); }

void share_splits(const SpanSplits& span, const SpanShares& shares) {
  const auto times = [](auto a, auto b) { return a * b; };
  const std::int32_t *first = span.rules->first_rule.data(), *parents = span.rules->parent.data();
  with_fields(span, [&]<bool kFields, bool kSplits>() {
    over_pairs(span, [&](std::int32_t pair, std::int64_t left_row, std::int64_t right_row, const std::uint64_t* ends, const std::uint64_t* starts) {
      const double *left = span.left + left_row, *right = span.right + right_row;
      double *to_left = shares.left + left_row, *to_right = shares.right + right_row;
      // What `own` at each split gives to both parts; the sum of what it is worth with them.
      const auto give = [&](std::int32_t rule, double share) {
        Doubles sum{};
        over_splits(span, ends, starts, [&](std::int32_t k) {
          const Doubles one = load<Doubles>(left + k), other = load<Doubles>(right + k);
          const Doubles own = at_split<kSplits>(span, rule, k, fill<Doubles>(share), times), used = own * one * other;
          store(to_left + k, load<Doubles>(to_left + k) + own * other);
          store(to_right + k, load<Doubles>(to_right + k) + own * one);
          if constexpr (kSplits) {
            for (int f = 0; f < span.split_fields; ++f) {
              const std::int32_t block = span.split_field[f].block[rule];
              if (block < 0) continue;
              double* counted = shares.split_field[f] + block * span.stride + k;
              store(counted, load<Doubles>(counted) + used);
            }
          }
          sum += used;
        });
        return sum_of(sum);
      };
      const auto count = [&](std::int32_t rule, double times_used) {
        shares.rule[rule] += times_used;
        if constexpr (kFields) {
          for (int f = 0; f < span.fields; ++f) {
            const std::int32_t block = span.field[f].block[rule];
            if (block >= 0) shares.field[f][block] += times_used;
          }
        }
      };
      if constexpr (kSplits) {
        for (std::int32_t rule = first[pair]; rule < first[pair + 1]; ++rule) {
          const double outside = shares.outside[parents[rule]];
          if (outside != 0.0) count(rule, give(rule, outside * at_span<kFields>(span, rule, times)));
        }
        return;
      }
      double share = 0.0;
      for (std::int32_t rule = first[pair]; rule < first[pair + 1]; ++rule) {
        const double outside = shares.outside[parents[rule]];
        if (outside != 0.0) share += outside * at_span<kFields>(span, rule, times);
      }
      if (share == 0.0) return;
      const double used = give(0, share);
      for (std::int32_t rule = first[pair]; rule < first[pair + 1]; ++rule) {
        const double outside = shares.outside[parents[rule]];
        if (outside != 0.0) count(rule, used * (outside * at_span<kFields>(span, rule, times) / share));
      }
    });
  });
}
