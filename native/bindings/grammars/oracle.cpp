#include "engine/descent.hpp"
#include "engine/questions.hpp"
#include "engine/states.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "grammars/grammars.hpp"
#include "hashing.hpp"
#include "maxmargin/grammars/likelihood.hpp"
#include "maxmargin/grammars/planes.hpp"

namespace maxmargin::bindings {
namespace {

using grammars::Anchored;
using grammars::TreeGoal;
using grammars::TreeTargets;

struct PyTreeTargets {
  TreeTargets targets;
  nb::object kept;

  std::int64_t n() const { return targets.sentences->n(); }
};

void make_targets(PyTreeTargets* self, nb::object sentences, In1<std::int64_t> first, In2<std::int32_t> rules) {
  TreeTargets targets;
  targets.sentences = &nb::cast<const PySentences&>(sentences).sentences;
  if (rules.shape(1) != 4) throw nb::value_error("rules at their places have four numbers");
  targets.first = checked_offsets(first, targets.sentences->n(), rules.shape(0), "first rules");
  const auto* rows = reinterpret_cast<const Anchored*>(rules.data());
  targets.truths.assign(rows, rows + rules.shape(0));
  targets.first_bracket.push_back(0);
  std::vector<grammars::Bracket> own;
  for (std::int64_t i = 0; i < targets.sentences->n(); ++i) {
    const std::span<Anchored> tree{targets.truths.data() + targets.first[static_cast<std::size_t>(i)],
                                   targets.truths.data() + targets.first[static_cast<std::size_t>(i) + 1]};
    if (!grammars::is_derivation(*targets.sentences, i, tree)) throw nb::value_error(("The rules of example " + std::to_string(i) + " do not derive its sentence.").c_str());
    std::ranges::sort(tree);
    targets.brackets_of(tree, own);
    targets.brackets.insert(targets.brackets.end(), own.begin(), own.end());
    targets.first_bracket.push_back(std::ssize(targets.brackets));
  }
  new (self) PyTreeTargets{std::move(targets), sentences};
}

// The squared length of the features of rules at their places.
double squared_length(const grammars::Sentences& sentences, std::int64_t i, std::span<const Anchored> tree) {
  std::vector<std::pair<std::int64_t, double>> cells;
  for (const Anchored& each : tree) sentences.visit_features(i, each, [&](std::int64_t at, double x) { cells.emplace_back(at, x); });
  std::ranges::sort(cells);
  double total = 0.0;
  for (std::size_t k = 0; k < cells.size();) {
    const std::int64_t at = cells[k].first;
    double sum = 0.0;
    for (; k < cells.size() && cells[k].first == at; ++k) sum += cells[k].second;
    total += sum * sum;
  }
  return total;
}

// (rules in the true trees, sum of the squared lengths of their features), each as often as its sentence counts.
nb::tuple moments(const PyTreeTargets& self, std::optional<In1<double>> sample_weight) {
  double rules = 0.0, squares = 0.0;
  for (std::int64_t i = 0; i < self.n(); ++i) {
    const double weight = sample_weight ? sample_weight->data()[i] : 1.0;
    for (const Anchored& each : self.targets.truth(i)) {
      rules += weight;
      squares += weight * squared_length(*self.targets.sentences, i, {&each, 1});
    }
  }
  return nb::make_tuple(rules, squares);
}

// The scores of the true trees at w.
std::vector<double> true_scores(const PyTreeTargets& self, const double* weights) {
  std::vector<double> scores;
  for (std::int64_t i = 0; i < self.n(); ++i) {
    double sum = 0.0;
    for (const Anchored& each : self.targets.truth(i)) sum += self.targets.sentences->score(i, each, weights);
    scores.push_back(sum);
  }
  return scores;
}

double steepness(const PyTreeTargets& self) {
  double most = 0.0;
  for (std::int64_t i = 0; i < self.n(); i += std::max<std::int64_t>(1, self.n() / 100)) {
    most = std::max(most, squared_length(*self.targets.sentences, i, self.targets.truth(i)));
  }
  return most;
}

TreeGoal goal_named(const std::string& name) {
  if (name == "augmented") return TreeGoal::augmented;
  if (name == "guesses") return TreeGoal::guesses;
  if (name == "totals") return TreeGoal::totals;
  if (name == "second") return TreeGoal::second;
  if (name == "prediction") return TreeGoal::prediction;
  throw nb::value_error("goal must be 'augmented', 'guesses', 'totals', 'second' or 'prediction'");
}

// Targets and a formulation, as engine/questions.hpp and engine/states.hpp of the bindings want them.
struct PyTreeOracle {
  using Store = grammars::TreePlanes;
  using Output = std::int32_t;

