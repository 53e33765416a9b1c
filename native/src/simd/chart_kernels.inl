// Binary rules over all splits of a span (simd/split_rules.hpp). Part of kernels.inl.

// Calls visit(position, parent, left row, right row, bits of left, bits of right) for the rules whose left child has a value at the start.
template <class Visit>
inline void over_rules(const SpanSplits& span, Visit&& visit) {
  const std::int32_t *first = span.rules->first.data(), *rights = span.rules->right.data(), *parents = span.rules->parent.data();
  for (std::int64_t l = 0; l < span.live_count; ++l) {
    const std::int64_t left = span.live[l];
    const std::uint64_t* ends = span.left_bits + left * span.words;
    for (std::int32_t rule = first[left]; rule < first[left + 1]; ++rule) {
      const std::int64_t right = rights[rule];
      visit(rule, parents[rule], left * span.stride, right * span.stride, ends, span.right_bits + right * span.words);
    }
  }
}

// Calls one(k) or, where splits are close together, some(k) for a vector from k on that may hold further splits; true if there are any.
template <class One, class Some>
inline bool over_splits(const std::uint64_t* left, const std::uint64_t* right, int words, One&& one, Some&& some) {
  constexpr int kWidth = kLanes<double>;
  bool any = false;
  for (int word = 0; word < words; ++word) {
    std::uint64_t bits = left[word] & right[word];
    if (bits == 0) continue;
    any = true;
    const std::int32_t base = 64 * word, from = std::countr_zero(bits) / kWidth * kWidth, to = 63 - std::countl_zero(bits);
    if (std::popcount(bits) * kWidth >= to - from + kWidth) {
      for (std::int32_t k = from; k <= to; k += kWidth) some(base + k);
    } else {
      for (; bits != 0; bits &= bits - 1) one(base + std::countr_zero(bits));
    }
  }
  return any;
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

void best_splits(const SpanSplits& span, double* low) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  const auto plus = [](auto a, auto b) { return a + b; };
  with_fields(span, [&]<bool kFields, bool kSplits>() {
    over_rules(span, [&](std::int32_t rule, std::int32_t parent, std::int64_t left_row, std::int64_t right_row, const std::uint64_t* ends, const std::uint64_t* starts) {
      const double *left = span.left + left_row, *right = span.right + right_row;
      double most = kNothing;
      Doubles some = fill<Doubles>(kNothing);
      bool vectors = false;
      const bool any = over_splits(
          ends, starts, span.words,
          [&](std::int32_t k) {
            const double now = at_split<kSplits>(span, rule, k, left[k] + right[k], plus);
            most = now > most ? now : most;
          },
          [&](std::int32_t k) {
            some = larger(some, at_split<kSplits>(span, rule, k, load<Doubles>(left + k) + load<Doubles>(right + k), plus));
            vectors = true;
          });
      if (!any) return;
      if (vectors) {
        const double now = largest_of(some);
        most = now > most ? now : most;
      }
      const double now = most + at_span<kFields>(span, rule, plus);
      low[parent] = now > low[parent] ? now : low[parent];
    });
  });
}

void sum_splits(const SpanSplits& span, double* low) {
  const auto times = [](auto a, auto b) { return a * b; };
  with_fields(span, [&]<bool kFields, bool kSplits>() {
    over_rules(span, [&](std::int32_t rule, std::int32_t parent, std::int64_t left_row, std::int64_t right_row, const std::uint64_t* ends, const std::uint64_t* starts) {
      const double *left = span.left + left_row, *right = span.right + right_row;
      double sum = 0.0;
      Doubles some{};
      bool vectors = false;
      const bool any = over_splits(
          ends, starts, span.words, [&](std::int32_t k) { sum += at_split<kSplits>(span, rule, k, left[k], times) * right[k]; },
          [&](std::int32_t k) {
            some += at_split<kSplits>(span, rule, k, load<Doubles>(left + k), times) * load<Doubles>(right + k);
            vectors = true;
          });
      if (!any) return;
      if (vectors) sum += sum_of(some);
      low[parent] += sum * at_span<kFields>(span, rule, times);
    });
  });
}

void share_splits(const SpanSplits& span, const SpanShares& shares) {
  const auto times = [](auto a, auto b) { return a * b; };
  with_fields(span, [&]<bool kFields, bool kSplits>() {
    over_rules(span, [&](std::int32_t rule, std::int32_t parent, std::int64_t left_row, std::int64_t right_row, const std::uint64_t* ends, const std::uint64_t* starts) {
      const double outside = shares.outside[parent];
      if (outside == 0.0) return;
      const double *left = span.left + left_row, *right = span.right + right_row;
      double *to_left = shares.left + left_row, *to_right = shares.right + right_row;
      double share = 0.0, count = 0.0;  // the share once there is a split
      const auto give = [&]<class V>(std::int32_t k, V own) {
        if (share == 0.0) share = outside * at_span<kFields>(span, rule, times);
        const V one = load<V>(left + k), other = load<V>(right + k);
        own = at_split<kSplits>(span, rule, k, fill<V>(share), times);
        const V used = own * one * other;
        store(to_left + k, load<V>(to_left + k) + own * other);
        store(to_right + k, load<V>(to_right + k) + own * one);
        if constexpr (kSplits) {
          for (int f = 0; f < span.split_fields; ++f) {
            const std::int32_t block = span.split_field[f].block[rule];
            if (block < 0) continue;
            double* counted = shares.split_field[f] + block * span.stride + k;
            store(counted, load<V>(counted) + used);
          }
        }
        return used;
      };
      const bool any = over_splits(
          ends, starts, span.words, [&](std::int32_t k) { count += give(k, 0.0); }, [&](std::int32_t k) { count += sum_of(give(k, Doubles{})); });
      if (!any) return;
      shares.rule[rule] += count;
      if constexpr (kFields) {
        for (int f = 0; f < span.fields; ++f) {
          const std::int32_t block = span.field[f].block[rule];
          if (block >= 0) shares.field[f][block] += count;
        }
      }
    });
  });
}
