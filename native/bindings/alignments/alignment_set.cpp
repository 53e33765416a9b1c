#include "alignments/alignment_set.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <string>

#include "hashing.hpp"
#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin::bindings {
namespace {

using alignments::AlignmentSet;
using alignments::Component;
using alignments::GapPart;
using alignments::Pair;
using alignments::PositionRows;
using Starts = std::optional<In1<std::int64_t>>;
using Values = std::optional<In1<double>>;

void make_set(PyAlignmentSet* self, std::int64_t weights, In1<std::int64_t> first_position, In1<std::int32_t> x, In1<std::int64_t> first_candidate,
              In1<std::int32_t> candidates, const std::string& mode, const std::array<bool, 4>& free_ends, std::int32_t band) {
  AlignmentSet set;
  set.weights = weights;
  set.shape = shape_of(mode, free_ends, band);
  set.first_position.assign(first_position.data(), first_position.data() + first_position.size());
  set.x.assign(x.data(), x.data() + x.size());
  set.first_candidate.assign(first_candidate.data(), first_candidate.data() + first_candidate.size());
  set.candidates.assign(candidates.data(), candidates.data() + candidates.size());
  const auto sequences = std::ssize(set.first_position) - 1;
  if (weights < 0 || sequences < 0 || set.first_position.front() != 0) throw nb::value_error("positions start at zero");
  for (std::int64_t s = 0; s < sequences; ++s) {
    const std::int64_t length = set.first_position[static_cast<std::size_t>(s) + 1] - set.first_position[static_cast<std::size_t>(s)];
    if (length < 1 || length > (std::int64_t{1} << 30)) throw nb::value_error("sequences must have from 1 to 2^30 positions");
  }
  if (std::ssize(set.first_candidate) != set.n() + 1 || set.first_candidate.front() != 0 ||
      set.first_candidate.back() != std::ssize(set.candidates)) {
    throw nb::value_error("first candidates do not fit");
  }
  for (std::int64_t i = 0; i < set.n(); ++i) {
    if (set.first_candidate[static_cast<std::size_t>(i)] >= set.first_candidate[static_cast<std::size_t>(i) + 1]) {
      throw nb::value_error("an example needs a candidate");
    }
  }
  for (const auto* each : {&set.x, &set.candidates}) {
    for (const std::int32_t s : *each) {
      if (s < 0 || s >= sequences) throw nb::index_error("no such sequence");
    }
  }
  new (self) PyAlignmentSet{std::move(set), {}};
}

// Rows of all positions, checked.
PositionRows rows_of(PyAlignmentSet& self, const Starts& starts, const In1<std::int32_t>& columns, const Values& values, std::size_t width) {
  const auto positions = static_cast<std::size_t>(self.set.first_position.back());
  if (starts ? starts->size() != positions + 1 : columns.size() != positions) throw nb::value_error("one row per position is needed");
  if (starts) {
    const std::span<const std::int64_t> given = as_span(*starts);
    if (given.front() != 0 || given.back() != static_cast<std::int64_t>(columns.size()) || !std::ranges::is_sorted(given)) {
      throw nb::value_error("starts of rows do not fit");
    }
  }
  if (values && values->size() != columns.size()) throw nb::value_error("one value per column is needed");
  for (const std::int32_t column : as_span(columns)) {
    if (column < 0 || static_cast<std::size_t>(column) >= width) throw nb::index_error("no such column");
  }
  for (nb::object each : {starts ? nb::cast(*starts) : nb::none(), nb::cast(columns), values ? nb::cast(*values) : nb::none()}) {
    self.kept.push_back(each);
  }
  return {starts ? starts->data() : nullptr, columns.data(), optional_data(values)};
}

std::vector<std::int32_t> weights_of(const PyAlignmentSet& self, const std::int32_t* index, std::size_t count, std::int32_t least) {
  std::vector<std::int32_t> found(index, index + count);
  for (const std::int32_t weight : found) {
    if (weight < least || weight >= self.set.weights) throw nb::index_error("no such weight");
  }
  return found;
}

void add_component(PyAlignmentSet& self, Starts starts, In1<std::int32_t> columns, Values values, In2<std::int32_t> index,
                   std::optional<In2<double>> times) {
  const std::size_t width = index.shape(0);
  if (index.shape(1) != width) throw nb::value_error("the index must be square");
  if (times && (times->shape(0) != width || times->shape(1) != width)) throw nb::value_error("one factor per entry of the index is needed");
  Component component;
  component.x = component.y = rows_of(self, starts, columns, values, width);
  component.x_columns = component.y_columns = static_cast<std::int32_t>(width);
  component.index = weights_of(self, index.data(), width * width, -1);
  if (times) component.value.assign(times->data(), times->data() + width * width);
  self.set.components.push_back(std::move(component));
}

void add_gaps(PyAlignmentSet& self, Starts starts, In1<std::int32_t> columns, Values values, In2<std::int32_t> open, In2<std::int32_t> extend,
              double open_times, double extend_times) {
  const std::size_t width = open.shape(1);
  if (open.shape(0) != 2 || extend.shape(0) != 2 || extend.shape(1) != width) throw nb::value_error("open and extend must have two rows");
  GapPart part;
  part.x.rows = part.y.rows = rows_of(self, starts, columns, values, width);
  part.x.open = weights_of(self, open.data(), width, 0);
  part.y.open = weights_of(self, open.data() + width, width, 0);
  part.x.extend = weights_of(self, extend.data(), width, 0);
  part.y.extend = weights_of(self, extend.data() + width, width, 0);
  part.x.open_value = part.y.open_value = open_times;
  part.x.extend_value = part.y.extend_value = extend_times;
  self.set.gaps.push_back(std::move(part));
}

// The best alignments of x and each candidate, of one example after the other.
nb::tuple best(const PyAlignmentSet& self, In1<double> weights, int threads) {
  self.check_weights(weights.size());
  const AlignmentSet& set = self.set;
  struct Part {
    std::vector<std::int64_t> ends;
    std::vector<Pair> pairs;
    std::vector<double> scores;
  };
  std::vector<Part> parts(static_cast<std::size_t>(thread_count(set.n(), threads)));
  std::vector<std::int64_t> offsets{0};
  std::vector<Pair> pairs;
  std::vector<double> scores;
  {
    nb::gil_scoped_release release;
    in_parallel(set.n(), threads, [&](int share, std::int64_t begin, std::int64_t end) {
      Part& part = parts[static_cast<std::size_t>(share)];
      alignments::ScoreRoom room;
      alignments::GridSearch search;
      std::vector<Pair> found;
      for (std::int64_t i = begin; i < end; ++i) {
        for (const std::int32_t candidate : set.candidates_of(i)) {
          part.scores.push_back(search.best(set.scores(set.x[static_cast<std::size_t>(i)], candidate, weights.data(), 1.0, room, false), set.shape, found));
          part.pairs.insert(part.pairs.end(), found.begin(), found.end());
          part.ends.push_back(std::ssize(part.pairs));
        }
      }
    });
    for (const Part& part : parts) {
      const std::int64_t before = std::ssize(pairs);
      for (const std::int64_t end : part.ends) offsets.push_back(before + end);
      pairs.insert(pairs.end(), part.pairs.begin(), part.pairs.end());
      scores.insert(scores.end(), part.scores.begin(), part.scores.end());
    }
  }
  return nb::make_tuple(take(std::move(scores)), take(std::move(offsets)), taken_pairs(std::move(pairs)));
}

nb::tuple scores(const PyAlignmentSet& self, In1<double> weights, std::int64_t i, std::int64_t candidate, double factor) {
  self.check_weights(weights.size());
  if (i < 0 || i >= self.n()) throw nb::index_error("no such example");
  const std::span<const std::int32_t> candidates = self.set.candidates_of(i);
  if (candidate < 0 || candidate >= std::ssize(candidates)) throw nb::index_error("no such candidate");
  alignments::ScoreRoom room;
  self.set.scores(self.set.x[static_cast<std::size_t>(i)], candidates[static_cast<std::size_t>(candidate)], weights.data(), factor, room, true);
  return nb::make_tuple(take(std::move(room.match)), take(std::move(room.open_x)), take(std::move(room.extend_x)), take(std::move(room.open_y)),
                        take(std::move(room.extend_y)));
}

std::uint64_t fingerprint(const PyAlignmentSet& self) {
  const AlignmentSet& set = self.set;
  std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ static_cast<std::uint64_t>(set.weights);
  hash = mix(hash, set.first_position);
  hash = mix(hash, set.first_candidate);
  for (const auto* each : {&set.x, &set.candidates}) hash = mix(hash, *each);
  const auto positions = static_cast<std::size_t>(set.first_position.back());
  auto add_rows = [&](const PositionRows& rows) {
    const std::size_t count = rows.starts == nullptr ? positions : static_cast<std::size_t>(rows.starts[positions]);
    if (rows.starts != nullptr) hash = mix(hash, rows.starts, (positions + 1) * sizeof(std::int64_t));
    hash = mix(hash, rows.indices, count * sizeof(std::int32_t));
    if (rows.values != nullptr) hash = mix(hash, rows.values, count * sizeof(double));
  };
  for (const Component& component : set.components) {
    add_rows(component.x);
    hash = mix(hash, component.index);
    hash = mix(hash, component.value);
  }
  for (const GapPart& part : set.gaps) {
    add_rows(part.x.rows);
    for (const auto* each : {&part.x.open, &part.x.extend, &part.y.open, &part.y.extend}) hash = mix(hash, *each);
    const double times[] = {part.x.open_value, part.x.extend_value};
    hash = mix(hash, times, sizeof(times));
  }
  const std::int32_t shape[] = {static_cast<std::int32_t>(set.shape.mode), set.shape.free_x_begin, set.shape.free_x_end, set.shape.free_y_begin,
                                set.shape.free_y_end, set.shape.band};
  return mix(hash, shape, sizeof(shape));
}

}  // namespace

