#include "maxmargin/programs/best.hpp"
#include "maxmargin/programs/kbest.hpp"
#include "maxmargin/programs/samples.hpp"
#include "maxmargin/programs/sums.hpp"
#include "programs/programs.hpp"
#include "programs/topology.hpp"

namespace maxmargin::bindings {
namespace {

using programs::Edge;
using programs::kImpossible;
using programs::Topology;

nb::tuple best(const Topology& self, In1<double> scores, EdgeList forbidden, EdgeList required) {
  double value = 0.0;
  std::vector<Edge> edges;
  {
    nb::gil_scoped_release release;
    const Question asked(self, scores, forbidden, required);
    programs::Best<double> search;
    self.with_edges([&](const auto& program) {
      value = search.run(program, asked.scores());
      if (value != kImpossible<double>) search.derivation(program, asked.scores(), edges);
    });
    to_numbers(self, edges);
  }
  return nb::make_tuple(value, take(std::move(edges)));
}

nb::tuple k_best(const Topology& self, In1<double> scores, std::int32_t k, EdgeList forbidden, EdgeList required) {
  if (k < 1) throw nb::value_error("k must be at least 1");
  std::vector<double> values;
  std::vector<Edge> edges, one;
  std::vector<std::int64_t> offsets(1, 0);
  {
    nb::gil_scoped_release release;
    const Question asked(self, scores, forbidden, required);
    programs::Best<double> first;
    self.with_edges([&]<class P>(const P& program) {
      if (first.run(program, asked.scores()) == kImpossible<double>) return;
      programs::KBest<P, double, programs::EdgeScores<double>> search;
      search.start(program, {asked.scores()}, first.values());
      for (std::int32_t rank = 0; rank < k && search.find(rank); ++rank) {
        values.push_back(search.value(rank));
        search.derivation(rank, one);
        edges.insert(edges.end(), one.begin(), one.end());
        offsets.push_back(static_cast<std::int64_t>(edges.size()));
      }
    });
    to_numbers(self, edges);
  }
  return nb::make_tuple(take(std::move(values)), take(std::move(offsets)), take(std::move(edges)));
}

nb::tuple sums(const Topology& self, In1<double> scores, EdgeList forbidden, EdgeList required) {
  double log_sum = 0.0;
  std::vector<double> marginals(static_cast<std::size_t>(self.edges()));
  {
    nb::gil_scoped_release release;
    const Question asked(self, scores, forbidden, required);
    programs::Sums search;
    self.with_edges([&](const auto& program) {
      log_sum = search.run(program, asked.scores());
      search.marginals(program, marginals);
    });
    self.to_numbers(marginals);
  }
  return nb::make_tuple(log_sum, take(std::move(marginals)));
}

nb::tuple entropy(const Topology& self, In1<double> scores, EdgeList forbidden, EdgeList required) {
  double log_sum = 0.0, spread = 0.0;
  {
    nb::gil_scoped_release release;
    std::vector<double> marginals(static_cast<std::size_t>(self.edges()));
    const Question asked(self, scores, forbidden, required);
    programs::Sums search;
    self.with_edges([&](const auto& program) {
      log_sum = search.run(program, asked.scores());
      search.marginals(program, marginals);
    });
    spread = programs::entropy(search.chances(), marginals);
  }
  return nb::make_tuple(log_sum, spread);
}

nb::tuple samples(const Topology& self, In1<double> scores, std::int64_t count, std::uint64_t seed, EdgeList forbidden, EdgeList required) {
  if (count < 0) throw nb::value_error("the number of samples must not be negative");
  std::vector<Edge> edges;
  std::vector<std::int64_t> offsets(1, 0);
  double log_sum = 0.0;
  {
    nb::gil_scoped_release release;
    const Question asked(self, scores, forbidden, required);
    programs::Sums search;
    self.with_edges([&](const auto& program) {
      log_sum = search.run(program, asked.scores());
      if (log_sum == kImpossible<double>) return;
      programs::Sampler sampler(program, search.chances(), seed);
      for (std::int64_t i = 0; i < count; ++i) {
        sampler.draw(edges);
        offsets.push_back(static_cast<std::int64_t>(edges.size()));
      }
    });
    to_numbers(self, edges);
  }
  return nb::make_tuple(log_sum, take(std::move(offsets)), take(std::move(edges)));
}

}  // namespace

void bind_queries(nb::class_<Topology>& topology) {
  const auto edges = [](const char* name) { return nb::arg(name).noconvert().none() = nb::none(); };
  topology
      .def("best", &best, nb::arg("scores").noconvert(), edges("forbidden"), edges("required"),
           "(score, edges) of the best output; -inf and no edges where there is none.")
      .def("k_best", &k_best, nb::arg("scores").noconvert(), nb::arg("k"), edges("forbidden"), edges("required"),
           "(scores, offsets into the edges, edges) of the k best outputs, or of all where they are fewer.")
      .def("sums", &sums, nb::arg("scores").noconvert(), edges("forbidden"), edges("required"),
           "(log partition, expected uses of every edge) of the outputs; -inf and zeros where there is none.")
      .def("entropy", &entropy, nb::arg("scores").noconvert(), edges("forbidden"), edges("required"),
           "(log partition, entropy in nats) of the outputs; -inf and 0 where there is none.")
      .def("samples", &samples, nb::arg("scores").noconvert(), nb::arg("count"), nb::arg("seed"), edges("forbidden"), edges("required"),
           "(log partition, offsets into the edges, edges) of outputs at random; no outputs where there is none.");
}

}  // namespace maxmargin::bindings
