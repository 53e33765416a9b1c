// The best label vector at each value of the loss (labels/forest.hpp): a label vector is in the stratum (a, b), and
//   errors   a is the sum of the units of the wrong labels, b is 0
//   counts   a is the number of labels missed, b that of wrong labels set
//   second   a is 1 for every vector but the truth, b is 0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/labels/forest.hpp"

namespace maxmargin {

class BestByStratum {
 public:
  BestByStratum(const LabelForest& forest, const LabelLoss& loss) : forest_(&forest), loss_(&loss), first_(forest.order.size()) {}

  void run(const LabelScores& scores, const std::uint8_t* truth) {
    scores_ = &scores;
    truth_ = truth;
    tables_.clear();
    values_.clear();
    run_up(*forest_, *this);
  }

  void begin(int node) {
    first_[node] = static_cast<int>(tables_.size());
    if (node == forest_->root) {
      values(push(1, 1, 1))[0] = 0.0;
      return;
    }
    const bool counts = loss_->goal == LabelGoal::counts, true_label = truth_[node] != 0;
    const int units = loss_->goal == LabelGoal::errors ? loss_->unit(node, true_label) : 1;
    const int most_a = counts && !true_label ? 0 : units, most_b = counts && !true_label ? 1 : 0;
    const Table& table = push(2, most_a + 1, most_b + 1);
    double* cells = values(table);
    const double set = scores_->gain[node];
    cells[true_label ? table.size() : 0] = true_label ? set : 0.0;                // right: stratum (0, 0)
    cells[(true_label ? 1 : 2) * table.size() - 1] = true_label ? 0.0 : set;      // wrong: the last stratum
    if (table.size() == 1) cells[0] = 0.0, cells[1] = set;                        // a mistake that costs nothing
  }

  void absorb(int node, int child) {
    const Table before = tables_.back(), below = last(child);
    const bool capped = loss_->goal == LabelGoal::second;
    const int most_a = before.a + below.a - 1;
    const Table next = push(before.states, capped ? std::min(2, most_a) : most_a, before.b + below.b - 1);
    message_.resize(static_cast<std::size_t>(below.size()));
    for (int y = 0; y < next.states; ++y) {
      send(child, below, y == 1);
      const double* from = values(before) + y * before.size();
      double* into = values(next) + y * next.size();
      for (int a = 0; a < before.a; ++a) {
        for (int below_a = 0; below_a < below.a; ++below_a) {
          double* row = into + std::min(a + below_a, next.a - 1) * next.b;
          for (int b = 0; b < before.b; ++b) {
            const double base = from[a * before.b + b];
            if (base == kNever) continue;
            const double* added = message_.data() + below_a * below.b;
            for (int below_b = 0; below_b < below.b; ++below_b) row[b + below_b] = std::max(row[b + below_b], base + added[below_b]);
          }
        }
      }
    }
  }

  // Strata there are, and the best score in one of them; minus infinity where it is empty.
  int a_count() const { return tables_.back().a; }
  int b_count() const { return tables_.back().b; }
  double score(int a, int b) const { return values(tables_.back())[a * tables_.back().b + b]; }

  // The label vector that has that score.
  void labels(int a, int b, std::uint8_t* y) { trace(forest_->root, 0, a, b, y); }

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  struct Table {
    int states, a, b;   // (states, a, b) cells
    std::size_t place;  // in values_
    int size() const { return a * b; }
  };

  const Table& push(int states, int a, int b) {
    tables_.push_back({states, a, b, values_.size()});
    values_.resize(values_.size() + static_cast<std::size_t>(states) * a * b, kNever);
    return tables_.back();
  }
  double* values(const Table& table) { return values_.data() + table.place; }
  const double* values(const Table& table) const { return values_.data() + table.place; }
  const Table& last(int node) const { return tables_[static_cast<std::size_t>(first_[node]) + forest_->children(node).size()]; }

  // What a child offers to a parent in a state: its better value, in each stratum.
  void send(int child, const Table& below, bool parent_on) {
    const double bonus = parent_on && forest_->pair[child] >= 0 ? scores_->pairs[forest_->pair[child]] : 0.0;
    const double* off = values(below);
    const double* on = off + below.size();
    for (int cell = 0; cell < below.size(); ++cell) message_[cell] = std::max(off[cell], on[cell] + bonus);
  }

  // Which strata of the node before and of the child explain a value: the same sums as above give the same numbers.
  void trace(int node, int own, int a, int b, std::uint8_t* y) {
    if (node != forest_->root) y[node] = static_cast<std::uint8_t>(own);
    const auto children = forest_->children(node);
    for (std::size_t c = children.size(); c-- > 0;) {
      const Table& before = tables_[static_cast<std::size_t>(first_[node]) + c];
      const Table& after = tables_[static_cast<std::size_t>(first_[node]) + c + 1];
      const Table& below = last(children[c]);
      const double wanted = values(after)[own * after.size() + a * after.b + b];
      message_.resize(static_cast<std::size_t>(below.size()));
      send(children[c], below, own == 1);
      const Split split = find(before, below, after, own, a, b, wanted);
      const double off = values(below)[split.below_a * below.b + split.below_b];
      const int below_y = message_[split.below_a * below.b + split.below_b] > off ? 1 : 0;
      trace(children[c], below_y, split.below_a, split.below_b, y);
      a = split.a;
      b = b - split.below_b;
    }
  }

  struct Split {
    int a, below_a, below_b;
  };
  Split find(const Table& before, const Table& below, const Table& after, int own, int a, int b, double wanted) const {
    const double* from = values(before) + own * before.size();
    for (int before_a = 0; before_a < before.a; ++before_a) {
      for (int below_a = 0; below_a < below.a; ++below_a) {
        if (std::min(before_a + below_a, after.a - 1) != a) continue;
        for (int below_b = std::max(0, b - before.b + 1); below_b <= std::min(b, below.b - 1); ++below_b) {
          if (from[before_a * before.b + b - below_b] + message_[below_a * below.b + below_b] == wanted) return {before_a, below_a, below_b};
        }
      }
    }
    return {0, 0, 0};  // never: `wanted` is one of these sums
  }

  const LabelForest* forest_;
  const LabelLoss* loss_;
  const LabelScores* scores_ = nullptr;
  const std::uint8_t* truth_ = nullptr;
  std::vector<int> first_;  // table of each node alone; one more for each child, in order
  std::vector<Table> tables_;
  std::vector<double> values_, message_;
};

}  // namespace maxmargin