void bind_alignment_set(nb::module_& module) {
  nb::class_<PyAlignmentSet>(module, "AlignmentSet", "Sequences, their features and what is aligned with what; see alignments/features.hpp.")
      .def("__init__", &make_set, nb::arg("weights"), nb::arg("first_position").noconvert(), nb::arg("x").noconvert(),
           nb::arg("first_candidate").noconvert(), nb::arg("candidates").noconvert(), nb::arg("mode"), nb::arg("free_ends"), nb::arg("band"))
      .def("add_component", &add_component, nb::arg("starts").noconvert().none(), nb::arg("columns").noconvert(), nb::arg("values").noconvert().none(),
           nb::arg("index").noconvert(), nb::arg("times").noconvert().none() = nb::none(),
           "Adds a bilinear form between features of positions; index has numbers of weights, or -1, and times what they are multiplied by.")
      .def("add_gaps", &add_gaps, nb::arg("starts").noconvert().none(), nb::arg("columns").noconvert(), nb::arg("values").noconvert().none(),
           nb::arg("open").noconvert(), nb::arg("extend").noconvert(), nb::arg("open_times") = 1.0, nb::arg("extend_times") = 1.0,
           "Adds features of positions in gaps; open and extend have numbers of weights, one row for x and one for y, and are multiplied by the rest.")
      .def_prop_ro("n", &PyAlignmentSet::n)
      .def_prop_ro("weight_count", [](const PyAlignmentSet& self) { return self.set.weights; })
      .def("best", &best, nb::arg("weights").noconvert(), nb::arg("threads"),
           "(scores, offsets into the pairs, pairs) of the best alignment of x and each candidate, one example after the other.")
      .def("scores", &scores, nb::arg("weights").noconvert(), nb::arg("example"), nb::arg("candidate"), nb::arg("factor"),
           "(match row by row, open_x, extend_x, open_y, extend_y) of an example and a candidate at factor * weights.")
      .def("fingerprint", &fingerprint, "A number that changes when the set does.");
}

}  // namespace maxmargin::bindings
