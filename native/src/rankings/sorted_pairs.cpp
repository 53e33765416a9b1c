#include "maxmargin/rankings/sorted_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kFewPairs = 8;  // per row of two segments: up to there it is no slower to look at every pair

bool few_pairs(std::int64_t high, std::int64_t low) { return high * low <= kFewPairs * (high + low); }

// Sorts scores and the members beside them. The order of the last call is nearly right in most calls, so rows are inserted
// one by one unless that turns out to be slow.
void sort_segment(double* score, std::int32_t* at, std::int64_t n) {
  std::int64_t left = 4 * n + 32;  // moves
  std::int64_t i = 1;
  for (; i < n && left > 0; ++i) {
    const double key = score[i];
    const std::int32_t member = at[i];
    std::int64_t j = i;
    for (; j > 0 && score[j - 1] > key; --j, --left) {
      score[j] = score[j - 1];
      at[j] = at[j - 1];
    }
    score[j] = key;
    at[j] = member;
  }
  if (i >= n) return;
  std::vector<std::pair<double, std::int32_t>> keyed(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) keyed[static_cast<std::size_t>(k)] = {score[k], at[k]};
  std::sort(keyed.begin(), keyed.end());
  for (std::int64_t k = 0; k < n; ++k) std::tie(score[k], at[k]) = keyed[static_cast<std::size_t>(k)];
}

// A row of the data less another, as `d` numbers.
void difference(const Row& row, const Row& base, std::int64_t d, double* out) {
  if (row.kind == RowKind::dense) {
    auto subtract = [&](const auto* x, const auto* y) {
      for (std::int64_t j = 0; j < row.width; ++j) out[j] = static_cast<double>(x[j]) - static_cast<double>(y[j]);
    };
    if (row.single) subtract(static_cast<const float*>(row.values), static_cast<const float*>(base.values));
    else subtract(static_cast<const double*>(row.values), static_cast<const double*>(base.values));
    if (row.bias != 0.0) out[row.width] = 0.0;
    return;
  }
  std::fill_n(out, d, 0.0);
  for (std::int64_t c = 0; c < row.count; ++c) out[row.column(c)] += row.value(c);
  for (std::int64_t c = 0; c < base.count; ++c) out[base.column(c)] -= base.value(c);
}

// The places in a segment of ascending scores from which on scores are above, or not below, a limit that ascends from call to call.
struct Walk {
  std::int64_t place, end;
  std::int64_t above(const double* score, double limit) {
    while (place < end && score[place] <= limit) ++place;
    return place;
  }
  std::int64_t not_below(const double* score, double limit) {
    while (place < end && score[place] < limit) ++place;
    return place;
  }
};

}  // namespace

SortedPairs::SortedPairs(const PairRows& data, int threads)
    : data_(data), threads_(threads), at_(data.grade.size()), score_(data.grade.size()), first_{0}, pairs_(static_cast<std::size_t>(data.groups())) {
  std::vector<std::int64_t> count;
  for (std::int64_t g = 0; g < data.groups(); ++g) {
    const std::int64_t begin = data.offsets[g], end = data.offsets[g + 1];
    count.clear();
    for (std::int64_t m = begin; m < end; ++m) {
      const auto grade = static_cast<std::size_t>(data.grade[m]);
      if (grade >= count.size()) count.resize(grade + 1);
      ++count[grade];
    }
    double same = 0.0;
    std::int64_t place = begin;
    for (std::int64_t& size : count) {
      same += static_cast<double>(size) * static_cast<double>(size);
      segments_.push_back(place);
      place += std::exchange(size, place);  // from now on where the next member of the grade goes
    }
    segments_.push_back(end);
    first_.push_back(static_cast<std::int64_t>(segments_.size()));
    const auto n = static_cast<double>(end - begin);
    pairs_[g] = 0.5 * (n * n - same);
    for (std::int64_t m = begin; m < end; ++m) at_[count[static_cast<std::size_t>(data.grade[m])]++] = static_cast<std::int32_t>(m);
  }
}