  grammars::TreeLoss loss;
  const TreeTargets* targets;
  double beam;
  nb::object kept;

  grammars::TreeProblem problem() const { return {targets, &loss}; }
  std::int64_t n() const { return targets->sentences->n(); }
  std::int64_t weight_count() const { return targets->sentences->weights; }
  grammars::TreeAsker asker(std::int64_t) const { return {problem(), beam}; }
  Store store() const { return {problem(), beam}; }

  std::size_t output_size(std::int64_t i, std::span<const std::int32_t> left) const {
    if (left.empty() || left[0] < 0 || static_cast<std::size_t>(left[0]) * 4 >= left.size()) throw nb::value_error("outputs are too short");
    const std::vector<Anchored> tree = grammars::read_tree(left.data());
    if (!std::ranges::is_sorted(tree) || !grammars::is_derivation(*targets->sentences, i, tree)) throw nb::value_error("an output is no tree of its sentence");
    return 1 + 4 * tree.size();
  }
  bool is_label(std::int32_t) const { return true; }
  std::optional<grammars::TreePlane> plane_of(std::int64_t i, const std::int32_t* y) const {
    const std::vector<Anchored> tree = grammars::read_tree(y);
    if (std::ranges::equal(tree, targets->truth(i))) return std::nullopt;
    return grammars::make_plane(problem(), i, tree);
  }
  std::vector<std::pair<std::int64_t, double>> row_of(std::int64_t, const grammars::TreePlane& plane) const {
    std::vector<std::pair<std::int64_t, double>> row;
    for (std::size_t k = 0; k < plane.row.value.size(); ++k) row.emplace_back(plane.row.index[k], plane.row.value[k]);
    return row;
  }
  bool write_output(std::int64_t, const grammars::TreePlane& plane, std::vector<std::int32_t>& into) const {
    into.insert(into.end(), plane.output.begin(), plane.output.end());
    return !plane.output.empty();
  }
};

void make_oracle(PyTreeOracle* self, nb::object targets, const std::string& goal, double guess, double hit, In1<double> margin, In1<double> scale,
                 In1<std::int64_t> first, In1<std::int64_t> guesses, std::optional<double> beam) {
  const TreeTargets& own = nb::cast<const PyTreeTargets&>(targets).targets;
  grammars::TreeLoss loss{goal_named(goal), guess, hit, {margin.data(), margin.data() + margin.size()}, {scale.data(), scale.data() + scale.size()},
                          {first.data(), first.data() + first.size()}, {guesses.data(), guesses.data() + guesses.size()}};
  const auto n = static_cast<std::size_t>(own.sentences->n());
  if (first.size() != n || guesses.size() != n || margin.size() != scale.size() || margin.size() == 0) throw nb::value_error("tables do not fit");
  if (std::ranges::any_of(loss.first, [&](std::int64_t at) { return at < 0 || at >= std::ssize(loss.margin); })) throw nb::value_error("tables do not fit");
  new (self) PyTreeOracle{std::move(loss), &own, beam.value_or(grammars::Chart::kNoBeam), targets};
}

}  // namespace

void bind_tree_oracle(nb::module_& module) {
  nb::class_<PyTreeTargets> targets(module, "TreeTargets", "True trees of sentences; see grammars/targets.hpp.");
  add_descent(
      targets, [](const PyTreeTargets& self) { return self.targets.sentences->weights; },
      [](const PyTreeTargets& self, const double* sample_weight, std::span<const std::int32_t> order, const StepSizes& sizes, ScaledWeights& weights) {
        return grammars::descend_trees(self.targets, sample_weight, order, sizes, weights);
      });
  targets.def("__init__", &make_targets, nb::arg("sentences"), nb::arg("first").noconvert(), nb::arg("rules").noconvert())
      .def(
          "likelihood",
          [](const PyTreeTargets& self, In1<double> weights, std::optional<In1<double>> sample_weight, std::int64_t first, std::int64_t last,
             std::optional<InOut1<double>> gradient, int threads) {
            const std::int64_t size = self.targets.sentences->weights;
            if (static_cast<std::int64_t>(weights.size()) != size || (gradient && static_cast<std::int64_t>(gradient->size()) != size)) {
              throw nb::value_error("weights have the wrong length");
            }
            if (sample_weight && static_cast<std::int64_t>(sample_weight->size()) != self.n()) throw nb::value_error("one weight per example is needed");
            if (first < 0 || last < first || last > self.n()) throw nb::index_error("no such example");
            nb::gil_scoped_release release;
            return grammars::tree_likelihood(self.targets, weights.data(), optional_data(sample_weight), first, last, gradient ? gradient->data() : nullptr, threads);
          },
          nb::arg("weights").noconvert(), nb::arg("sample_weight").noconvert().none(), nb::arg("first"), nb::arg("last"), nb::arg("gradient").noconvert().none(),
          nb::arg("threads"), "The negative log-likelihood of the sentences first to last - 1; adds its gradient.")
      .def(
          "brackets",
          [](const PyTreeTargets& self) {
            std::vector<std::int64_t> counts;
            for (std::int64_t i = 0; i < self.n(); ++i) counts.push_back(std::ssize(self.targets.gold(i)));
            return take(std::move(counts));
          },
          "How many brackets each true tree has.")
      .def(
          "counts",
          [](const PyTreeTargets& self, In1<std::int64_t> first, In2<std::int32_t> rules) {
            if (rules.shape(1) != 4) throw nb::value_error("rules at their places have four numbers");
            const std::vector<std::int64_t> offsets = checked_offsets(first, self.n(), rules.shape(0), "first rules");
            const auto* rows = reinterpret_cast<const Anchored*>(rules.data());
            std::vector<std::int64_t> found;
            std::vector<grammars::Bracket> room;
            for (std::int64_t i = 0; i < self.n(); ++i) {
              std::vector<Anchored> tree(rows + offsets[static_cast<std::size_t>(i)], rows + offsets[static_cast<std::size_t>(i) + 1]);
              for (const Anchored& each : tree) {
                if (each.rule < 0 || each.rule >= self.targets.sentences->rules->rules()) throw nb::index_error("no such rule");
              }
              std::ranges::sort(tree);
              const grammars::BracketCounts counts = self.targets.counts(i, tree, room);
              found.insert(found.end(), {counts.hits, counts.guesses, std::ranges::equal(tree, self.targets.truth(i))});
            }
            return take(std::move(found));
          },
          nb::arg("first").noconvert(), nb::arg("rules").noconvert(), "(hits, guesses, whether it is the truth) of one tree of each sentence, one after the other.")
      .def(
          "moments",
          [](const PyTreeTargets& self, std::optional<In1<double>> sample_weight) {
            if (sample_weight && static_cast<std::int64_t>(sample_weight->size()) != self.n()) throw nb::value_error("one weight per example is needed");
            return moments(self, sample_weight);
          },
          nb::arg("sample_weight").noconvert().none(), "(rules in the true trees, sum of the squared lengths of their features).")
      .def("steepness", &steepness, "The largest squared length of the features of a true tree, among some of them.")
      .def(
          "scores",
          [](const PyTreeTargets& self, In1<double> weights) {
            if (static_cast<std::int64_t>(weights.size()) != self.targets.sentences->weights) throw nb::value_error("weights have the wrong length");
            return take(true_scores(self, weights.data()));
          },
          nb::arg("weights").noconvert(), "The scores of the true trees.")
      .def("fingerprint", [](const PyTreeTargets& self) { return mix(mix(0, self.targets.first), self.targets.truths); });
  nb::class_<PyTreeOracle> oracle(module, "TreeOracle", "Sentences, true trees and a formulation; see grammars/search.hpp.");
  oracle.def("__init__", &make_oracle, nb::arg("targets"), nb::arg("goal"), nb::arg("guess"), nb::arg("hit"), nb::arg("margin").noconvert(),
             nb::arg("scale").noconvert(), nb::arg("first").noconvert(), nb::arg("guesses").noconvert(), nb::arg("beam").none())
      .def(
          "search_bytes",
          [](const PyTreeOracle& self, std::int64_t i) {
            if (i < 0 || i >= self.n()) throw nb::index_error("no such example");
            nb::gil_scoped_release release;
            return grammars::TreeSearcher(self.problem()).bytes(i);
          },
          nb::arg("example"), "Memory that the search by hits and guesses takes for an example; 0 where there is none.");
  add_oracle_members(oracle);
  add_rows(oracle);
  bind_planes_engine<PyTreeOracle>(module, "TreeEngine", "The dual engine on trees of sentences.");
}

}  // namespace maxmargin::bindings
