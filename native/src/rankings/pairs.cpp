#include "maxmargin/rankings/pairs.hpp"

#include <algorithm>
#include <utility>

#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

// Counts of grades, with sums over all smaller grades in logarithmic time (Fenwick's tree).
class GradeCounts {
 public:
  void reset(std::int32_t grades) { tree_.assign(static_cast<std::size_t>(grades) + 1, 0); }
  void add(std::int32_t grade) {
    for (std::size_t k = static_cast<std::size_t>(grade) + 1; k < tree_.size(); k += k & (~k + 1)) ++tree_[k];
  }
  std::int64_t below(std::int32_t grade) const {
    std::int64_t sum = 0;
    for (std::size_t k = static_cast<std::size_t>(grade); k > 0; k &= k - 1) sum += tree_[k];
    return sum;
  }

 private:
  std::vector<std::int64_t> tree_;
};

// The rows of one group in ascending order of their scores.
struct Group {
  std::vector<double> score, net;
  std::vector<std::int32_t> grade;
  std::int32_t grades = 0;  // one more than the highest
  GradeCounts counts;

  std::size_t size() const { return score.size(); }

  void gather(const GradedRows& rows, std::span<const double> scores, std::span<const std::int32_t> order) {
    score.clear();
    grade.clear();
    grades = 0;
    for (std::int32_t row : order) {
      score.push_back(scores[static_cast<std::size_t>(row)]);
      grade.push_back(rows.grade[static_cast<std::size_t>(row)]);
      grades = std::max(grades, grade.back() + 1);
    }
    net.assign(order.size(), 0.0);
  }

  // Rounding keeps differences monotone in both scores, so one pass from each end meets all pairs below the gap.
  std::int64_t take_below(double gap) {
    const std::size_t n = size();
    std::int64_t taken = 0;
    counts.reset(grades);
    for (std::size_t i = n, next = n; i-- > 0;) {  // i as the better row: what of smaller grade scores above score i - gap
      for (; next > 0 && score[i] - score[next - 1] < gap; --next) counts.add(grade[next - 1]);
      const std::int64_t below = counts.below(grade[i]);
      net[i] += static_cast<double>(below);
      taken += below;
    }
    counts.reset(grades);
    for (std::size_t j = 0, next = 0; j < n; ++j) {  // j as the worse row; grades are counted from the other end
      for (; next < n && score[next] - score[j] < gap; ++next) counts.add(grades - 1 - grade[next]);
      net[j] -= static_cast<double>(counts.below(grades - 1 - grade[j]));
    }
    return taken;
  }

  std::int64_t take_equal(double gap, std::int64_t wanted) {
    std::int64_t taken = 0;
    for (std::size_t i = 0; i < size() && taken < wanted; ++i) {
      auto above = [&](double other) { return score[i] - other > gap; };
      auto j = static_cast<std::size_t>(std::partition_point(score.begin(), score.end(), above) - score.begin());
      for (; j < size() && score[i] - score[j] == gap && taken < wanted; ++j) {
        if (grade[j] >= grade[i]) continue;
        net[i] += 1.0;
        net[j] -= 1.0;
        ++taken;
      }
    }
    return taken;
  }
};

}  // namespace

GradeRanks rank_grades(std::span<const double> grades, std::span<const std::int64_t> offsets) {
  GradeRanks out{std::vector<std::int32_t>(grades.size()), std::vector<double>(offsets.size() - 1)};
  std::vector<double> levels;
  std::vector<std::int64_t> count;
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const auto first = static_cast<std::size_t>(offsets[g]), last = static_cast<std::size_t>(offsets[g + 1]);
    levels.clear();
    for (std::size_t i = first; i < last; ++i) {
      if (levels.empty() || grades[i] != levels.back()) levels.push_back(grades[i]);
    }
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    count.assign(levels.size(), 0);
    for (std::size_t i = first; i < last; ++i) {
      const auto rank = std::lower_bound(levels.begin(), levels.end(), grades[i]) - levels.begin();
      out.rank[i] = static_cast<std::int32_t>(rank);
      ++count[static_cast<std::size_t>(rank)];
    }
    const auto n = static_cast<double>(last - first);
    double same = 0.0;
    for (std::int64_t size : count) same += static_cast<double>(size) * static_cast<double>(size);
    out.pairs[g] = 0.5 * (n * n - same);
  }
  return out;
}

std::vector<std::int32_t> order_in_groups(std::span<const double> scores, std::span<const std::int64_t> offsets, int threads) {
  std::vector<std::int32_t> order(scores.size());
  in_parallel(static_cast<std::int64_t>(offsets.size()) - 1, threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<std::pair<double, std::int32_t>> keyed;
    for (std::int64_t g = begin; g < end; ++g) {
      keyed.clear();
      for (std::int64_t i = offsets[g]; i < offsets[g + 1]; ++i) keyed.emplace_back(scores[i], static_cast<std::int32_t>(i));
      std::sort(keyed.begin(), keyed.end());
      std::transform(keyed.begin(), keyed.end(), order.begin() + offsets[g], [](const auto& item) { return item.second; });
    }
  });
  return order;
}

TakenPairs take_pairs(const GradedRows& rows, std::span<const double> scores, std::span<const std::int32_t> order,
                      std::span<const double> gap, std::span<const std::int64_t> extra, int threads) {
  TakenPairs taken{std::vector<std::int64_t>(static_cast<std::size_t>(rows.groups())), std::vector<double>(scores.size())};
  in_parallel(rows.groups(), threads, [&](int, std::int64_t begin, std::int64_t end) {
    Group group;
    for (std::int64_t g = begin; g < end; ++g) {
      const auto first = static_cast<std::size_t>(rows.offsets[g]), size = static_cast<std::size_t>(rows.offsets[g + 1]) - first;
      const auto own = order.subspan(first, size);
      group.gather(rows, scores, own);
      taken.number[g] = group.take_below(gap[g]);
      if (extra[g] > 0) taken.number[g] += group.take_equal(gap[g], extra[g]);
      for (std::size_t place = 0; place < size; ++place) taken.net[static_cast<std::size_t>(own[place])] = group.net[place];
    }
  });
  return taken;
}

}  // namespace maxmargin
