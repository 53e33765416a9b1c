#include "maxmargin/rankings/position_credit.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

constexpr std::int64_t kMostStates = std::int64_t{1} << 27;

// The rows of one grade in descending order of their scores.
struct List {
  std::vector<std::int32_t> rows;
  std::vector<double> score;
  std::vector<double> rest;  // rest[a]: sum of the scores from number a on
  double gain = 0.0;
  std::int64_t reach = 0;   // rows that may be among the positions with a discount
  std::int64_t stride = 0;  // of the table

  std::int64_t size() const { return static_cast<std::int64_t>(rows.size()); }
};

// Sum over i >= a of `better` and j >= b of `worse` of max(0, score j - score i), for all a and b within reach.
class Overlap {
 public:
  Overlap(const List& better, const List& worse) : width_(worse.reach + 1), sums_(static_cast<std::size_t>((better.reach + 1) * width_)) {
    std::vector<double> sum(static_cast<std::size_t>(width_));
    std::int64_t above = worse.size();  // how many of `worse` score above row i
    for (std::int64_t i = better.size(); i-- > 0;) {
      while (above > 0 && worse.score[above - 1] <= better.score[i]) --above;
      for (std::int64_t b = 0; b < std::min(above, width_); ++b) {
        sum[b] += (worse.rest[b] - worse.rest[above]) - static_cast<double>(above - b) * better.score[i];
      }
      if (i <= better.reach) std::copy(sum.begin(), sum.end(), sums_.begin() + i * width_);
    }
  }
  double operator()(std::int64_t a, std::int64_t b) const { return sums_[a * width_ + b]; }

 private:
  std::int64_t width_;
  std::vector<double> sums_;
};

// The search in one group; memory is kept for the next.
class Interleaving {
 public:
  void search(std::span<const double> scores, std::span<const std::int32_t> grade, std::int64_t first, std::int64_t size,
              const Credits& credits, double pairs, double* net, double& credit) {
    prepare(scores, grade, first, size, credits);
    const std::int64_t best = fill(credits, pairs);
    retrace(best, scores);
    count(grade, credits, net, credit);
  }

 private:
  // Lists from the highest grade to the lowest.
  void prepare(std::span<const double> scores, std::span<const std::int32_t> grade, std::int64_t first, std::int64_t size,
               const Credits& credits) {
    const auto own = grade.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
    const std::int32_t grades = 1 + *std::max_element(own.begin(), own.end());
    length_ = std::min<std::int64_t>(size, static_cast<std::int64_t>(credits.discount.size()));
    lists_.assign(static_cast<std::size_t>(grades), List{});
    for (std::int64_t i = first; i < first + size; ++i) lists_[grades - 1 - grade[i]].rows.push_back(static_cast<std::int32_t>(i));
    std::int64_t table = 1;
    for (std::size_t h = lists_.size(); h-- > 0;) {
      List& list = lists_[h];
      std::stable_sort(list.rows.begin(), list.rows.end(), [&](std::int32_t a, std::int32_t b) { return scores[a] > scores[b]; });
      for (std::int32_t row : list.rows) list.score.push_back(scores[row]);
      list.rest.assign(list.rows.size() + 1, 0.0);
      for (std::size_t a = list.rows.size(); a-- > 0;) list.rest[a] = list.rest[a + 1] + list.score[a];
      list.gain = list.rows.empty() ? 0.0 : credits.gain[list.rows[0]];
      list.reach = std::min(list.size(), length_);
      list.stride = table;
      if (table > kMostStates / (list.reach + 1) || h > 254) throw std::length_error("too many rows and grades in one group");
      table *= list.reach + 1;
    }
    if (static_cast<std::int64_t>(value_.size()) < table) {
      value_.resize(static_cast<std::size_t>(table));
      last_.resize(static_cast<std::size_t>(table));
    }
    taken_.assign(lists_.size(), 0);
    overlaps_.clear();
    if (length_ == size) return;
    for (std::size_t h = 0; h < lists_.size(); ++h) {
      for (std::size_t f = h + 1; f < lists_.size(); ++f) overlaps_.emplace_back(lists_[h], lists_[f]);
    }
  }

