#include "maxmargin/programs/targets.hpp"

#include "engine/descent.hpp"
#include "hashing.hpp"
#include "maxmargin/programs/best.hpp"
#include "maxmargin/programs/likelihood.hpp"
#include "programs/program_set.hpp"

namespace maxmargin::bindings {
namespace {

using programs::Edge;
using programs::ProgramTargets;
using Whole = std::optional<In1<std::int32_t>>;

void make_targets(PyProgramTargets* self, nb::object set, In1<std::int64_t> first, In1<std::int32_t> edges, int kinds,
                  std::optional<In1<std::int64_t>> cost_first, Whole cost_edge, Whole units) {
  const programs::ProgramSet& own = nb::cast<const PyProgramSet&>(set).set;
  programs::ProgramTargets targets;
  targets.set = &own;
  targets.first = checked_offsets(first, own.n(), edges.size(), "first edges");
  targets.truths.assign(edges.data(), edges.data() + edges.size());
  for (std::int64_t i = 0; i < own.n(); ++i) {
    const auto begin = targets.truths.begin() + targets.first[static_cast<std::size_t>(i)];
    const auto end = targets.truths.begin() + targets.first[static_cast<std::size_t>(i) + 1];
    for (auto at = begin; at != end; ++at) {
      if (*at < 0 || *at >= own.topology(i).edges()) throw nb::value_error("a truth names an edge that is not there");
      *at = own.topology(i).place(*at);
    }
    std::sort(begin, end);
  }
  if (kinds < 1) throw nb::value_error("there is one kind of costs at least");
  targets.costs.kinds = kinds;
  if (cost_first) {
    if (!cost_edge || !units || units->size() != cost_edge->size() * static_cast<std::size_t>(kinds)) throw nb::value_error("units do not fit");
    programs::EdgeUnits& costs = targets.costs;
    costs.listed = true;
    costs.first = checked_offsets(*cost_first, own.n(), cost_edge->size(), "first costs");
    costs.place.resize(cost_edge->size());
    costs.units.resize(units->size());
    std::vector<std::pair<Edge, std::size_t>> order;
    for (std::int64_t i = 0; i < own.n(); ++i) {
      order.clear();
      for (auto k = static_cast<std::size_t>(costs.first[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(costs.first[static_cast<std::size_t>(i) + 1]); ++k) {
        const Edge edge = cost_edge->data()[k];
        if (edge < 0 || edge >= own.topology(i).edges()) throw nb::value_error("a cost names an edge that is not there");
        order.emplace_back(own.topology(i).place(edge), k);
      }
      std::ranges::sort(order);
      auto to = static_cast<std::size_t>(costs.first[static_cast<std::size_t>(i)]);
      for (std::size_t k = 0; k < order.size(); ++k, ++to) {
        if (k > 0 && order[k].first == order[k - 1].first) throw nb::value_error("an edge has a cost twice");
        costs.place[to] = order[k].first;
        for (std::size_t kind = 0; kind < static_cast<std::size_t>(kinds); ++kind) {
          const std::int32_t unit = units->data()[order[k].second * static_cast<std::size_t>(kinds) + kind];
          if (unit < 0) throw nb::value_error("costs must be at least 0");
          costs.units[to * static_cast<std::size_t>(kinds) + kind] = unit;
        }
      }
    }
  } else if (kinds != 1) {
    throw nb::value_error("the usual costs are of one kind");
  }
  new (self) PyProgramTargets{std::move(targets), set};
}

// Calls each(i, places), sorted, for outputs given by edge numbers.
template <class Each>
void for_each_list(const ProgramTargets& targets, const In1<std::int64_t>& first, const In1<std::int32_t>& edges, Each&& each) {
  const std::vector<std::int64_t> offsets = checked_offsets(first, targets.set->n(), edges.size(), "first edges");
  std::vector<Edge> places;
  for (std::int64_t i = 0; i < targets.set->n(); ++i) {
    const programs::Topology& topology = targets.set->topology(i);
    places.clear();
    for (std::int64_t k = offsets[static_cast<std::size_t>(i)]; k < offsets[static_cast<std::size_t>(i) + 1]; ++k) {
      const Edge edge = edges.data()[k];
      if (edge < 0 || edge >= topology.edges()) throw nb::index_error("no such edge");
      places.push_back(topology.place(edge));
    }
    std::ranges::sort(places);
    each(i, places);
  }
}

nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> totals(const ProgramTargets& targets, const In1<std::int64_t>& first, const In1<std::int32_t>& edges) {
  const auto kinds = static_cast<std::size_t>(targets.costs.kinds);
  std::vector<std::int64_t> found(static_cast<std::size_t>(targets.set->n()) * kinds);
  for_each_list(targets, first, edges, [&](std::int64_t i, const std::vector<Edge>& places) {
    targets.add_totals(i, places, found.data() + static_cast<std::size_t>(i) * kinds);
  });
  return take(std::move(found));
}

// The largest total of each kind that an output can have.
std::vector<std::int64_t> largest(const ProgramTargets& targets) {
  const auto kinds = static_cast<std::size_t>(targets.costs.kinds);
  std::vector<std::int64_t> found;
  programs::Best<double> best;
  std::vector<double> scores;
  std::vector<std::uint8_t> room;
  for (std::int64_t i = 0; i < targets.set->n(); ++i) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      scores.assign(static_cast<std::size_t>(targets.set->topology(i).edges()), 0.0);
      targets.visit_units(i, room, [&](Edge edge, const std::int32_t* units) { scores[static_cast<std::size_t>(edge)] = units[kind]; });
      found.push_back(static_cast<std::int64_t>(targets.set->topology(i).with_edges([&](const auto& program) { return best.run(program, scores.data()); })));
    }
  }
  return found;
}

}  // namespace

void bind_program_targets(nb::module_& module) {
  nb::class_<PyProgramTargets> targets(module, "ProgramTargets", "True outputs of programs and costs of edges; see programs/targets.hpp.");
  add_descent(
      targets, [](const PyProgramTargets& self) { return self.targets.set->weights; },
      [](const PyProgramTargets& self, const double* sample_weight, std::span<const std::int32_t> order, const StepSizes& sizes, ScaledWeights& weights) {
        return programs::descend_programs(self.targets, sample_weight, order, sizes, weights);
      });
  targets.def("__init__", &make_targets, nb::arg("set"), nb::arg("first").noconvert(), nb::arg("edges").noconvert(), nb::arg("kinds"),
           nb::arg("cost_first").noconvert().none(), nb::arg("cost_edge").noconvert().none(), nb::arg("units").noconvert().none())
      .def(
          "likelihood",
          [](const PyProgramTargets& self, In1<double> weights, std::optional<In1<double>> sample_weight, std::int64_t first, std::int64_t last,
             std::optional<InOut1<double>> gradient, int threads) {
            const std::int64_t size = self.targets.set->weights;
            if (static_cast<std::int64_t>(weights.size()) != size || (gradient && static_cast<std::int64_t>(gradient->size()) != size)) {
              throw nb::value_error("weights have the wrong length");
            }
            if (sample_weight && static_cast<std::int64_t>(sample_weight->size()) != self.n()) throw nb::value_error("one weight per example is needed");
            if (first < 0 || last < first || last > self.n()) throw nb::index_error("no such example");
            nb::gil_scoped_release release;
            return programs::program_likelihood(self.targets, weights.data(), optional_data(sample_weight), first, last,
                                                gradient ? gradient->data() : nullptr, threads);
          },
          nb::arg("weights").noconvert(), nb::arg("sample_weight").noconvert().none(), nb::arg("first"), nb::arg("last"),
          nb::arg("gradient").noconvert().none(), nb::arg("threads"), "Of examples first to last - 1; the gradient is added to `gradient`.")
      .def(
          "fault",
          [](const PyProgramTargets& self) {
            const programs::ProgramTargets& targets = self.targets;
            for (std::int64_t i = 0; i < self.n(); ++i) {
              const programs::DerivationFault fault = programs::derivation_fault(targets.set->topology(i), targets.truth(i));
              if (fault.kind == programs::DerivationFault::Kind::none) continue;
              const bool missing = fault.kind == programs::DerivationFault::Kind::missing;
              return nb::make_tuple(i, missing, fault.cell, fault.edge < 0 ? -1 : targets.set->topology(i).number(fault.edge));
            }
            return nb::make_tuple(-1, false, -1, -1);
          },
          "(example, whether an edge is missing or one too many, cell, edge) of the first truth that is no derivation; example -1 where all are.")
      .def_prop_ro("kinds", [](const PyProgramTargets& self) { return self.targets.costs.kinds; })
      .def(
          "largest",
          [](const PyProgramTargets& self) {
            nb::gil_scoped_release release;
            std::vector<std::int64_t> found = largest(self.targets);
            nb::gil_scoped_acquire acquire;
            return take(std::move(found));
          },
          "The largest total of each kind of costs that an output of each example can have.")
      .def(
          "totals", [](const PyProgramTargets& self, In1<std::int64_t> first, In1<std::int32_t> edges) { return totals(self.targets, first, edges); },
          nb::arg("first").noconvert(), nb::arg("edges").noconvert(), "What the edges of an output of each example cost together, of each kind.")
      .def(
          "true_totals",
          [](const PyProgramTargets& self) {
            const auto kinds = static_cast<std::size_t>(self.targets.costs.kinds);
            std::vector<std::int64_t> found(static_cast<std::size_t>(self.n()) * kinds);
            for (std::int64_t i = 0; i < self.n(); ++i) {
              self.targets.add_totals(i, self.targets.truth(i), found.data() + static_cast<std::size_t>(i) * kinds);
            }
            return take(std::move(found));
          },
          "The same of the true outputs.")
      .def(
          "moments",
          [](const PyProgramTargets& self, std::optional<In1<double>> sample_weight) {
            if (sample_weight && static_cast<std::int64_t>(sample_weight->size()) != self.n()) throw nb::value_error("one weight per example is needed");
            const programs::TrueMoments found = programs::true_moments(self.targets, optional_data(sample_weight));
            return nb::make_tuple(found.edges, found.squares, found.columns);
          },
          nb::arg("sample_weight").noconvert().none(),
          "(edges with features, sum of the squares of their features) of the true outputs, and the number of columns that occur.")
      .def(
          "steepness",
          [](const PyProgramTargets& self) {
            double most = 0.0;
            for (std::int64_t i = 0; i < self.n(); i += std::max<std::int64_t>(1, self.n() / 100)) {
              most = std::max(most, programs::squared_length(*self.targets.set, i, programs::difference(self.targets.truth(i), {})));
            }
            return most;
          },
          "The largest squared length of the features of some true outputs.")
      .def(
          "hits",
          [](const PyProgramTargets& self, In1<std::int64_t> first, In1<std::int32_t> edges) {
            std::vector<double> found(static_cast<std::size_t>(self.n()));
            for_each_list(self.targets, first, edges, [&](std::int64_t i, const std::vector<Edge>& places) {
              found[static_cast<std::size_t>(i)] = std::ranges::equal(places, self.targets.truth(i)) ? 1.0 : 0.0;
            });
            return take(std::move(found));
          },
          nb::arg("first").noconvert(), nb::arg("edges").noconvert(), "1 where an output has the edges of the true one, else 0.")
      .def(
          "fingerprint",
          [](const PyProgramTargets& self) {
            const ProgramTargets& targets = self.targets;
            std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ static_cast<std::uint64_t>(targets.costs.kinds);
            for (const auto* each : {&targets.first, &targets.costs.first}) hash = mix(hash, *each);
            for (const auto* each : {&targets.truths, &targets.costs.place, &targets.costs.units}) hash = mix(hash, *each);
            return hash;
          },
          "A number that changes when the true outputs or the costs do.");
}

}  // namespace maxmargin::bindings
