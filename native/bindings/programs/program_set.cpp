#include "programs/program_set.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <numeric>
#include <string>

#include "hashing.hpp"

namespace maxmargin::bindings {

using programs::Edge;
using programs::FeaturePart;
using programs::Topology;

std::vector<std::int64_t> checked_offsets(const In1<std::int64_t>& offsets, std::int64_t examples, std::size_t last, const char* name) {
  const std::span<const std::int64_t> given = as_span(offsets);
  if (std::ssize(given) != examples + 1 || given.front() != 0 || given.back() != static_cast<std::int64_t>(last) || !std::ranges::is_sorted(given)) {
    throw nb::value_error((std::string(name) + " do not fit").c_str());
  }
  return {given.begin(), given.end()};
}

namespace {

template <int kTails>
std::uint64_t mix(std::uint64_t hash, const programs::Edges<kTails>& program) {
  hash ^= static_cast<std::uint64_t>(program.goal());
  for (programs::Cell cell = 0; cell < program.cells(); ++cell) {
    program.incoming(cell, [&](Edge, programs::Cell a, programs::Cell b) {
      const std::int32_t edge[] = {cell, a, b};
      hash = bindings::mix(hash, edge, sizeof(edge));
    });
  }
  return hash;
}

using Whole = std::optional<In1<std::int32_t>>;

// Sorted by place in each example; entries of one edge stay in their order.
void sort_entries(FeaturePart& part, std::int64_t i) {
  const std::int64_t first = part.first_entry[static_cast<std::size_t>(i)], last = part.first_entry[static_cast<std::size_t>(i) + 1];
  if (std::is_sorted(part.place.begin() + first, part.place.begin() + last)) return;
  std::vector<std::int64_t> order(static_cast<std::size_t>(last - first));
  std::iota(order.begin(), order.end(), first);
  std::ranges::stable_sort(order, {}, [&](std::int64_t k) { return part.place[static_cast<std::size_t>(k)]; });
  for (std::vector<std::int32_t>* each : {&part.place, &part.from, &part.until}) {
    if (each->empty()) continue;
    std::vector<std::int32_t> sorted;
    sorted.reserve(order.size());
    for (const std::int64_t k : order) sorted.push_back((*each)[static_cast<std::size_t>(k)]);
    std::ranges::copy(sorted, each->begin() + first);
  }
}

void add_part(PyProgramSet& self, std::int64_t columns, std::int32_t blocks, In1<std::int64_t> starts, In1<std::int32_t> indices,
              std::optional<In1<double>> values, In1<std::int64_t> first_row, In1<std::int64_t> first_entry, In1<std::int32_t> edge,
              In1<std::int32_t> row, Whole stop, Whole block) {
  if (columns < 0 || blocks < 1 || starts.size() < 1) throw nb::value_error("a part has columns and blocks");
  FeaturePart part;
  part.columns = columns;
  part.blocks = blocks;
  part.base = self.set.weights;
  part.first_row = checked_offsets(first_row, self.n(), starts.size() - 1, "first rows");
  checked_offsets(starts, static_cast<std::int64_t>(starts.size()) - 1, indices.size(), "starts of rows");
  part.first_entry = checked_offsets(first_entry, self.n(), edge.size(), "first entries");
  if (values && values->size() != indices.size()) throw nb::value_error("one value per index is needed");
  if (row.size() != edge.size() || (stop && stop->size() != edge.size()) || (block && block->size() != edge.size())) {
    throw nb::value_error("entries have an edge, a row, a stop and a block");
  }
  for (const std::int32_t at : as_span(indices)) {
    if (at < 0 || at >= columns) throw nb::value_error("no such column");
  }
  part.starts = starts.data();
  part.indices = indices.data();
  part.values = optional_data(values);
  part.place.assign(edge.data(), edge.data() + edge.size());
  part.from.resize(edge.size());
  if (stop) part.until.resize(edge.size());
  {
    nb::gil_scoped_release release;
    for (std::int64_t i = 0; i < self.n(); ++i) {
      const Topology& topology = self.set.topology(i);
      const std::int64_t rows = part.first_row[static_cast<std::size_t>(i) + 1] - part.first_row[static_cast<std::size_t>(i)];
      if ((rows + 1) * blocks > std::numeric_limits<std::int32_t>::max()) throw std::out_of_range("an example has too many rows for its blocks");
      for (auto k = static_cast<std::size_t>(part.first_entry[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(part.first_entry[static_cast<std::size_t>(i) + 1]); ++k) {
        const std::int64_t own = row.data()[k], last = stop ? stop->data()[k] : own + 1, in = block ? block->data()[k] : 0;
        if (part.place[k] < 0 || part.place[k] >= topology.edges() || own < 0 || last < own || last > rows || in < 0 || in >= blocks) {
          throw std::out_of_range("an entry names an edge, a row or a block that is not there");
        }
        part.place[k] = topology.place(part.place[k]);
        part.from[k] = static_cast<std::int32_t>(own * blocks + in);
        if (stop) part.until[k] = static_cast<std::int32_t>(last * blocks + in);
      }
      sort_entries(part, i);
    }
  }
  self.set.weights += part.weight_count();
  self.set.parts.push_back(std::move(part));
  for (nb::object each : {nb::cast(starts), nb::cast(indices), values ? nb::cast(*values) : nb::none()}) self.kept.push_back(each);
}

}  // namespace

void bind_program_set(nb::module_& module) {
  nb::class_<PyProgramSet> type(module, "ProgramSet", "Programs and the features of their edges; see programs/program_set.hpp.");
  type.def(
          "__init__",
          [](PyProgramSet* self, std::vector<nb::object> topologies) {
            programs::ProgramSet set;
            for (const nb::object& each : topologies) set.topologies.push_back(&nb::cast<const Topology&>(each));
            new (self) PyProgramSet{std::move(set), std::move(topologies)};
          },
          nb::arg("topologies"))
      .def("add_part", &add_part, nb::arg("columns"), nb::arg("blocks"), nb::arg("starts").noconvert(), nb::arg("indices").noconvert(),
           nb::arg("values").noconvert().none(), nb::arg("first_row").noconvert(), nb::arg("first_entry").noconvert(), nb::arg("edge").noconvert(),
           nb::arg("row").noconvert(), nb::arg("stop").noconvert().none(), nb::arg("block").noconvert().none(),
           "Adds a part of the features of all programs, whose weights follow those of the parts before it.")
      .def_prop_ro("n", &PyProgramSet::n)
      .def_prop_ro("weight_count", [](const PyProgramSet& self) { return self.set.weights; })
      .def(
          "fingerprint",
          [](const PyProgramSet& self) {
            std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ static_cast<std::uint64_t>(self.n());
            for (const Topology* each : self.set.topologies) each->with_edges([&](const auto& edges) { hash = mix(hash, edges); });
            for (const FeaturePart& part : self.set.parts) {
              const std::int64_t rows = part.first_row.back(), cells = part.starts[rows];
              hash = mix(hash, part.starts, static_cast<std::size_t>(rows + 1) * 8);
              hash = mix(hash, part.indices, static_cast<std::size_t>(cells) * 4);
              if (part.values != nullptr) hash = mix(hash, part.values, static_cast<std::size_t>(cells) * 8);
              for (const auto* each : {&part.first_row, &part.first_entry}) hash = mix(hash, *each);
              for (const auto* each : {&part.place, &part.from, &part.until}) hash = mix(hash, *each);
            }
            return hash;
          },
          "A number that changes when the programs do.")
      .def(
          "featured",
          [](const PyProgramSet& self) {
            std::vector<std::uint8_t> found;
            for (std::int64_t i = 0; i < self.n(); ++i) {
              const std::size_t first = found.size();
              found.resize(first + static_cast<std::size_t>(self.set.topology(i).edges()));
              for (const FeaturePart& part : self.set.parts) {
                for (std::int64_t k = part.first_entry[static_cast<std::size_t>(i)]; k < part.first_entry[static_cast<std::size_t>(i) + 1]; ++k) {
                  found[first + static_cast<std::size_t>(self.set.topology(i).number(part.place[static_cast<std::size_t>(k)]))] = 1;
                }
              }
            }
            return take(std::move(found));
          },
          "1 for each edge of each program that has features, else 0.")
      .def(
          "scores",
          [](const PyProgramSet& self, In1<double> weights, std::int64_t i) {
            self.check_weights(weights.size());
            if (i < 0 || i >= self.n()) throw nb::index_error("no such example");
            std::vector<double> scores, room;
            self.set.scores(i, weights.data(), 1.0, scores, room);
            self.set.topology(i).to_numbers(scores);
            return take(std::move(scores));
          },
          nb::arg("weights").noconvert(), nb::arg("example"), "Of all edges of an example.")
      .def(
          "expected",
          [](const PyProgramSet& self, std::int64_t i, In1<double> coefficient, InOut1<double> into) {
            self.check_weights(into.size());
            if (i < 0 || i >= self.n()) throw nb::index_error("no such example");
            const Topology& topology = self.set.topology(i);
            if (static_cast<std::int32_t>(coefficient.size()) != topology.edges()) throw nb::value_error("one coefficient per edge is needed");
            std::vector<double> sorted, room;
            self.set.add_all(i, topology.by_place(coefficient.data(), sorted), 1.0, into.data(), room);
          },
          nb::arg("example"), nb::arg("coefficient").noconvert(), nb::arg("into").noconvert(),
          "Adds the sum of the features of all edges of an example times their coefficients.");
  add_predictions(type);
}

}  // namespace maxmargin::bindings
