// The best label vector where pairs make cycles and labels are too many to list: branch and bound.
//
// Three things keep the tree small. A label whose gain is settled whatever the others do is decided at once. A bound by the
// number of labels set, good where most pairs are negative (labels that exclude each other): of m labels each meets at most
// its m - 1 best partners. And where many pairs are positive, roof duality (Hammer, Hansen and Simeone 1984; Boros and Hammer
// 2002): the linear relaxation is a maximum flow between the literals y_k and 1 - y_k, which is a bound, and a literal that
// the source still reaches is 1 in every best vector. Few open labels are listed, else the one of largest gain is tried both ways.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "maxmargin/labels/flow.hpp"
#include "maxmargin/labels/list.hpp"
#include "maxmargin/labels/labels.hpp"

namespace maxmargin {

class LabelBranch {
 public:
  explicit LabelBranch(const LabelShape& shape)
      : shape_(&shape), matrix_(static_cast<std::size_t>(shape.labels) * shape.labels), y_(static_cast<std::size_t>(shape.labels)), best_y_(y_), is_open_(y_.size()) {}

  // Forgets what was found. `scores` must stay while it is searched.
  void start(const LabelScores& scores) {
    scores_ = &scores;
    best_ = -std::numeric_limits<double>::infinity();
    double size = 0.0;
    for (int k = 0; k < shape_->labels; ++k) size += std::abs(scores.gain[k]);
    for (int p = 0; p < shape_->pair_count; ++p) {
      const int j = shape_->first(p), k = shape_->second(p);
      at(j, k) = at(k, j) = scores.pairs[p];
      size += std::abs(scores.pairs[p]);
    }
    rounding_ = 1e-13 * size;
    partners_.clear();
  }

  // Takes a vector as the best so far where it is.
  void offer(const std::uint8_t* y) {
    const double score = (*scores_)(y);
    if (score > best_) best_ = score, std::copy_n(y, best_y_.size(), best_y_.begin());
  }

  // Looks for a better vector among those that agree with `fixed` (0 or 1; -1 leaves a label open). False where it gave
  // up after so many nodes of the tree, so that there may be a better one still.
  bool improve(const std::int8_t* fixed, std::int64_t most_nodes) {
    std::vector<int> open;
    std::vector<double> gain;
    double base = 0.0;
    for (int k = 0; k < shape_->labels; ++k) {
      y_[k] = fixed[k] == 1;
      double sum = scores_->gain[k];
      for (int j = 0; j < shape_->labels; ++j) sum += fixed[j] == 1 && (j < k || fixed[k] < 0) ? at(j, k) : 0.0;
      if (fixed[k] == 1) base += sum;
      if (fixed[k] < 0) open.push_back(k), gain.push_back(sum);
    }
    nodes_ = 0;
    most_nodes_ = most_nodes;
    climb(open, gain, base);
    branch(std::move(open), std::move(gain), base);
    return nodes_ <= most_nodes_;
  }

  std::int64_t nodes() const { return nodes_; }  // of the last search
  double best() const { return best_; }
  const std::uint8_t* labels() const { return best_y_.data(); }

 private:
  static constexpr int kFewOpen = 8;

  double& at(int j, int k) { return matrix_[static_cast<std::size_t>(j) * shape_->labels + k]; }

  void found(double score) {
    if (score > best_) best_ = score, best_y_ = y_;
  }

  // From no label set, the best change after the other as long as one is better.
  void climb(const std::vector<int>& open, std::vector<double> gain, double score) {
    for (std::size_t i = 0; i < open.size(); ++i) y_[open[i]] = 0;
    for (;;) {
      std::size_t change = open.size();
      double most = rounding_;
      for (std::size_t i = 0; i < open.size(); ++i) {
        const double better = y_[open[i]] ? -gain[i] : gain[i];
        if (better > most) most = better, change = i;
      }
      if (change == open.size()) break;
      std::uint8_t& label = y_[open[change]];
      label = !label;
      score += most;
      for (std::size_t i = 0; i < open.size(); ++i) gain[i] += (label ? 1.0 : -1.0) * at(open[change], open[i]);
    }
    found(score);
  }

