#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "alignments/alignment_set.hpp"
#include "engine/descent.hpp"
#include "engine/questions.hpp"
#include "engine/states.hpp"
#include "hashing.hpp"
#include "maxmargin/alignments/likelihood.hpp"
#include "maxmargin/programs/strata.hpp"

namespace maxmargin::bindings {

using alignments::AlignmentGoal;
using alignments::AlignmentOutput;
using alignments::Pair;

std::size_t PyAlignmentOracle::output_size(std::int64_t i, std::span<const std::int32_t> left) const {
  if (left.size() < 2 || left[1] < 0 || left.size() < 2 + 2 * static_cast<std::size_t>(left[1])) throw nb::value_error("outputs are too short");
  const alignments::AlignmentSet& set = *targets->set;
  const std::span<const std::int32_t> candidates = set.candidates_of(i);
  if (left[0] < 0 || left[0] >= std::ssize(candidates)) throw nb::value_error("no such candidate");
  const std::int32_t m = set.length(set.x[static_cast<std::size_t>(i)]), n = set.length(candidates[static_cast<std::size_t>(left[0])]);
  Pair before{-1, -1};
  for (std::int32_t k = 0; k < left[1]; ++k) {
    const Pair pair{left[static_cast<std::size_t>(2 + 2 * k)], left[static_cast<std::size_t>(3 + 2 * k)]};
    if (pair.i <= before.i || pair.j <= before.j || pair.i >= m || pair.j >= n) throw nb::value_error("an output is no alignment");
    before = pair;
  }
  return 2 + 2 * static_cast<std::size_t>(left[1]);
}

std::optional<alignments::AlignmentPlane> PyAlignmentOracle::plane_of(std::int64_t i, const std::int32_t* y) const {
  const AlignmentOutput output = alignments::read_output(y);
  if (output.candidate == 0 && (loss.candidates_only || std::ranges::equal(output.pairs, targets->truth(i)))) return std::nullopt;
  return alignments::PlaneMaker(problem()).make(i, output);
}

namespace {

AlignmentGoal goal_named(const std::string& name) {
  if (name == "augmented") return AlignmentGoal::augmented;
  if (name == "totals") return AlignmentGoal::totals;
  if (name == "second") return AlignmentGoal::second;
  if (name == "prediction") return AlignmentGoal::prediction;
  throw nb::value_error("goal must be 'augmented', 'totals', 'second' or 'prediction'");
}

void make_targets(PyAlignmentTargets* self, nb::object owner, In1<std::int64_t> first, In2<std::int32_t> pairs, std::int32_t shift) {
  const alignments::AlignmentSet& set = nb::cast<const PyAlignmentSet&>(owner).set;
  if (static_cast<std::int64_t>(first.size()) != set.n() + 1 || first.data()[0] != 0 || pairs.shape(1) != 2 ||
      first.data()[set.n()] != static_cast<std::int64_t>(pairs.shape(0)) || !std::ranges::is_sorted(as_span(first)) || shift < 0) {
    throw nb::value_error("pairs of examples do not fit");
  }
  alignments::AlignmentTargets targets{&set, {first.data(), first.data() + first.size()}, {}, {0}, {}};
  for (std::int64_t i = 0; i < set.n(); ++i) {
    const std::int32_t m = set.length(set.x[static_cast<std::size_t>(i)]), n = set.length(set.candidates_of(i).front());
    const std::size_t begin = targets.windows.size();
    targets.windows.resize(begin + static_cast<std::size_t>(m));
    targets.first_window.push_back(std::ssize(targets.windows));
    Pair before{-1, -1};
    for (std::int64_t k = first.data()[i]; k < first.data()[i + 1]; ++k) {
      const Pair pair{pairs.data()[2 * k], pairs.data()[2 * k + 1]};
      if (pair.i <= before.i || pair.j <= before.j || pair.i >= m || pair.j >= n) throw nb::value_error("pairs must rise within the sequences");
      targets.pairs.push_back(before = pair);
      targets.windows[begin + static_cast<std::size_t>(pair.i)] = {std::max(0, pair.j - shift), std::min(n, pair.j + std::min(shift, n) + 1)};
    }
  }
  new (self) PyAlignmentTargets{std::move(targets), owner};
}

// Every number of hits and of pairs must be in the tables. Finds the largest search by totals, in bytes.
std::pair<std::int64_t, std::int64_t> check_tables(const alignments::AlignmentProblem& problem) {
  const alignments::AlignmentLoss& loss = *problem.loss;
  const alignments::AlignmentSet& set = *problem.targets->set;
  std::pair<std::int64_t, std::int64_t> largest{-1, 0};
  if (loss.goal != AlignmentGoal::totals) return largest;
  for (std::int64_t i = 0; i < set.n(); ++i) {
    const alignments::GridProgram program(set.length(set.x[static_cast<std::size_t>(i)]), set.length(set.candidates_of(i).front()));
    programs::StrataRoom rows;
    rows.plan(program, alignments::totals_of(problem, i), sizeof(double));
    const auto bytes = static_cast<std::int64_t>(sizeof(double)) * rows.numbers();
    if (bytes > largest.second) largest = {i, bytes};
    const std::int64_t first = loss.first[static_cast<std::size_t>(i)];
    if (first < 0 || first + problem.most_total(i) >= std::ssize(loss.margin)) throw nb::value_error("margin and scale are too short");
    if (loss.counts_pairs && problem.stride(i) <= std::ssize(problem.targets->truth(i))) throw nb::value_error("strides are too small");
  }
  return largest;
}

void make_oracle(PyAlignmentOracle* self, nb::object targets, const std::string& goal, bool candidates_only, bool counts_pairs, double other_margin,
                 double other_scale, In1<double> unit, In1<double> margin, In1<double> scale, In1<std::int64_t> first, In1<std::int64_t> stride) {
  const alignments::AlignmentTargets& own = nb::cast<const PyAlignmentTargets&>(targets).targets;
  auto numbers = []<class T>(const In1<T>& array) { return std::vector<T>(array.data(), array.data() + array.size()); };
  alignments::AlignmentLoss loss{goal_named(goal), counts_pairs,    candidates_only, {other_margin, other_scale}, numbers(unit),
                                 numbers(margin),  numbers(scale), numbers(first),  numbers(stride)};
  const auto n = static_cast<std::size_t>(own.set->n());
  if (loss.margin.size() != loss.scale.size() || (loss.goal == AlignmentGoal::augmented && loss.unit.size() != n) ||
      (loss.goal == AlignmentGoal::totals && (loss.first.size() != n || loss.stride.size() != n))) {
    throw nb::value_error("tables do not fit");
  }
  if (!std::ranges::all_of(loss.stride, [](std::int64_t each) { return each >= 0; })) throw nb::value_error("strides must be positive");
  const auto largest = check_tables({&own, &loss});
  new (self) PyAlignmentOracle{std::move(loss), &own, largest, targets};
}

}  // namespace

void bind_alignment_oracle(nb::module_& module) {
  nb::class_<PyAlignmentTargets> targets(module, "AlignmentTargets", "True alignments of a set, of x and candidate 0; see alignments/targets.hpp.");
  add_descent(
      targets, [](const PyAlignmentTargets& self) { return self.targets.set->weights; },
      [](const PyAlignmentTargets& self, const double* sample_weight, std::span<const std::int32_t> order, const StepSizes& sizes, ScaledWeights& weights) {
        return alignments::descend_alignments(self.targets, sample_weight, order, sizes, weights);
      });
  targets.def("__init__", &make_targets, nb::arg("set"), nb::arg("first").noconvert(), nb::arg("pairs").noconvert(), nb::arg("shift"))
      .def("outside_band", [](const PyAlignmentTargets& self) { return self.targets.outside_band(); },
           "The first example whose true alignment leaves the band, or -1.")
      .def(
          "likelihood",
          [](const PyAlignmentTargets& self, In1<double> weights, std::optional<In1<double>> sample_weight, std::int64_t begin, std::int64_t end,
             std::optional<InOut1<double>> gradient, int threads) {
            nb::cast<const PyAlignmentSet&>(self.set).check_weights(weights.size());
            if (gradient && gradient->size() != weights.size()) throw nb::value_error("the gradient has the wrong length");
            if (begin < 0 || end > self.n() || begin > end) throw nb::index_error("no such examples");
            const double* weight = checked_weight(self, sample_weight);
            nb::gil_scoped_release release;
            return alignments::alignment_likelihood(self.targets, weights.data(), weight, begin, end, gradient ? gradient->data() : nullptr, threads);
          },
          nb::arg("weights").noconvert(), nb::arg("sample_weight").noconvert().none(), nb::arg("begin"), nb::arg("end"),
          nb::arg("gradient").noconvert().none(), nb::arg("threads"), "The negative log-likelihood of some examples; adds its gradient to an array.")
      .def(
          "moments",
          [](const PyAlignmentTargets& self, std::optional<In1<double>> sample_weight) {
            const alignments::TrueMoments found = alignments::true_moments(self.targets, checked_weight(self, sample_weight));
            return nb::make_tuple(found.pairs, found.squares);
          },
          nb::arg("sample_weight").noconvert().none(), "(number of true pairs, sum of the squared lengths of their features).")
      .def(
          "features",
          [](const PyAlignmentTargets& self, std::int64_t i) {
            if (i < 0 || i >= self.n()) throw nb::index_error("no such example");
            const alignments::AlignmentSet& set = *self.targets.set;
            std::vector<double> found(static_cast<std::size_t>(set.weights));
            set.add(set.x[static_cast<std::size_t>(i)], set.candidates_of(i).front(), self.targets.truth(i), 1.0, found.data());
            return take(std::move(found));
          },
          nb::arg("example"), "The joint features of a true alignment.")
      .def(
          "fingerprint",
          [](const PyAlignmentTargets& self) {
            std::uint64_t hash = mix(0x9E3779B97F4A7C15ull, self.targets.first);
            hash = mix(hash, self.targets.pairs.data(), self.targets.pairs.size() * sizeof(Pair));
            return mix(hash, self.targets.windows.data(), self.targets.windows.size() * sizeof(alignments::Window));
          },
          "A number that changes when the targets do.");
  nb::class_<PyAlignmentOracle> oracle(module, "AlignmentOracle", "True alignments and a formulation; see alignments/violated.hpp.");
  oracle
      .def("__init__", &make_oracle, nb::arg("targets"), nb::arg("goal"), nb::arg("candidates_only"), nb::arg("counts_pairs"), nb::arg("other_margin"),
           nb::arg("other_scale"), nb::arg("unit").noconvert(), nb::arg("margin").noconvert(), nb::arg("scale").noconvert(), nb::arg("first").noconvert(),
           nb::arg("stride").noconvert())
      .def_prop_ro("largest_search", [](const PyAlignmentOracle& self) { return nb::make_tuple(self.largest.first, self.largest.second); },
                   "(example, bytes) of the search by totals that takes the most memory; (-1, 0) where none does.");
  add_oracle_members(oracle);
  add_rows(oracle);
  bind_planes_engine<PyAlignmentOracle>(module, "AlignmentEngine", "The dual engine on alignments.");
}

}  // namespace maxmargin::bindings