  // The best value of every state within the first positions, in lexicographic order of the states; the best final one.
  std::int64_t fill(const Credits& credits, double pairs) {
    value_[0] = 0.0;
    double highest = -std::numeric_limits<double>::infinity();
    std::int64_t best = 0, state = 0, placed = 0;
    while (true) {
      if (placed > 0) {
        double value = -std::numeric_limits<double>::infinity(), waiting = 0.0, sum = 0.0;
        for (std::size_t h = 0; h < lists_.size(); ++h) {  // rows of higher grades are still waiting: those pairs are swapped
          const List& list = lists_[h];
          const std::int64_t a = taken_[h];
          if (a > 0) {
            const double swapped = waiting * list.score[a - 1] - sum;
            const double found = value_[state - list.stride] + swapped / pairs - list.gain * credits.weight[a - 1] * credits.discount[placed - 1];
            if (found > value) {
              value = found;
              last_[state] = static_cast<std::uint8_t>(h);
            }
          }
          waiting += static_cast<double>(list.size() - a);
          sum += list.rest[a];
        }
        value_[state] = value;
      }
      if (placed == length_) {
        const double final = value_[state] + remainder() / pairs;
        if (final > highest) {
          highest = final;
          best = state;
        }
      }
      std::size_t h = lists_.size();
      while (h-- > 0) {  // the next state: one more of the last list that has room, none of those behind it
        const List& list = lists_[h];
        if (placed < length_ && taken_[h] < list.reach) {
          ++taken_[h];
          ++placed;
          state += list.stride;
          break;
        }
        placed -= taken_[h];
        state -= taken_[h] * list.stride;
        taken_[h] = 0;
      }
      if (h == static_cast<std::size_t>(-1)) return best;
    }
  }

  double remainder() const {
    double sum = 0.0;
    std::size_t k = 0;
    for (std::size_t h = 0; h < lists_.size() && !overlaps_.empty(); ++h) {
      for (std::size_t f = h + 1; f < lists_.size(); ++f) sum += overlaps_[k++](taken_[h], taken_[f]);
    }
    return sum;
  }

  // The ranking that leads to a state, and the rest by score.
  void retrace(std::int64_t state, std::span<const double> scores) {
    for (const List& list : lists_) {
      const std::size_t h = static_cast<std::size_t>(&list - lists_.data());
      taken_[h] = state / list.stride % (list.reach + 1);
    }
    ranking_.clear();
    for (std::size_t h = 0; h < lists_.size(); ++h) {
      ranking_.insert(ranking_.end(), lists_[h].rows.begin() + taken_[h], lists_[h].rows.end());
    }
    std::stable_sort(ranking_.begin(), ranking_.end(), [&](std::int32_t a, std::int32_t b) { return scores[a] > scores[b]; });
    ranking_.insert(ranking_.begin(), static_cast<std::size_t>(length_), 0);
    for (std::int64_t p = length_; p-- > 0;) {
      const std::size_t h = last_[state];
      state -= lists_[h].stride;
      ranking_[p] = lists_[h].rows[--taken_[h]];
    }
  }

  void count(std::span<const std::int32_t> grade, const Credits& credits, double* net, double& credit) {
    credit = 0.0;
    std::fill(taken_.begin(), taken_.end(), 0);
    for (std::size_t p = 0; p < ranking_.size(); ++p) {
      const std::int32_t row = ranking_[p];
      const std::size_t h = lists_.size() - 1 - static_cast<std::size_t>(grade[row]);
      std::int64_t swapped = 0;
      for (std::size_t f = 0; f < lists_.size(); ++f) {
        if (f < h) swapped -= lists_[f].size() - taken_[f];
        if (f > h) swapped += taken_[f];
      }
      net[row] = static_cast<double>(swapped);
      if (p < credits.discount.size()) credit += lists_[h].gain * credits.weight[taken_[h]] * credits.discount[p];
      ++taken_[h];
    }
  }

  std::int64_t length_ = 0;  // positions with a discount
  std::vector<List> lists_;
  std::vector<Overlap> overlaps_;
  std::vector<double> value_;
  std::vector<std::uint8_t> last_;
  std::vector<std::int64_t> taken_;
  std::vector<std::int32_t> ranking_;
};

}  // namespace

Rankings most_violated_rankings(const GradedRows& rows, std::span<const double> scores, const Credits& credits,
                                std::span<const double> pairs, int threads) {
  Rankings found{std::vector<double>(static_cast<std::size_t>(rows.groups())), std::vector<double>(scores.size())};
  in_parallel(rows.groups(), threads, [&](int, std::int64_t begin, std::int64_t end) {
    Interleaving interleaving;
    for (std::int64_t g = begin; g < end; ++g) {
      const std::int64_t first = rows.offsets[g], size = rows.offsets[g + 1] - first;
      if (size > 0) interleaving.search(scores, rows.grade, first, size, credits, pairs[g], found.net.data(), found.credit[g]);
    }
  });
  return found;
}

}  // namespace maxmargin
