#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "maxmargin/programs/spanning_trees.hpp"

namespace maxmargin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallest = 1e-250;

// A number that is not negative, kept by its logarithm.
struct LogNumber {
  double log = -kInfinity;
};
LogNumber operator+(LogNumber a, LogNumber b) {
  const double high = std::max(a.log, b.log), low = std::min(a.log, b.log);
  return {low == -kInfinity ? high : high + std::log1p(std::exp(low - high))};
}
LogNumber operator*(LogNumber a, LogNumber b) { return {a.log + b.log}; }
LogNumber operator/(LogNumber a, LogNumber b) { return {a.log - b.log}; }

template <class Number>
Number from_log(double log) {
  if constexpr (std::is_same_v<Number, LogNumber>)
    return {log};
  else
    return std::exp(log);
}
double log_of(LogNumber a) { return a.log; }
double log_of(double a) { return std::log(a); }
bool in_range(LogNumber a) { return a.log > -kInfinity && a.log < kInfinity; }
bool in_range(double a) { return a > kSmallest && a < 1.0 / kSmallest; }

// Words are eliminated one after the other: a walk from word to head goes past them. What is left of the arc from word
// d to the root once all others are gone is R_d = Z / T_d, with T_d the sum over trees of the other words that hang on
// d (with several roots: or on the root); and the arc from d to h has the probability w[d, h] q_h / R_d, where q_h is
// the weight of leaving for the root on a walk from h that never meets d. All d take O(n^3) time: half of the words
// are eliminated for the other half, and so on.
template <class Number>
class Elimination {
 public:
  Elimination(const std::vector<Number>& arcs, std::int32_t n, bool single_root, std::span<double> marginals)
      : n_(static_cast<std::size_t>(n)), width_(n_ + 1), single_root_(single_root), arcs_(arcs), q_(width_),
        marginals_(marginals) {}

  bool run() {
    std::vector<std::size_t> words(n_);
    for (std::size_t d = 0; d < n_; ++d) words[d] = d + 1;
    return split(words, arcs_);
  }
  double log_sum() const { return log_sum_; }

 private:
  struct Eliminated {
    std::size_t word;
    Number pivot;
    std::vector<std::size_t> others;  // the words that were left
    std::vector<Number> row;          // arcs to them, and last the one to the root
  };

  bool split(const std::vector<std::size_t>& words, const std::vector<Number>& arcs) {
    if (words.size() == 1) return leaf(words[0], arcs[(words[0] - 1) * width_]);
    const auto middle = words.begin() + static_cast<std::ptrdiff_t>(words.size() / 2);
    const std::vector<std::size_t> first(words.begin(), middle), second(middle, words.end());
    for (const auto& [kept, gone] : {std::pair(&first, &second), std::pair(&second, &first)}) {
      std::vector<Number> reduced = arcs;
      std::vector<std::size_t> left = words;
      for (const std::size_t word : *gone)
        if (!eliminate(word, left, reduced)) return false;
      if (!split(*kept, reduced)) return false;
      passed_.resize(passed_.size() - gone->size());
    }
    return true;
  }

  bool eliminate(std::size_t word, std::vector<std::size_t>& left, std::vector<Number>& arcs) {
    left.erase(std::find(left.begin(), left.end(), word));
    const Number* row = arcs.data() + (word - 1) * width_;
    Eliminated gone{word, single_root_ ? Number{} : row[0], left, {}};
    for (const std::size_t h : left) {
      gone.row.push_back(row[h]);
      gone.pivot = gone.pivot + row[h];
    }
    gone.row.push_back(row[0]);
    if (!in_range(gone.pivot)) return false;
    for (const std::size_t d : left) {
      Number* arc = arcs.data() + (d - 1) * width_;
      const Number share = arc[word] / gone.pivot;
      for (std::size_t k = 0; k < left.size(); ++k) arc[left[k]] = arc[left[k]] + share * gone.row[k];
      arc[0] = arc[0] + share * gone.row.back();
    }
    passed_.push_back(std::move(gone));
    return true;
  }

  bool leaf(std::size_t word, Number rest) {
    if (!in_range(rest)) return false;
    q_[word] = Number{};
    log_sum_ = log_of(rest);
    for (auto gone = passed_.rbegin(); gone != passed_.rend(); ++gone) {
      Number sum = gone->row.back();
      for (std::size_t k = 0; k < gone->others.size(); ++k) sum = sum + gone->row[k] * q_[gone->others[k]];
      q_[gone->word] = sum / gone->pivot;
      log_sum_ += log_of(gone->pivot);
    }
    q_[0] = from_log<Number>(0.0);
    const Number* row = arcs_.data() + (word - 1) * width_;
    double* into = marginals_.data() + (word - 1) * width_;
    for (std::size_t h = 0; h < width_; ++h)
      into[h] = h == word ? 0.0 : std::exp(log_of(row[h]) + log_of(q_[h]) - log_of(rest));
    return true;
  }

  std::size_t n_, width_;
  bool single_root_;
  const std::vector<Number>& arcs_;
  std::vector<Eliminated> passed_;
  std::vector<Number> q_;
  std::span<double> marginals_;
  double log_sum_ = 0.0;
};

template <class Number>
bool sums(const std::vector<double>& scores, std::int32_t n, bool single_root, std::span<double> marginals,
          double& log_sum) {
  std::vector<Number> arcs(scores.size());
  for (std::size_t k = 0; k < scores.size(); ++k) arcs[k] = from_log<Number>(scores[k]);
  Elimination<Number> elimination(arcs, n, single_root, marginals);
  if (!elimination.run()) return false;
  log_sum = elimination.log_sum();
  return true;
}

}  // namespace

double spanning_tree_sums(std::span<const double> scores, std::int32_t n, bool single_root,
                          std::span<double> marginals) {
  const auto words = static_cast<std::size_t>(n), width = words + 1;
  std::vector<double> relative(scores.begin(), scores.end());
  double shift = 0.0, lowest = 0.0, log_sum = 0.0;
  for (std::size_t d = 1; d <= words; ++d) {
    double* row = relative.data() + (d - 1) * width;
    row[d] = -kInfinity;
    const double high = *std::max_element(row, row + width);
    if (high == -kInfinity) {
      std::fill(marginals.begin(), marginals.end(), 0.0);
      return -kInfinity;
    }
    shift += high;
    for (std::size_t h = 0; h < width; ++h) {
      row[h] -= high;
      if (row[h] > -kInfinity) lowest = std::min(lowest, row[h]);
    }
  }
  if (sums<double>(relative, n, single_root, marginals, log_sum)) return shift + log_sum;
  // An absent arc becomes one that no tree has if it can do without: elimination needs a way out of every word.
  const double tree = static_cast<double>(n) * lowest, absent = tree - 1000.0;
  for (std::size_t d = 1; d <= words; ++d)
    for (std::size_t h = 0; h < width; ++h) {
      double& score = relative[(d - 1) * width + h];
      if (h != d && score == -kInfinity) score = absent;
    }
  if (!sums<LogNumber>(relative, n, single_root, marginals, log_sum) || log_sum < tree - 500.0) {
    std::fill(marginals.begin(), marginals.end(), 0.0);
    return -kInfinity;
  }
  return shift + log_sum;
}

}  // namespace maxmargin
