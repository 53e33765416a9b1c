// Binary rules over all splits of a span (simd/split_rules.hpp). Part of kernels.inl.

// Calls parent(symbol, rules) for each, where rules(visit) calls visit(position, left row, right row, first k, last k) for those of its rules
// that have a split.
template <class Parent>
inline void over_parents(const SpanSplits& span, Parent&& parent) {
  const SplitRules& rules = *span.rules;
  const auto parents = static_cast<std::int32_t>(rules.parent.size());
  for (std::int32_t p = 0; p < parents; ++p) {
    parent(rules.parent[static_cast<std::size_t>(p)], [&](auto&& visit) {
      for (std::int32_t group = rules.first_group[p]; group < rules.first_group[p + 1]; ++group) {
        const std::int32_t left = rules.left[static_cast<std::size_t>(group)];
        const SplitRange ends = span.left_range[left];
        if (ends.from > ends.to) continue;
        for (std::int32_t rule = rules.first_rule[group]; rule < rules.first_rule[group + 1]; ++rule) {
          const std::int32_t right = rules.right[static_cast<std::size_t>(rule)];
          const SplitRange starts = span.right_range[right];
          const std::int32_t from = ends.from > starts.from ? ends.from : starts.from;
          const std::int32_t to = ends.to < starts.to ? ends.to : starts.to;
          if (from <= to) visit(rule, left * span.stride, right * span.stride, from / kLanes<double> * kLanes<double>, to);
        }
      }
    });
  }
}

// low[parent] = max over its rules and their splits of left + right + scores
template <bool kFields, bool kSplits>
void best_splits_of(const SpanSplits& span, double* low) {
  over_parents(span, [&](std::int32_t symbol, auto&& rules) {
    Doubles most = fill<Doubles>(-std::numeric_limits<double>::infinity());
    rules([&](std::int32_t rule, std::int64_t left_row, std::int64_t right_row, std::int32_t from, std::int32_t to) {
      const double *left = span.left + left_row, *right = span.right + right_row;
      double base = span.score[rule];
      if constexpr (kFields) {
        for (int f = 0; f < span.fields; ++f) {
          const std::int32_t block = span.field[f].block[rule];
          if (block >= 0) base += span.field[f].row[block];
        }
      }
      const Doubles score = fill<Doubles>(base);
      for (std::int32_t k = from; k <= to; k += kLanes<double>) {
        Doubles sum = load<Doubles>(left + k) + load<Doubles>(right + k);
        if constexpr (kSplits) {
          for (int f = 0; f < span.split_fields; ++f) {
            const std::int32_t block = span.split_field[f].block[rule];
            if (block >= 0) sum += load<Doubles>(span.split_field[f].row + block * span.stride + k);
          }
        }
        most = larger(most, sum + score);
      }
    });
    low[symbol] = largest_of(most);
  });
}

void best_splits(const SpanSplits& span, double* low) {
  if (span.split_fields > 0) return best_splits_of<true, true>(span, low);
  if (span.fields > 0) return best_splits_of<true, false>(span, low);
  best_splits_of<false, false>(span, low);
}

// The factor of a rule over all splits.
template <bool kFields>
inline double factor_of(const SpanSplits& span, std::int32_t rule) {
  double factor = span.score[rule];
  if constexpr (kFields) {
    for (int f = 0; f < span.fields; ++f) {
      const std::int32_t block = span.field[f].block[rule];
      if (block >= 0) factor *= span.field[f].row[block];
    }
  }
  return factor;
}

template <bool kSplits>
inline Doubles split_factors(const SpanSplits& span, std::int32_t rule, std::int32_t k, Doubles factors) {
  if constexpr (kSplits) {
    for (int f = 0; f < span.split_fields; ++f) {
      const std::int32_t block = span.split_field[f].block[rule];
      if (block >= 0) factors = factors * load<Doubles>(span.split_field[f].row + block * span.stride + k);
    }
  }
  return factors;
}

template <bool kFields, bool kSplits>
void sum_splits_of(const SpanSplits& span, double* low) {
  over_parents(span, [&](std::int32_t symbol, auto&& rules) {
    Doubles total{};
    rules([&](std::int32_t rule, std::int64_t left_row, std::int64_t right_row, std::int32_t from, std::int32_t to) {
      const double *left = span.left + left_row, *right = span.right + right_row;
      Doubles own{};
      for (std::int32_t k = from; k <= to; k += kLanes<double>) {
        own += split_factors<kSplits>(span, rule, k, load<Doubles>(left + k)) * load<Doubles>(right + k);
      }
      total += own * fill<Doubles>(factor_of<kFields>(span, rule));
    });
    low[symbol] = sum_of(total);
  });
}

void sum_splits(const SpanSplits& span, double* low) {
  if (span.split_fields > 0) return sum_splits_of<true, true>(span, low);
  if (span.fields > 0) return sum_splits_of<true, false>(span, low);
  sum_splits_of<false, false>(span, low);
}

template <bool kFields, bool kSplits>
void share_splits_of(const SpanSplits& span, const SpanShares& shares) {
  over_parents(span, [&](std::int32_t symbol, auto&& rules) {
    const double outside = shares.outside[symbol];
    if (outside == 0.0) return;
    rules([&](std::int32_t rule, std::int64_t left_row, std::int64_t right_row, std::int32_t from, std::int32_t to) {
      const double *left = span.left + left_row, *right = span.right + right_row;
      double *to_left = shares.left + left_row, *to_right = shares.right + right_row;
      const Doubles share = fill<Doubles>(outside * factor_of<kFields>(span, rule));
      Doubles total{};
      for (std::int32_t k = from; k <= to; k += kLanes<double>) {
        const Doubles one = load<Doubles>(left + k), other = load<Doubles>(right + k);
        const Doubles own = split_factors<kSplits>(span, rule, k, share);
        const Doubles used = own * one * other;
        store(to_left + k, load<Doubles>(to_left + k) + own * other);
        store(to_right + k, load<Doubles>(to_right + k) + own * one);
        total += used;
        if constexpr (kSplits) {
          for (int f = 0; f < span.split_fields; ++f) {
            const std::int32_t block = span.split_field[f].block[rule];
            if (block < 0) continue;
            double* count = shares.split_field[f] + block * span.stride + k;
            store(count, load<Doubles>(count) + used);
          }
        }
      }
      const double count = sum_of(total);
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

void share_splits(const SpanSplits& span, const SpanShares& shares) {
  if (span.split_fields > 0) return share_splits_of<true, true>(span, shares);
  if (span.fields > 0) return share_splits_of<true, false>(span, shares);
  share_splits_of<false, false>(span, shares);
}
