#include "maxmargin/measures/tables.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace maxmargin {
namespace {

constexpr std::int64_t kParts = 16;  // into which a range of lines is divided
constexpr std::size_t kFew = 256;    // rows that are sorted by comparisons
constexpr int kDigit = 11;           // bits

// Numbers whose order is the descending one of scores.
std::uint64_t key_of(double score) {
  const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);  // no negative zero
  return ~(bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63);
}

struct Keyed {
  std::uint64_t key;
  std::int64_t row;
};

void radix_sort(std::vector<Keyed>& items) {
  std::vector<Keyed> sorted(items.size());
  for (int shift = 0; shift < 64; shift += kDigit) {
    std::array<std::size_t, std::size_t{1} << kDigit> place{};
    const auto digit = [shift](const Keyed& item) { return item.key >> shift & ((std::uint64_t{1} << kDigit) - 1); };
    for (const Keyed& item : items) ++place[digit(item)];
    if (place[digit(items.front())] == items.size()) continue;
    std::size_t before = 0;
    for (std::size_t& at : place) before += std::exchange(at, before);
    for (const Keyed& item : items) sorted[place[digit(item)]++] = item;
    items.swap(sorted);
  }
}

class Search {
 public:
  explicit Search(const Tables& tables)
      : t_(tables), P_(std::ssize(tables.positive_sums) - 1), N_(std::ssize(tables.negative_sums) - 1), square_(tables.beta * tables.beta) {}

  FoundTable by_true_positives() {
    const auto sums = t_.positive_sums;
    std::int64_t top = 0, end = P_;  // sums rise up to `top`, and fall after
    while (top < end) {
      const std::int64_t middle = (top + end) / 2;
      if (sums[middle + 1] - sums[middle] > 0.0) top = middle + 1;
      else end = middle;
    }
    std::int64_t width = 1;
    while (width <= P_) width *= kParts;
    std::vector<std::int64_t> first{0}, next;
    while (true) {
      for (const std::int64_t tp : first) {
        if (tp == P_ && N_ == 0) continue;  // the truth alone
        const Line line{*this, tp, sums[tp]};
        offer(tp, line.peak(tp == P_, N_));
      }
      if (width == 1) return best_;
      next.clear();
      for (const std::int64_t from : first) {
        const Line range{*this, from, sums[std::clamp(top, from, std::min(from + width - 1, P_))]};
        if (!(range.value(range.peak(0, N_)) > best_.value)) continue;
        for (std::int64_t part = 0; part < kParts; ++part) {
          const std::int64_t tp = from + part * (width / kParts);
          if (tp <= P_) next.push_back(tp);
        }
      }
      width /= kParts;
      first.swap(next);
    }
  }

  FoundTable by_predicted() {
    for (std::int64_t predicted = 0, fp = 0; predicted <= P_ + N_; ++predicted) {
      const std::int64_t low = predicted == P_ ? 1 : std::max<std::int64_t>(0, predicted - P_), high = std::min(predicted, N_);
      if (low > high) continue;
      fp = Diagonal{*this, predicted}.peak(low, high, fp);
      offer(predicted - fp, fp);
    }
    return best_;
  }

 private:
  double loss(std::int64_t tp, std::int64_t fp) const {
    const double a = static_cast<double>(tp), b = static_cast<double>(fp), c = static_cast<double>(P_ - tp), d = static_cast<double>(N_ - fp);
    switch (t_.kind) {
      case TableLoss::error_rate: return (b + c) / (a + b + c + d);
      case TableLoss::f_beta: return 1.0 - (1.0 + square_) * a / (square_ * (a + c) + a + b);
      case TableLoss::balanced_error: return 0.5 * (c / (a + c) + b / (b + d));
      default: {
        const double product = (a + c) * (b + d) * (a + b) * (c + d);
        return 0.5 * (1.0 - (a * d - b * c) / std::sqrt(product > 0.0 ? product : 1.0));
      }
    }
  }
  double lead(double sum, std::int64_t fp) const { return (t_.positive_sums[P_] - sum - t_.negative_sums[fp]) / t_.n; }
  double value(std::int64_t tp, double sum, std::int64_t fp) const {
    const double lost = loss(tp, fp), size = t_.rooted ? std::sqrt(lost) : lost;
    const double margin = t_.mistakes ? 0.0 : t_.constant ? 1.0 : size;
    return margin - (t_.scaled && !t_.mistakes ? size : 1.0) * lead(sum, fp);
  }
  void offer(std::int64_t tp, std::int64_t fp) {
    const double found = value(tp, t_.positive_sums[tp], fp);
    if (found > best_.value) best_ = {tp, fp, found};
  }

