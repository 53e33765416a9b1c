// Binary rules over all splits of a span (simd/split_rules.hpp). Part of kernels.inl.

// Lists the pairs that have a split and may have a parent here, without a branch that depends on them; answers how many they are.
[[gnu::noinline]] std::int64_t list_pairs(const SpanSplits& span) {
  SplitPair* list = span.room->pair.data();
  for (std::int64_t l = 0; l < span.live_count; ++l) {
    const LiveRow live = span.live[l];
    const std::uint64_t *ends = span.left_bits + static_cast<std::int64_t>(live.row) * span.words, before = span.before;
    const EndPair *pair = span.pairs + span.rules->first_pair[static_cast<std::size_t>(live.child)], *last = span.pairs + span.pairs_end[live.child];
    const auto keep = [&](const EndPair& own, std::uint64_t splits) {
      *list = {own.pair, live.row, own.row};
      list += static_cast<int>(splits != 0) & static_cast<int>((own.before & before) != 0);
    };
    if (span.words == 1) {
      for (; pair < last; ++pair) keep(*pair, ends[0] & span.right_bits[pair->row]);
      continue;
    }
    for (; pair < last; ++pair) {
      std::uint64_t any = 0;
      for (int word = 0; word < span.words; ++word) any |= ends[word] & span.right_bits[static_cast<std::int64_t>(pair->row) * span.words + word];
      keep(*pair, any);
    }
  }
  return list - span.room->pair.data();
}

// Calls visit(pair, place of the left row, place of the right row, bits of left, bits of right) for the pairs that have a split.
template <class Visit>
inline void over_pairs(const SpanSplits& span, Visit&& visit) {
  const std::int64_t count = list_pairs(span);
  for (std::int64_t c = 0; c < count; ++c) {
    const auto [pair, left, right] = span.room->pair[static_cast<std::size_t>(c)];
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

// Lists the pairs and what the splits of each come to, as many pairs at a time as a vector has lanes.
template <class Of>
[[gnu::noinline]] std::int64_t join_pairs(const SpanSplits& span) {
  constexpr int kWidth = kLanes<double>;
  static_assert(kWidth <= kReadAhead);
  const std::int64_t count = list_pairs(span);
  SplitPair* list = span.room->pair.data();
  std::fill_n(list + count, count == 0 ? 0 : kWidth - 1, list[0]);
  const std::int32_t begin = span.from / kWidth * kWidth;
  for (std::int64_t c = 0; c < count; c += kWidth) {
    const double *left[kWidth], *right[kWidth];
    Doubles some[kWidth];
    for (int g = 0; g < kWidth; ++g) {
      left[g] = span.left + list[c + g].left * span.stride;
      right[g] = span.right + list[c + g].right * span.right_stride;
      some[g] = Of::times(load<Doubles>(left[g] + begin), load<Doubles>(right[g] + begin));
    }
    for (std::int32_t k = begin + kWidth; k < span.to; k += kWidth) {
      for (int g = 0; g < kWidth; ++g) some[g] = Of::join(some[g], Of::times(load<Doubles>(left[g] + k), load<Doubles>(right[g] + k)));
    }
    store(span.room->sum.data() + c, across<Of>(some));
  }
  return count;
}

// Lists the parents of the pairs with the values that their rules give them; most pairs have fewer rules than are written at once.
template <class Of, bool kFields>
std::int64_t list_parents(const SpanSplits& span, std::int64_t pairs) {
  const std::int32_t *first = span.rules->first_rule.data(), *parents = span.rules->parent.data();
  const SplitPair* list = span.room->pair.data();
  const double* sums = span.room->sum.data();
  std::int32_t* parent = span.room->parent.data();
  double* value = span.room->value.data();
  for (std::int64_t c = 0; c < pairs; ++c) {
    const std::int32_t begin = first[list[c].pair], size = first[list[c].pair + 1] - begin;
    const Doubles sum = fill<Doubles>(sums[c]);
    for (std::int32_t rule = begin; rule < begin + size; rule += kReadAhead) {
      std::memcpy(parent + (rule - begin), parents + rule, kReadAhead * sizeof(*parents));
      if constexpr (kFields) {
        for (int r = 0; r < kReadAhead && rule + r < begin + size; ++r) value[rule + r - begin] = Of::times(sums[c], at_span<kFields>(span, rule + r, Of::times));
      } else {
        for (int r = 0; r < kReadAhead; r += kLanes<double>) store(value + (rule - begin) + r, Of::times(sum, load<Doubles>(span.score + rule + r)));
      }
    }
    parent += size, value += size;
  }
  return parent - span.room->parent.data();
}

template <class Of>
std::int64_t join_splits(const SpanSplits& span, double* low, std::int32_t* found) {
  const std::int32_t *first = span.rules->first_rule.data(), *parents = span.rules->parent.data();
  std::int64_t count = 0;
  const auto join = [&](std::int32_t parent, double now) {
    const double before = low[parent];
    found[count] = parent;
    count += static_cast<int>(before <= Of::kNothing) & static_cast<int>(now > Of::kNothing);
    low[parent] = Of::join(now, before);
  };
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
          join(parents[rule], Of::times(sum, at_span<kFields>(span, rule, Of::times)));
        }
      });
    } else {
      const std::int64_t listed = list_parents<Of, kFields>(span, join_pairs<Of>(span));
      const std::int32_t* parent = span.room->parent.data();
      const double* value = span.room->value.data();
      for (std::int64_t r = 0; r < listed; ++r) join(parent[r], value[r]);
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