void SortedPairs::sort(std::span<const double> scores) {
  in_parallel(data_.groups(), threads_, [&](int, std::int64_t from, std::int64_t to) {
    for (std::int64_t g = from; g < to; ++g) {
      const double base = scores[static_cast<std::size_t>(data_.offsets[g])];
      for (std::int64_t p = data_.offsets[g]; p < data_.offsets[g + 1]; ++p) score_[p] = scores[static_cast<std::size_t>(at_[p])] - base;
      for (std::int64_t s = first_[g]; s + 1 < first_[g + 1]; ++s) {
        sort_segment(score_.data() + segments_[s], at_.data() + segments_[s], segments_[s + 1] - segments_[s]);
      }
    }
  });
}

// visit(begin and end of the segment of the higher grade, those of the lower one), of all pairs of segments of a group.
template <class Visit>
void SortedPairs::each_segment_pair(std::int64_t group, Visit&& visit) const {
  for (std::int64_t high = first_[group] + 1; high + 1 < first_[group + 1]; ++high) {
    for (std::int64_t low = first_[group]; low < high; ++low) visit(segments_[high], segments_[high + 1], segments_[low], segments_[low + 1]);
  }
}

void SortedPairs::assess_equal(PairLosses& out) const {
  out.hinge.assign(pairs_.size(), 1.0);
  out.slope.assign(pairs_.size(), 1.0);
  out.coefficient.resize(at_.size());
  for (std::int64_t g = 0; g < data_.groups(); ++g) {
    const std::int64_t begin = data_.offsets[g], end = data_.offsets[g + 1];
    for (std::int64_t s = first_[g]; s + 1 < first_[g + 1]; ++s) {
      const double net = static_cast<double>((segments_[s] - begin) - (end - segments_[s + 1])) / pairs_[g];
      for (std::int64_t p = segments_[s]; p < segments_[s + 1]; ++p) out.coefficient[at_[p]] = net;
    }
  }
}

void SortedPairs::assess(double scale, double band, std::int64_t stride, PairLosses& out) const {
  const double half = 0.5 * band, inverse = 1.0 / band;
  out.hinge.assign(pairs_.size(), 0.0);
  out.slope.assign(pairs_.size(), 0.0);
  out.coefficient.assign(at_.size(), 0.0);
  in_parallel((data_.groups() + stride - 1) / stride, threads_, [&](int, std::int64_t from, std::int64_t to) {
    std::vector<double> scores, prefix, sums;
    for (std::int64_t g = from * stride; g < to * stride && g < data_.groups(); g += stride) {
      const std::int64_t begin = data_.offsets[g], n = data_.offsets[g + 1] - begin;
      scores.resize(static_cast<std::size_t>(n));
      prefix.resize(static_cast<std::size_t>(n) + 1);
      sums.assign(static_cast<std::size_t>(n), 0.0);
      for (std::int64_t p = 0; p < n; ++p) {
        scores[p] = scale * score_[begin + p];
        prefix[p + 1] = prefix[p] + scores[p];
      }
      double hinge = 0.0, slope = 0.0;
      const double* s = scores.data();
      each_segment_pair(g, [&](std::int64_t high, std::int64_t high_end, std::int64_t low, std::int64_t low_end) {
        high -= begin, high_end -= begin, low -= begin, low_end -= begin;
        if (few_pairs(high_end - high, low_end - low)) {
          for (std::int64_t i = high; i < high_end; ++i) {
            const double edge = 1.0 - s[i];
            double own = 0.0;
            for (std::int64_t j = low; j < low_end; ++j) {
              const double u = edge + s[j], alpha = std::clamp(u * inverse + 0.5, 0.0, 1.0);
              hinge += std::max(u, 0.0);
              own += alpha;
              sums[j] -= alpha;
            }
            slope += own;
            sums[i] += own;
          }
          return;
        }
        Walk bottom{low, low_end}, middle{low, low_end}, top{low, low_end};
        for (std::int64_t i = high; i < high_end; ++i) {
          const double edge = s[i] - 1.0;
          const std::int64_t none = bottom.above(s, edge - half), some = top.not_below(s, edge + half), paid = middle.above(s, edge);
          hinge += (prefix[low_end] - prefix[paid]) - static_cast<double>(low_end - paid) * edge;
          double alpha = static_cast<double>(low_end - some);
          if (some > none) alpha += ((prefix[some] - prefix[none]) - static_cast<double>(some - none) * edge) * inverse + 0.5 * static_cast<double>(some - none);
          slope += alpha;
          sums[i] += alpha;
        }
        Walk start{high, high_end}, stop{high, high_end};
        for (std::int64_t j = low; j < low_end; ++j) {
          const double edge = s[j] + 1.0;
          const std::int64_t some = start.above(s, edge - half), none = stop.not_below(s, edge + half);
          double alpha = static_cast<double>(some - high);
          if (none > some) alpha += (static_cast<double>(none - some) * edge - (prefix[none] - prefix[some])) * inverse + 0.5 * static_cast<double>(none - some);
          sums[j] -= alpha;
        }
      });
      out.hinge[g] = hinge / pairs_[g];
      out.slope[g] = slope / pairs_[g];
      for (std::int64_t p = 0; p < n; ++p) out.coefficient[at_[begin + p]] = sums[p] / pairs_[g];
    }
  });
}