  // Over the labels in `open`, whose gains count the labels that are decided; those give `base`.
  void branch(std::vector<int> open, std::vector<double> gain, double base) {
    settle(open, gain, base);
    if (open.size() > kFewOpen) {
      if (++nodes_ > most_nodes_ || base + by_number(open, gain) <= best_ + rounding_) return;
      if (attract(open)) {
        if (base + relax(open, gain) <= best_ + rounding_) return;
        for (std::size_t i = open.size(); i-- > 0;) {  // from the end: the last open label takes the place of one decided
          const bool on = flow_.reached(2 * static_cast<int>(i)), off = flow_.reached(2 * static_cast<int>(i) + 1);
          if (on || off) decide(open, gain, base, i, on);
        }
        settle(open, gain, base);
      }
    }
    if (open.size() <= kFewOpen) {
      list(open, gain, base);
      return;
    }
    const auto chosen = static_cast<std::size_t>(std::max_element(gain.begin(), gain.end()) - gain.begin());
    for (const bool on : {gain[chosen] > 0.0, gain[chosen] <= 0.0}) {
      std::vector<int> rest = open;
      std::vector<double> rest_gain = gain;
      double rest_base = base;
      decide(rest, rest_gain, rest_base, chosen, on);
      branch(std::move(rest), std::move(rest_gain), rest_base);
    }
  }

  void decide(std::vector<int>& open, std::vector<double>& gain, double& base, std::size_t i, bool on) {
    const int label = std::exchange(open[i], open.back());
    const double own = std::exchange(gain[i], gain.back());
    open.pop_back();
    gain.pop_back();
    y_[label] = on;
    if (!on) return;
    base += own;
    for (std::size_t j = 0; j < open.size(); ++j) gain[j] += at(label, open[j]);
  }

