// Planes of trees for the dual engine (engine/plane_block.hpp): rows of numbers, with the tree that they came from; and the most violated tree
// of one sentence after the other, for engine/questions.hpp. A tree is written as the number of its rules, and four numbers per rule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/engine/questions.hpp"
#include "maxmargin/engine/stored_planes.hpp"
#include "maxmargin/grammars/search.hpp"

namespace maxmargin::grammars {

struct TreePlane {
  StoredPlane row;
  double b = 0.0;
  std::vector<std::int32_t> output;  // empty for a mean of several
};

inline std::vector<std::int32_t> written(std::span<const Anchored> tree) {
  std::vector<std::int32_t> numbers{static_cast<std::int32_t>(tree.size())};
  for (const Anchored& each : tree) numbers.insert(numbers.end(), {each.rule, each.start, each.split, each.end});
  return numbers;
}
inline std::vector<Anchored> read_tree(const std::int32_t* numbers) {
  std::vector<Anchored> tree;
  for (std::int32_t k = 0; k < numbers[0]; ++k) tree.push_back({numbers[1 + 4 * k], numbers[2 + 4 * k], numbers[3 + 4 * k], numbers[4 + 4 * k]});
  return tree;
}

// scale * (Psi(truth) - Psi(tree)); both are sorted, and what is in both is left out.
inline TreePlane make_plane(const TreeProblem& problem, std::int64_t i, std::span<const Anchored> tree) {
  std::vector<Bracket> room;
  const Rescaled plane = problem.rescaled(i, tree, room);
  std::vector<std::pair<std::int64_t, double>> cells;
  const auto add = [&](const Anchored& each, double sign) {
    problem.targets->sentences->visit_features(i, each, [&](std::int64_t at, double x) { cells.emplace_back(at, sign * x); });
  };
  std::vector<Anchored> only;
  const std::span<const Anchored> truth = problem.targets->truth(i);
  std::ranges::set_difference(truth, tree, std::back_inserter(only));
  for (const Anchored& each : only) add(each, plane.scale);
  only.clear();
  std::ranges::set_difference(tree, truth, std::back_inserter(only));
  for (const Anchored& each : only) add(each, -plane.scale);
  std::ranges::sort(cells, {}, &std::pair<std::int64_t, double>::first);
  TreePlane made;
  made.b = made.row.b = plane.b;
  made.output = written(tree);
  for (std::size_t k = 0; k < cells.size();) {
    const std::int64_t at = cells[k].first;
    double sum = 0.0;
    for (; k < cells.size() && cells[k].first == at; ++k) sum += cells[k].second;
    if (sum == 0.0) continue;
    made.row.index.push_back(static_cast<std::int32_t>(at));
    made.row.value.push_back(sum);
  }
  return made;
}

class TreePlanes {
 public:
  using Plane = TreePlane;
  static constexpr bool kCoarse = false;

  TreePlanes(const TreeProblem& problem, double beam) : problem_(problem), searcher_(problem, beam), rows_(problem.targets->sentences->weights) {}

  std::int64_t weight_count() const { return problem_.targets->sentences->weights; }
  void prefetch(std::int64_t) const {}
  void prefetch_early(std::int64_t) const {}

  void select(std::int64_t i) { current_ = i; }
  void open(std::int64_t i, const double* weights) { current_ = i, weights_ = weights; }
  double value(const Plane& plane) const { return plane.b - plane.row.dot(weights_); }
  std::optional<Plane> ask(const std::vector<Plane>&) {
    if (!searcher_.find(current_, weights_, 1.0, found_)) return std::nullopt;
    return make_plane(problem_, current_, found_);
  }
  bool same(const Plane& p, const Plane& q) const { return !p.output.empty() && p.output == q.output; }
  bool nearly_same(const Plane& p, const Plane& q, double squares, double product) const { return rows_.nearly_same(p.row, q.row, squares, product); }
  void products(const Plane& plane, const std::vector<Plane>& others, double* out) const {
    for (const Plane& other : others) *out++ = plane.row.dot(other.row);
    *out = plane.row.dot(plane.row);
  }
  Plane mix(const Plane& p, const Plane& q, double share) {
    Plane mixed{rows_.mix(p.row, q.row, share), 0.0, {}};
    mixed.b = mixed.row.b;
    return mixed;
  }
  void collect(std::int64_t i, const Plane& plane, double c) { rows_.collect(i, plane.row, c); }
  void flush(std::int64_t i, double* weights) { rows_.flush(i, weights); }

 private:
  TreeProblem problem_;
  TreeSearcher searcher_;
  StoredPlanes rows_;
  std::int64_t current_ = 0;
  const double* weights_ = nullptr;
  std::vector<Anchored> found_;
};

class TreeAsker {
 public:
  using Output = std::int32_t;
  static constexpr int kAhead = 0;
  static constexpr bool kCollects = true;

  TreeAsker(const TreeProblem& problem, double beam) : problem_(problem), searcher_(problem, beam) {}

  std::int64_t weight_count() const { return problem_.targets->sentences->weights; }
  void prefetch(std::int64_t) const {}

  void at(const double* weights, double factor) { weights_ = weights, factor_ = factor; }
  bool ask(std::int64_t i) {
    if (!searcher_.find(i, weights_, factor_, tree_)) return false;
    plane_ = make_plane(problem_, i, tree_);
    b = plane_.b;
    slack = b - factor_ * plane_.row.dot(weights_);
    return true;
  }
  bool ask_first(std::int64_t i) { return ask(i); }

  std::span<const std::int32_t> found() const { return plane_.output; }
  std::span<const std::int32_t> truth(std::int64_t i) const {
    truth_ = written(problem_.targets->truth(i));
    return truth_;
  }
  void add(std::int64_t i, const std::int32_t* y, double c, double* v) { make_plane(problem_, i, read_tree(y)).row.add_to(v, c); }
  std::int64_t missed() const { return searcher_.missed(); }

  double slack = 0.0, b = 0.0;
  static constexpr double scale = 1.0;  // planes are added with their scale

 private:
  TreeProblem problem_;
  TreeSearcher searcher_;
  const double* weights_ = nullptr;
  double factor_ = 1.0;
  std::vector<Anchored> tree_;
  TreePlane plane_;
  mutable std::vector<std::int32_t> truth_;
};

}  // namespace maxmargin::grammars