// Takes rows of numbers, or pairs of them, in and adds up the products of their columns, many at a time.
class SortedPairs::Gram {
 public:
  Gram(std::int64_t d, bool pairs, std::vector<double>& out) : d_(d), left_(static_cast<std::size_t>(d * kApart)), right_(pairs ? left_.size() : 0), out_(out) {}

  void add(const double* x, double weight) {
    for (std::int64_t j = 0; j < d_; ++j) left_[j * kApart + filled_] = x[j];
    next(weight);
  }
  void add(const double* x, const double* y, double weight) {
    for (std::int64_t j = 0; j < d_; ++j) {
      left_[j * kApart + filled_] = x[j];
      right_[j * kApart + filled_] = y[j];
    }
    next(weight);
  }
  void flush() {
    const double* right = right_.empty() ? left_.data() : right_.data();
    if (filled_ > 0) kernels().weighted_gram(left_.data(), right, kApart, weight_.data(), d_, filled_, out_.data());
    filled_ = 0;
  }

 private:
  static constexpr std::int64_t kApart = kGramRows + 8;  // columns a power of two apart would share lines of the cache

  void next(double weight) {
    weight_[static_cast<std::size_t>(filled_)] = weight;
    if (++filled_ == kGramRows) flush();
  }

  std::int64_t d_, filled_ = 0;
  std::vector<double> left_, right_;
  std::array<double, kGramRows> weight_;
  std::vector<double>& out_;
};

// All pairs. The sum of (z_i - z_j)(z_i - z_j)' is the sum of z_i z_i', each times the number of rows of another grade, plus g g' for the sum g of the
// rows of each grade, less a a' for the sum a of all rows of the group.
void SortedPairs::add_all(std::int64_t group, double weight, Scratch& scratch, Gram& gram) const {
  const std::int64_t begin = data_.offsets[group], n = data_.offsets[group + 1] - begin, d = data_.rows.columns();
  auto& [z, sums, v, listed] = scratch;
  z.resize(static_cast<std::size_t>(d));
  sums.assign(static_cast<std::size_t>(2 * d), 0.0);
  double *all = sums.data(), *grade = all + d;
  const Row base = data_.rows[data_.row(at_[begin])];
  for (std::int64_t s = first_[group]; s + 1 < first_[group + 1]; ++s) {
    const double others = static_cast<double>(n - (segments_[s + 1] - segments_[s]));
    std::fill_n(grade, d, 0.0);
    for (std::int64_t p = segments_[s]; p < segments_[s + 1]; ++p) {
      difference(data_.rows[data_.row(at_[p])], base, d, z.data());
      for (std::int64_t j = 0; j < d; ++j) grade[j] += z[j];
      gram.add(z.data(), others * weight);
    }
    for (std::int64_t j = 0; j < d; ++j) all[j] += grade[j];
    gram.add(grade, weight);
  }
  gram.add(all, -weight);
}

// The pairs in the band one by one; false where they are more than the rows.
bool SortedPairs::add_listed(std::int64_t group, double half, double weight, Scratch& scratch, Gram& gram) const {
  const std::int64_t n = data_.offsets[group + 1] - data_.offsets[group];
  auto& listed = scratch.listed;
  listed.clear();
  bool few = true;
  each_segment_pair(group, [&](std::int64_t high, std::int64_t high_end, std::int64_t low, std::int64_t low_end) {
    Walk bottom{low, low_end}, top{low, low_end};
    for (std::int64_t i = high; i < high_end && few; ++i) {
      const double edge = score_[i] - 1.0;
      std::int64_t j = bottom.above(score_.data(), edge - half);
      const std::int64_t end = top.not_below(score_.data(), edge + half);
      few = std::ssize(listed) + std::max<std::int64_t>(end - j, 0) <= n;
      if (few) for (; j < end; ++j) listed.emplace_back(i, j);
    }
  });
  if (!few) return false;
  scratch.z.resize(static_cast<std::size_t>(data_.rows.columns()));
  for (const auto& [i, j] : listed) {
    difference(data_.rows[data_.row(at_[i])], data_.rows[data_.row(at_[j])], data_.rows.columns(), scratch.z.data());
    gram.add(scratch.z.data(), weight);
  }
  return true;
}