  // Decides the labels that no choice of the others can make worth setting, or worth leaving.
  void settle(std::vector<int>& open, std::vector<double>& gain, double& base) {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < open.size();) {
        double most = gain[i], least = gain[i];
        for (int other : open) most += std::max(0.0, at(open[i], other)), least += std::min(0.0, at(open[i], other));
        if (most > 0.0 && least < 0.0) {
          ++i;
          continue;
        }
        decide(open, gain, base, i, least >= 0.0);
        again = true;
      }
    }
  }

  // Whether pairs that attract each other weigh enough for a flow to be worth its time.
  bool attract(const std::vector<int>& open) {
    double positive = 0.0, total = 0.0;
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        positive += std::max(0.0, at(open[i], open[j]));
        total += std::abs(at(open[i], open[j]));
      }
    }
    return positive > 0.1 * total;
  }

  // An upper bound of what the open labels can add, by their number m: the sum of the m largest gains, each with half the
  // scores of the label's m - 1 best partners.
  double by_number(const std::vector<int>& open, const std::vector<double>& gain) {
    if (partners_.empty()) rank_partners();
    const std::size_t count = open.size();
    std::fill(is_open_.begin(), is_open_.end(), std::uint8_t{0});
    for (int label : open) is_open_[label] = 1;
    few_.resize(count * count);  // (m, label): a column is a label's partners, best first
    for (std::size_t i = 0; i < count; ++i) {
      const int* partner = partners_.data() + static_cast<std::size_t>(open[i]) * shape_->labels;
      for (std::size_t found = 0; found + 1 < count; ++partner) {
        few_[found * count + i] = at(open[i], *partner);
        found += is_open_[*partner];
      }
    }
    linear_ = gain;
    double bound = 0.0;
    for (std::size_t m = 1; m <= count; ++m) {
      double above = 0.0;
      for (std::size_t i = 0; i < count; ++i) {
        if (m > 1) linear_[i] += 0.5 * few_[(m - 2) * count + i];
        above += std::max(0.0, linear_[i]);
      }
      if (above <= bound) continue;
      ranked_ = linear_;
      std::nth_element(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(m) - 1, ranked_.end(), std::greater<>());
      bound = std::max(bound, std::accumulate(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(m), 0.0));
    }
    return bound;
  }

  // The other labels of each label, those of largest pair score first; itself comes last.
  void rank_partners() {
    const int labels = shape_->labels;
    partners_.resize(matrix_.size());
    for (int k = 0; k < labels; ++k) {
      int* row = partners_.data() + static_cast<std::size_t>(k) * labels;
      std::iota(row, row + labels, 0);
      std::swap(row[k], row[labels - 1]);
      std::sort(row, row + labels - 1, [&](int a, int b) { return at(k, a) > at(k, b); });
    }
  }

  void list(const std::vector<int>& open, const std::vector<double>& gain, double base) {
    const std::size_t count = open.size();
    few_.resize(count * count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) few_[i * count + j] = at(open[i], open[j]);
    }
    list_.run(static_cast<int>(count), gain.data(), few_.data());
    const std::uint32_t best = list_.best();
    for (std::size_t i = 0; i < count; ++i) y_[open[i]] = best >> i & 1u;
    found(base + list_.scores[best]);
  }

  // The other bound. Node 2 i of the flow is the literal y of the i-th, 2 i + 1 its opposite,
  // then come the constants 1 and 0; a term c p q of -F, all c being positive, is two arcs of capacity c, from p to the
  // opposite of q and from q to that of p. Every unit of flow raises the bound of -F by one half.
  double relax(const std::vector<int>& open, const std::vector<double>& gain) {
    const int count = static_cast<int>(open.size()), one = 2 * count, zero = one + 1;
    flow_.reset(2 * count + 2, 1e-3 * rounding_);
    linear_.assign(gain.size(), 0.0);
    for (int i = 0; i < count; ++i) linear_[i] -= gain[i];
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < i; ++j) {
        const double pair = at(open[i], open[j]);
        if (pair < 0.0) {
          flow_.add(2 * i, 2 * j + 1, -pair, 0.0);
          flow_.add(2 * j, 2 * i + 1, -pair, 0.0);
        } else if (pair > 0.0) {  // -pair p q = -pair / 2 (p + q) + pair / 2 (p (1 - q) + (1 - p) q)
          linear_[i] -= 0.5 * pair;
          linear_[j] -= 0.5 * pair;
          flow_.add(2 * i, 2 * j, 0.5 * pair, 0.5 * pair);
          flow_.add(2 * i + 1, 2 * j + 1, 0.5 * pair, 0.5 * pair);
        }
      }
    }
    double constant = 0.0;
    for (int i = 0; i < count; ++i) {
      const int literal = linear_[i] > 0.0 ? 2 * i : 2 * i + 1;
      constant += std::min(0.0, linear_[i]);
      flow_.add(literal, zero, std::abs(linear_[i]), 0.0);
      flow_.add(one, literal ^ 1, std::abs(linear_[i]), 0.0);
    }
    return -constant - 0.5 * flow_.run(one, zero);
  }

  const LabelShape* shape_;
  const LabelScores* scores_ = nullptr;
  std::vector<double> matrix_;  // pair scores, symmetric
  double rounding_ = 0.0, best_ = 0.0;
  std::vector<std::uint8_t> y_, best_y_;
  std::int64_t nodes_ = 0, most_nodes_ = 0;
  FlowGraph flow_;
  ScoreList list_;
  std::vector<double> linear_, few_, ranked_;
  std::vector<int> partners_;  // (labels, labels), or empty
  std::vector<std::uint8_t> is_open_;
};

}  // namespace maxmargin
