// Binary rules over all splits of a span (simd/split_rules.hpp). Part of kernels.inl.

// Lists those of some pairs that have a split, without a branch that depends on them.
[[gnu::noinline]] std::int64_t with_splits(const std::int32_t* pairs, std::int64_t size, const std::int32_t* rights, const std::uint64_t* ends, const std::uint64_t* starts,
                                           int words, std::int32_t* list) {
  std::int64_t count = 0;
  if (words == 1) {
    const std::uint64_t own = ends[0];
    for (std::int64_t p = 0; p < size; ++p) {
      list[count] = pairs[p];
      count += (own & starts[rights[pairs[p]]]) != 0;
    }
    return count;
  }
  for (std::int64_t p = 0; p < size; ++p) {
    std::uint64_t any = 0;
    for (int word = 0; word < words; ++word) any |= ends[word] & starts[static_cast<std::int64_t>(rights[pairs[p]]) * words + word];
    list[count] = pairs[p];
    count += any != 0;
  }
  return count;
}

// Calls visit(pair, place of the left row, place of the right row, bits of left, bits of right) for the pairs that have a split.
template <class Visit>
inline void over_pairs(const SpanSplits& span, Visit&& visit) {
  const std::int32_t *first = span.rules->first_pair.data(), *rights = span.rules->right.data();
  for (std::int64_t l = 0; l < span.live_count; ++l) {
    const LiveRow live = span.live[l];
    const std::uint64_t* ends = span.left_bits + static_cast<std::int64_t>(live.row) * span.words;
    const std::int64_t count = with_splits(span.pairs + first[live.child], span.pair_count[live.child], rights, ends, span.right_bits, span.words, span.room);
    for (std::int64_t c = 0; c < count; ++c) {
      const std::int32_t pair = span.room[c], right = rights[pair];
      visit(pair, live.row * span.stride, span.right_row[right] * span.stride, ends, span.right_bits + static_cast<std::int64_t>(right) * span.words);
    }
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

std::int64_t best_splits(const SpanSplits& span, double* low, std::int32_t* found) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  const auto plus = [](auto a, auto b) { return a + b; };
  const std::int32_t *first = span.rules->first_rule.data(), *parents = span.rules->parent.data();
  std::int64_t count = 0;
  with_fields(span, [&]<bool kFields, bool kSplits>() {
    over_pairs(span, [&](std::int32_t pair, std::int64_t left_row, std::int64_t right_row, const std::uint64_t* ends, const std::uint64_t* starts) {
      const double *left = span.left + left_row, *right = span.right + right_row;
      const auto most = [&](std::int32_t rule) {
        Doubles some = fill<Doubles>(kNothing);
        over_splits(span, ends, starts, [&](std::int32_t k) {
          some = larger(some, at_split<kSplits>(span, rule, k, load<Doubles>(left + k) + load<Doubles>(right + k), plus));
        });
        return largest_of(some);
      };
      const double shared = kSplits ? 0.0 : most(0);
      for (std::int32_t rule = first[pair]; rule < first[pair + 1]; ++rule) {
        const double now = (kSplits ? most(rule) : shared) + at_span<kFields>(span, rule, plus);
        const std::int32_t parent = parents[rule];
        const double before = low[parent];
        found[count] = parent;
        count += static_cast<int>(before == kNothing) & static_cast<int>(now > kNothing);
        low[parent] = now > before ? now : before;
      }
    });
  });
  return count;
}

void sum_splits(const SpanSplits& span, double* low) {
  const auto times = [](auto a, auto b) { return a * b; };
  const std::int32_t *first = span.rules->first_rule.data(), *parents = span.rules->parent.data();
  with_fields(span, [&]<bool kFields, bool kSplits>() {
    over_pairs(span, [&](std::int32_t pair, std::int64_t left_row, std::int64_t right_row, const std::uint64_t* ends, const std::uint64_t* starts) {
      const double *left = span.left + left_row, *right = span.right + right_row;
      const auto sum = [&](std::int32_t rule) {
        Doubles some{};
        over_splits(span, ends, starts, [&](std::int32_t k) { some += at_split<kSplits>(span, rule, k, load<Doubles>(left + k), times) * load<Doubles>(right + k); });
        return sum_of(some);
      };
      const double shared = kSplits ? 0.0 : sum(0);
      for (std::int32_t rule = first[pair]; rule < first[pair + 1]; ++rule) low[parents[rule]] += (kSplits ? sum(rule) : shared) * at_span<kFields>(span, rule, times);
    });
  });
}

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
