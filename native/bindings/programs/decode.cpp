#include "maxmargin/programs/decode.hpp"

#include "programs/program_set.hpp"

namespace maxmargin::bindings {
namespace {

using programs::EdgeLimits;
using programs::EdgeLists;
using programs::EdgeWorth;

EdgeLists lists_of(const programs::ProgramSet& set, const nb::object& given, const char* name) {
  if (given.is_none()) return {};
  const auto offsets = nb::cast<In1<std::int64_t>>(given[0], false);
  const auto edges = nb::cast<In1<std::int32_t>>(given[1], false);
  EdgeLists lists{checked_offsets(offsets, set.n(), edges.size(), name), {edges.data(), edges.data() + edges.size()}};
  for (std::int64_t i = 0; i < set.n(); ++i) {
    for (std::int64_t k = lists.first[static_cast<std::size_t>(i)]; k < lists.first[static_cast<std::size_t>(i) + 1]; ++k) {
      programs::Edge& edge = lists.places[static_cast<std::size_t>(k)];
      if (edge < 0 || edge >= set.topology(i).edges()) throw nb::index_error("no such edge");
      edge = set.topology(i).place(edge);
    }
  }
  return lists;
}

EdgeLimits limits_of(const PyProgramSet& self, const nb::object& forbidden, const nb::object& required) {
  return {lists_of(self.set, forbidden, "forbidden edges"), lists_of(self.set, required, "required edges")};
}

EdgeWorth worth_of(const PyProgramSet& self, const In1<double>& weights, double temperature) {
  self.check_weights(weights.size());
  if (!(temperature > 0.0)) throw nb::value_error("the temperature must be positive");
  return {weights.data(), temperature, nullptr, {}};
}

nb::tuple taken(programs::Outputs&& outputs) {
  return nb::make_tuple(take(std::move(outputs.first)), take(std::move(outputs.edges)), take(std::move(outputs.scores)),
                        take(std::move(outputs.ends)), outputs.impossible);
}

}  // namespace

void add_predictions(nb::class_<PyProgramSet>& type) {
  type.def(
          "best",
          [](const PyProgramSet& self, In1<double> weights, nb::object forbidden, nb::object required, int threads) {
            const EdgeLimits limits = limits_of(self, forbidden, required);
            const EdgeWorth worth = worth_of(self, weights, 1.0);
            nb::gil_scoped_release release;
            programs::Outputs outputs = programs::best_outputs(self.set, worth, limits, threads);
            nb::gil_scoped_acquire acquire;
            return taken(std::move(outputs));
          },
          nb::arg("weights").noconvert(), nb::arg("forbidden").none(), nb::arg("required").none(), nb::arg("threads"),
          "(offsets of outputs, edges, scores, ends of examples, example without an output or -1); limits are pairs (offsets, edges).")
      .def(
          "best_by",
          [](const PyProgramSet& self, In1<double> scores, nb::object forbidden, nb::object required, int threads) {
            const EdgeLimits limits = limits_of(self, forbidden, required);
            EdgeWorth worth{nullptr, 1.0, scores.data(), {0}};
            for (const programs::Topology* each : self.set.topologies) worth.first.push_back(worth.first.back() + each->edges());
            if (worth.first.back() != static_cast<std::int64_t>(scores.size())) throw nb::value_error("one score per edge is needed");
            nb::gil_scoped_release release;
            programs::Outputs outputs = programs::best_outputs(self.set, worth, limits, threads);
            nb::gil_scoped_acquire acquire;
            return taken(std::move(outputs));
          },
          nb::arg("scores").noconvert(), nb::arg("forbidden").none(), nb::arg("required").none(), nb::arg("threads"),
          "The same for scores of the edges of all programs, one after the other.")
      .def(
          "kbest",
          [](const PyProgramSet& self, In1<double> weights, int k, nb::object forbidden, nb::object required, int threads) {
            const EdgeLimits limits = limits_of(self, forbidden, required);
            const EdgeWorth worth = worth_of(self, weights, 1.0);
            nb::gil_scoped_release release;
            programs::Outputs outputs = programs::best_lists(self.set, worth, k, limits, threads);
            nb::gil_scoped_acquire acquire;
            return taken(std::move(outputs));
          },
          nb::arg("weights").noconvert(), nb::arg("k"), nb::arg("forbidden").none(), nb::arg("required").none(), nb::arg("threads"),
          "The k best outputs of each program, as `best` gives one.")
      .def(
          "samples",
          [](const PyProgramSet& self, In1<double> weights, double temperature, int count, std::uint64_t seed, nb::object forbidden,
             nb::object required, int threads) {
            const EdgeLimits limits = limits_of(self, forbidden, required);
            const EdgeWorth worth = worth_of(self, weights, temperature);
            nb::gil_scoped_release release;
            programs::Outputs outputs = programs::sampled_outputs(self.set, worth, count, seed, limits, threads);
            nb::gil_scoped_acquire acquire;
            return taken(std::move(outputs));
          },
          nb::arg("weights").noconvert(), nb::arg("temperature"), nb::arg("count"), nb::arg("seed"), nb::arg("forbidden").none(),
          nb::arg("required").none(), nb::arg("threads"), "So many exact samples of the outputs of each program, as `best` gives one.")
      .def(
          "marginals",
          [](const PyProgramSet& self, In1<double> weights, double temperature, nb::object forbidden, nb::object required, int threads) {
            const EdgeLimits limits = limits_of(self, forbidden, required);
            const EdgeWorth worth = worth_of(self, weights, temperature);
            nb::gil_scoped_release release;
            programs::Marginals found = programs::edge_marginals(self.set, worth, limits, threads);
            nb::gil_scoped_acquire acquire;
            return nb::make_tuple(take(std::move(found.used)), take(std::move(found.log_sums)), take(std::move(found.entropies)), found.impossible);
          },
          nb::arg("weights").noconvert(), nb::arg("temperature"), nb::arg("forbidden").none(), nb::arg("required").none(), nb::arg("threads"),
          "(probabilities of the edges of all programs, log partitions, entropies, example without an output or -1).");
}

}  // namespace maxmargin::bindings
