#include <nanobind/stl/vector.h>

#include <numeric>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/programs/best.hpp"
#include "maxmargin/programs/lane_sums.hpp"
#include "programs/programs.hpp"
#include "programs/topology.hpp"

namespace maxmargin::bindings {
namespace {

using programs::Edge;
using programs::Topology;

using Topologies = std::vector<const Topology*>;

// Where the edges of each program begin in arrays that have those of all.
std::vector<std::int64_t> edge_offsets(const Topologies& topologies, std::size_t given) {
  std::vector<std::int64_t> offsets(1, 0);
  for (const Topology* topology : topologies) {
    if (topology == nullptr) throw nb::value_error("there is a topology for every program");
    offsets.push_back(offsets.back() + topology->edges());
  }
  if (offsets.back() != static_cast<std::int64_t>(given)) {
    throw nb::value_error(("The programs have " + std::to_string(offsets.back()) + " edges between them, and there are " + std::to_string(given) + " scores.").c_str());
  }
  return offsets;
}

std::span<const double> scores_of(const In1<double>& scores, const std::vector<std::int64_t>& offsets, std::int64_t i) {
  const std::span<const double> own(scores.data() + offsets[static_cast<std::size_t>(i)], scores.data() + offsets[static_cast<std::size_t>(i) + 1]);
  check_scores(own, " of program " + std::to_string(i));
  return own;
}

nb::tuple best(const Topologies& topologies, In1<double> scores, int threads) {
  const auto n = static_cast<std::int64_t>(topologies.size());
  const std::vector<std::int64_t> offsets = edge_offsets(topologies, scores.size());
  std::vector<double> values(topologies.size());
  std::vector<std::int64_t> ends(topologies.size() + 1, 0);
  std::vector<std::vector<Edge>> found(static_cast<std::size_t>(thread_count(n, threads)));
  std::vector<Edge> edges;
  {
    nb::gil_scoped_release release;
    in_parallel(n, threads, [&](int share, std::int64_t begin, std::int64_t end) {
      programs::Best<double> search;
      std::vector<double> room;
      std::vector<Edge> one;
      std::vector<Edge>& all = found[static_cast<std::size_t>(share)];
      for (std::int64_t i = begin; i < end; ++i) {
        const Topology& topology = *topologies[static_cast<std::size_t>(i)];
        const double* own = topology.by_place(scores_of(scores, offsets, i).data(), room);
        one.clear();
        const double value = topology.with_edges([&](const auto& program) {
          const double highest = search.run(program, own);
          if (highest != programs::kImpossible<double>) search.derivation(program, own, one);
          return highest;
        });
        to_numbers(topology, one);
        all.insert(all.end(), one.begin(), one.end());
        values[static_cast<std::size_t>(i)] = value;
        ends[static_cast<std::size_t>(i) + 1] = static_cast<std::int64_t>(one.size());
      }
    });
    for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
    for (const std::vector<Edge>& part : found) edges.insert(edges.end(), part.begin(), part.end());
  }
  return nb::make_tuple(take(std::move(values)), take(std::move(ends)), take(std::move(edges)));
}

// Of all programs, for sums_of_examples.
struct GivenScores {
  const Topologies& topologies;
  const In1<double>& given;
  const std::vector<std::int64_t>& offsets;
  std::vector<double>&values, &used;

  const Topology& topology(std::int64_t i) const { return *topologies[static_cast<std::size_t>(i)]; }
  const double* scores(std::int64_t i, std::vector<double>& room) const { return topology(i).by_place(scores_of(given, offsets, i).data(), room); }
  double* marginals(std::int64_t i, std::vector<double>& room) const {
    if (topology(i).numbers().empty()) return used.data() + offsets[static_cast<std::size_t>(i)];
    room.resize(static_cast<std::size_t>(topology(i).edges()));
    return room.data();
  }
  void found(std::int64_t i, const programs::SumsOfInput& sums) {
    values[static_cast<std::size_t>(i)] = sums.log_sum;
    const std::vector<Edge>& numbers = topology(i).numbers();
    double* into = used.data() + offsets[static_cast<std::size_t>(i)];
    for (std::size_t place = 0; place < numbers.size(); ++place) into[numbers[place]] = sums.marginals[place];
  }
};

nb::tuple sums(const Topologies& topologies, In1<double> scores, int threads) {
  const std::vector<std::int64_t> offsets = edge_offsets(topologies, scores.size());
  std::vector<double> values(topologies.size()), marginals(scores.size());
  {
    nb::gil_scoped_release release;
    in_parallel(static_cast<std::int64_t>(topologies.size()), threads, [&](int, std::int64_t begin, std::int64_t end) {
      GivenScores batch{topologies, scores, offsets, values, marginals};
      std::vector<std::int64_t> share(static_cast<std::size_t>(end - begin));
      std::iota(share.begin(), share.end(), begin);
      programs::sums_of_examples(batch, share);
    });
  }
  return nb::make_tuple(take(std::move(values)), take(std::move(marginals)));
}

}  // namespace

void bind_batches(nb::module_& module) {
  module.def("best_of_programs", &best, nb::arg("topologies"), nb::arg("scores").noconvert(), nb::arg("threads"),
             "(scores, offsets into the edges, edges) of the best output of every program; scores of edges one program after the other.");
  module.def("sums_of_programs", &sums, nb::arg("topologies"), nb::arg("scores").noconvert(), nb::arg("threads"),
             "(log partitions, expected uses of every edge) of all programs.");
}

}  // namespace maxmargin::bindings
