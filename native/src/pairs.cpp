#include "maxmargin/pairs.hpp"

#include <algorithm>
#include <utility>

#include "maxmargin/shares.hpp"

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

struct Group {
  std::span<const double> scores;
  std::span<const std::int32_t> grade;
  std::span<const std::int32_t> order;  // row numbers of the whole set

  std::size_t size() const { return order.size(); }
  std::int32_t row(std::size_t place) const { return order[place]; }
  double score(std::size_t place) const { return scores[static_cast<std::size_t>(row(place))]; }
  std::int32_t grade_at(std::size_t place) const { return grade[static_cast<std::size_t>(row(place))]; }
};

// Rounding keeps differences monotone in both scores, so one pass from each end meets all pairs below the gap.
std::int64_t take_below(const Group& group, double gap, std::int32_t grades, GradeCounts& counts, double* net) {
  const std::size_t n = group.size();
  std::int64_t taken = 0;
  counts.reset(grades);
  for (std::size_t i = n, next = n; i-- > 0;) {  // i as the better row: what of smaller grade scores above score i - gap
    for (; next > 0 && group.score(i) - group.score(next - 1) < gap; --next) counts.add(group.grade_at(next - 1));
    const std::int64_t below = counts.below(group.grade_at(i));
    net[group.row(i)] += static_cast<double>(below);
    taken += below;
  }
  counts.reset(grades);
  for (std::size_t j = 0, next = 0; j < n; ++j) {  // j as the worse row; grades are counted from the other end
    for (; next < n && group.score(next) - group.score(j) < gap; ++next) counts.add(grades - 1 - group.grade_at(next));
    net[group.row(j)] -= static_cast<double>(counts.below(grades - 1 - group.grade_at(j)));
  }
  return taken;
}

std::int64_t take_equal(const Group& group, double gap, std::int64_t wanted, double* net) {
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < group.size() && taken < wanted; ++i) {
    const double score = group.score(i);
    auto above = [&](std::int32_t row) { return score - group.scores[static_cast<std::size_t>(row)] > gap; };
    auto at = std::partition_point(group.order.begin(), group.order.end(), above);
    for (; at != group.order.end() && taken < wanted; ++at) {
      const auto row = static_cast<std::size_t>(*at);
      if (score - group.scores[row] != gap) break;
      if (group.grade[row] >= group.grade_at(i)) continue;
      net[group.row(i)] += 1.0;
      net[row] -= 1.0;
      ++taken;
    }
  }
  return taken;
}

}  // namespace

std::vector<std::int32_t> order_in_groups(std::span<const double> scores, std::span<const std::int64_t> offsets, int threads) {
  std::vector<std::int32_t> order(scores.size());
  in_shares(static_cast<std::int64_t>(offsets.size()) - 1, threads, [&](int, std::int64_t begin, std::int64_t end) {
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
  in_shares(rows.groups(), threads, [&](int, std::int64_t begin, std::int64_t end) {
    GradeCounts counts;
    for (std::int64_t g = begin; g < end; ++g) {
      const auto first = static_cast<std::size_t>(rows.offsets[g]), size = static_cast<std::size_t>(rows.offsets[g + 1]) - first;
      if (size == 0) continue;
      const Group group{scores, rows.grade, order.subspan(first, size)};
      const auto own = rows.grade.subspan(first, size);
      const std::int32_t grades = 1 + *std::max_element(own.begin(), own.end());
      taken.number[g] = take_below(group, gap[g], grades, counts, taken.net.data());
      if (extra[g] > 0) taken.number[g] += take_equal(group, gap[g], extra[g], taken.net.data());
    }
  });
  return taken;
}

}  // namespace maxmargin