  // The first place from which `rises` is false; it must stay so from there on. Looked for around `hint` first.
  template <class Rises>
  static std::int64_t halved(std::int64_t low, std::int64_t high, std::int64_t hint, Rises&& rises) {
    for (std::int64_t step = 1; low < high && hint >= low && hint < high; step *= 2) {
      if (rises(hint)) {
        low = hint + 1;
        hint += step;
      } else {
        high = hint;
        hint -= step;
      }
    }
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (rises(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  // The fp of the highest value of a line.
  template <class OfLine>
  std::int64_t peak_of(const OfLine& line, std::int64_t low, std::int64_t high, std::int64_t hint) const {
    const auto rises = [&](std::int64_t fp) { return line.value(fp + 1) > line.value(fp); };
    if (!t_.scaled) return halved(low, high, hint, rises);  // concave
    // loss * (1 - lead): 1 - lead is concave, and below its peak both factors grow. Above it they are a product of concave
    // functions, which has one peak as long as both are positive.
    low = halved(low, high, hint, [&](std::int64_t fp) { return line.lead(fp + 1) < line.lead(fp); });
    return halved(low, high, hint, [&](std::int64_t fp) { return line.lead(fp) < 1.0 && rises(fp); });
  }

  // Tables with tp given, and with a sum of scores in place of that of the best tp positives.
  struct Line {
    const Search& search;
    std::int64_t tp;
    double sum;
    double lead(std::int64_t fp) const { return search.lead(sum, fp); }
    double value(std::int64_t fp) const { return search.value(tp, sum, fp); }
    std::int64_t peak(std::int64_t low, std::int64_t high) const { return search.peak_of(*this, low, high, (low + high) / 2); }
  };
  // Tables with tp + fp given.
  struct Diagonal {
    const Search& search;
    std::int64_t predicted;
    double sum(std::int64_t fp) const { return search.t_.positive_sums[predicted - fp]; }
    double lead(std::int64_t fp) const { return search.lead(sum(fp), fp); }
    double value(std::int64_t fp) const { return search.value(predicted - fp, sum(fp), fp); }
    std::int64_t peak(std::int64_t low, std::int64_t high, std::int64_t hint) const { return search.peak_of(*this, low, high, hint); }
  };

  const Tables& t_;
  std::int64_t P_, N_;
  double square_;
  FoundTable best_{0, 0, -std::numeric_limits<double>::infinity()};
};

}  // namespace

SortedRows sort_by_score(std::span<const double> scores, std::span<const std::int64_t> rows) {
  std::vector<Keyed> items;
  items.reserve(rows.size());
  for (const std::int64_t row : rows) items.push_back({key_of(scores[row]), row});
  if (items.size() > kFew) radix_sort(items);
  else std::stable_sort(items.begin(), items.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  SortedRows out;
  out.rows.reserve(items.size());
  out.sums.reserve(items.size() + 1);
  out.sums.push_back(0.0);
  double sum = 0.0;
  for (const Keyed& item : items) {
    out.rows.push_back(item.row);
    out.sums.push_back(sum += scores[item.row]);
  }
  return out;
}

namespace {

// How many of the falling cuts are above a score. Branches would be mispredicted half of the time.
std::size_t cuts_above(std::span<const double> cuts, double score) {
  const double* from = cuts.data();
  std::size_t left = cuts.size();
  while (left > 1) {
    const std::size_t half = left / 2;
    from += from[half - 1] > score ? half : 0;
    left -= half;
  }
  return static_cast<std::size_t>(from - cuts.data()) + (left == 1 && *from > score ? 1 : 0);
}

}  // namespace

CutTables cut_tables(std::span<const double> scores, std::span<const bool> positive, std::span<const double> weight,
                     std::span<const std::int64_t> part, std::int64_t parts, std::span<const double> cuts) {
  const std::size_t count = cuts.size(), size = static_cast<std::size_t>(parts);
  CutTables out{std::vector<double>(size * count), std::vector<double>(size * count), std::vector<double>(size), std::vector<double>(size),
                std::vector<double>(count, -std::numeric_limits<double>::infinity())};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double w = weight.empty() ? 1.0 : weight[i];
    const std::size_t own = part.empty() ? 0 : static_cast<std::size_t>(part[i]);
    const std::size_t first = cuts_above(cuts, scores[i]);
    (positive[i] ? out.positives : out.negatives)[own] += w;
    if (first < count) (positive[i] ? out.tp : out.fp)[own * count + first] += w;
    if (first > 0) out.below[first - 1] = std::max(out.below[first - 1], scores[i]);
  }
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t k = 1; k < count; ++k) {
      out.tp[row * count + k] += out.tp[row * count + k - 1];
      out.fp[row * count + k] += out.fp[row * count + k - 1];
    }
  }
  for (std::size_t k = count; k-- > 1;) out.below[k - 1] = std::max(out.below[k - 1], out.below[k]);
  return out;
}

FoundTable search_by_true_positives(const Tables& tables) { return Search(tables).by_true_positives(); }
FoundTable search_by_predicted(const Tables& tables) { return Search(tables).by_predicted(); }

}  // namespace maxmargin