// With v = (degree of a row in the graph of the pairs in the band) z - (sum of its neighbours' z) the sum of z v' over the rows is that of
// (z_i - z_j)(z_i - z_j)' over the pairs.
void SortedPairs::add_rows(std::int64_t group, double half, double weight, Scratch& scratch, Gram& gram) const {
  const std::int64_t begin = data_.offsets[group], n = data_.offsets[group + 1] - begin, d = data_.rows.columns();
  auto& [z, sums, v, listed] = scratch;
  z.resize(static_cast<std::size_t>(n * d));
  v.assign(static_cast<std::size_t>(n * d), 0.0);
  sums.resize(static_cast<std::size_t>((n + 1) * d));
  std::fill_n(sums.data(), d, 0.0);
  const Row base = data_.rows[data_.row(at_[begin])];
  for (std::int64_t p = 0; p < n; ++p) {
    difference(data_.rows[data_.row(at_[begin + p])], base, d, z.data() + p * d);
    for (std::int64_t j = 0; j < d; ++j) sums[(p + 1) * d + j] = sums[p * d + j] + z[p * d + j];
  }
  auto meet = [&](std::int64_t p, std::int64_t from, std::int64_t to) {
    if (from >= to) return;
    const double *own = z.data() + p * d, *last = sums.data() + to * d, *first = sums.data() + from * d, count = static_cast<double>(to - from);
    double* out = v.data() + p * d;
    for (std::int64_t j = 0; j < d; ++j) out[j] += count * own[j] - (last[j] - first[j]);
  };
  const double* s = score_.data() + begin;
  each_segment_pair(group, [&](std::int64_t high, std::int64_t high_end, std::int64_t low, std::int64_t low_end) {
    high -= begin, high_end -= begin, low -= begin, low_end -= begin;
    Walk bottom{low, low_end}, top{low, low_end}, start{high, high_end}, stop{high, high_end};
    for (std::int64_t i = high; i < high_end; ++i) {
      const std::int64_t from = bottom.above(s, s[i] - 1.0 - half);
      meet(i, from, top.not_below(s, s[i] - 1.0 + half));
    }
    for (std::int64_t j = low; j < low_end; ++j) {
      const std::int64_t from = start.above(s, s[j] + 1.0 - half);
      meet(j, from, stop.not_below(s, s[j] + 1.0 + half));
    }
  });
  for (std::int64_t p = 0; p < n; ++p) {
    const double* met = v.data() + p * d;
    if (std::any_of(met, met + d, [](double number) { return number != 0.0; })) gram.add(z.data() + p * d, met, weight);
  }
}

void SortedPairs::add_gram(double band, std::span<const double> weight, std::int64_t stride, std::vector<double>& out) const {
  const std::int64_t count = (data_.groups() + stride - 1) / stride;
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(thread_count(count, threads_)), std::vector<double>(out.size()));
  in_parallel(count, threads_, [&](int thread, std::int64_t from, std::int64_t to) {
    Scratch scratch;
    std::vector<double>& part = parts[static_cast<std::size_t>(thread)];
    Gram own(data_.rows.columns(), false, part), pairs(data_.rows.columns(), true, part);
    for (std::int64_t k = from; k < to; ++k) {
      const std::int64_t g = k * stride;
      const double each = weight[g] / pairs_[g];
      if (each == 0.0) continue;
      if (std::isinf(band)) add_all(g, each, scratch, own);
      else if (!add_listed(g, 0.5 * band, each, scratch, own)) add_rows(g, 0.5 * band, each, scratch, pairs);
    }
    own.flush();
    pairs.flush();
  });
  for (const std::vector<double>& part : parts) kernels().axpy(1.0, part.data(), out.data(), std::ssize(out));
}

}  // namespace maxmargin
