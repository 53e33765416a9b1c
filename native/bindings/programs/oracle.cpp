#include "engine/questions.hpp"
#include "engine/states.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "programs/program_set.hpp"

namespace maxmargin::bindings {
namespace {

using programs::ProgramGoal;

ProgramGoal goal_named(const std::string& name) {
  if (name == "augmented") return ProgramGoal::augmented;
  if (name == "totals") return ProgramGoal::totals;
  if (name == "second") return ProgramGoal::second;
  if (name == "prediction") return ProgramGoal::prediction;
  throw nb::value_error("goal must be 'augmented', 'totals', 'second' or 'prediction'");
}

std::vector<std::int64_t> copied(const In1<std::int64_t>& values) { return {values.data(), values.data() + values.size()}; }

// Every total that an output can have must be in the tables. Finds the largest search by totals, in bytes.
std::pair<std::int64_t, std::int64_t> check_tables(const programs::ProgramProblem& problem) {
  const programs::ProgramLoss& loss = *problem.loss;
  const bool by_total = loss.goal == ProgramGoal::totals;
  std::vector<std::int64_t> numbers;
  std::vector<std::uint8_t> room;
  std::pair<std::int64_t, std::int64_t> largest{-1, 0};
  for (std::int64_t i = 0; i < problem.targets->set->n(); ++i) {
    std::int64_t most = 0;
    if (by_total) {
      problem.numbers(i, numbers, room);
      if (!std::ranges::all_of(numbers, [](std::int64_t number) { return number >= 0; })) throw nb::value_error("strides must be positive");
      programs::StrataRoom rows;
      problem.targets->set->topology(i).with_edges([&](const auto& program) {
        rows.plan(program, numbers.data(), sizeof(double));
        most = rows.most(program.goal());
      });
      const auto bytes = static_cast<std::int64_t>(sizeof(double)) * rows.numbers();
      if (bytes > largest.second) largest = {i, bytes};
    }
    const std::int64_t first = loss.first[static_cast<std::size_t>(i)];
    if (first < 0 || first + most >= std::ssize(loss.margin)) throw nb::value_error("margin and scale are too short");
  }
  return largest;
}

void make_oracle(PyProgramOracle* self, nb::object targets, const std::string& goal, double unit, In1<double> margin, In1<double> scale,
                 In1<std::int64_t> first, In1<std::int64_t> strides) {
  const programs::ProgramTargets& own = nb::cast<const PyProgramTargets&>(targets).targets;
  programs::ProgramLoss loss{goal_named(goal), unit, {margin.data(), margin.data() + margin.size()}, {scale.data(), scale.data() + scale.size()},
                             copied(first), copied(strides)};
  const auto n = static_cast<std::size_t>(own.set->n()), kinds = static_cast<std::size_t>(own.costs.kinds);
  if (first.size() != n || strides.size() != n * kinds || loss.margin.size() != loss.scale.size()) throw nb::value_error("tables do not fit");
  if (loss.goal == ProgramGoal::augmented && kinds != 1) throw nb::value_error("costs that add up are of one kind");
  const auto largest = check_tables({&own, &loss});
  new (self) PyProgramOracle{std::move(loss), &own, largest, targets};
}

}  // namespace

void bind_program_oracle(nb::module_& module) {
  nb::class_<PyProgramOracle> oracle(module, "ProgramOracle", "Programs, true outputs and a formulation; see programs/search.hpp.");
  oracle.def("__init__", &make_oracle, nb::arg("targets"), nb::arg("goal"), nb::arg("unit"), nb::arg("margin").noconvert(),
             nb::arg("scale").noconvert(), nb::arg("first").noconvert(), nb::arg("strides").noconvert())
      .def_prop_ro("largest_search", [](const PyProgramOracle& self) { return nb::make_tuple(self.largest.first, self.largest.second); },
                   "(example, bytes) of the search by totals that takes the most memory; (-1, 0) where none does.");
  add_oracle_members(oracle);
  add_rows(oracle);
  bind_planes_engine<PyProgramOracle>(module, "ProgramEngine", "The dual engine on outputs of programs.");
}

}  // namespace maxmargin::bindings
