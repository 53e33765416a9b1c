#include <stdexcept>

#include "alignments/alignments.hpp"
#include "maxmargin/alignments/grid_program.hpp"
#include "maxmargin/alignments/limits.hpp"
#include "maxmargin/alignments/search.hpp"
#include "maxmargin/programs/best.hpp"
#include "maxmargin/programs/kbest.hpp"
#include "maxmargin/programs/samples.hpp"
#include "maxmargin/programs/sums.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::bindings {
namespace {

using alignments::GridProgram;
using alignments::GridScores;
using alignments::GridShape;
using alignments::Pair;
using programs::Edge;
using programs::kImpossible;

using Pairs = std::optional<In2<std::int32_t>>;

std::vector<Pair> pairs_within(const In2<std::int32_t>& pairs, std::int32_t m, std::int32_t n) {  // in any order
  if (pairs.shape(1) != 2) throw nb::value_error("pairs must have two columns");
  std::vector<Pair> found;
  for (std::size_t k = 0; k < pairs.shape(0); ++k) {
    found.push_back({pairs.data()[2 * k], pairs.data()[2 * k + 1]});
    if (found.back().i < 0 || found.back().j < 0 || found.back().i >= m || found.back().j >= n) throw nb::index_error("no such pair");
  }
  return found;
}

// The grid of one pair of sequences; keeps the arrays that its scores are in.
struct PyGrid {
  PyGrid(In2<double> match, std::optional<In1<std::int32_t>> row, In1<double> open_x, In1<double> extend_x, In1<double> open_y,
         In1<double> extend_y, const std::string& mode, const std::array<bool, 4>& free_ends, std::int32_t band, const Pairs& required, const Pairs& forbidden)
      : match_(match), row_(row), gaps_{open_x, extend_x, open_y, extend_y}, shape(shape_of(mode, free_ends, band)) {
    const std::size_t m = open_x.size(), n = open_y.size();
    constexpr std::size_t kMost = std::size_t{1} << 30;
    if (m == 0 || n == 0 || m > kMost || n > kMost) throw nb::value_error("sequences must have from 1 to 2^30 positions");
    if (extend_x.size() != m || extend_y.size() != n) throw nb::value_error("open and extend must have one number per position");
    if (match.shape(1) != n) throw nb::value_error("match must have one column per position of y");
    if (row ? row->size() != m : match.shape(0) != m) throw nb::value_error("match must have one row per position of x");
    if (row) {
      for (const std::int32_t r : as_span(*row))
        if (r < 0 || static_cast<std::size_t>(r) >= match.shape(0)) throw nb::index_error("no such row of match");
    }
    auto check = [](const double* scores, std::size_t count) {
      if (!kernels().all_within(scores, static_cast<std::int64_t>(count), programs::kLargestScore))
        throw nb::value_error("scores must be numbers of a size up to 1e300, or -inf");
    };
    check(match.data(), match.size());
    for (const In1<double>& gap : gaps_) check(gap.data(), gap.size());
    scores = {static_cast<std::int32_t>(m), static_cast<std::int32_t>(n), match.data(), open_x.data(), extend_x.data(), open_y.data(), extend_y.data(),
              row ? row->data() : nullptr};
    if (!required && !forbidden) return;
    const auto must = required ? checked_pairs(*required, scores.m, scores.n) : std::vector<Pair>();
    const auto must_not = forbidden ? pairs_within(*forbidden, scores.m, scores.n) : std::vector<Pair>();
    scores = limited_.limit(scores, must, must_not);
  }

 private:
  In2<double> match_;
  std::optional<In1<std::int32_t>> row_;
  In1<double> gaps_[4];
  alignments::LimitedScores limited_;

 public:
  GridScores scores;
  GridShape shape;
};

// Alignments one after the other.
struct Found {
  std::vector<double> scores;
  std::vector<std::int64_t> offsets{0};
  std::vector<Pair> pairs;

  void add(const GridProgram& program, std::span<const Edge> edges, double score) {
    program.pairs_of(edges, one_);
    pairs.insert(pairs.end(), one_.begin(), one_.end());
    offsets.push_back(static_cast<std::int64_t>(pairs.size()));
    scores.push_back(score);
  }
  nb::tuple taken() { return nb::make_tuple(take(std::move(scores)), take(std::move(offsets)), taken_pairs(std::move(pairs))); }

 private:
  std::vector<Pair> one_;
};

// The program of a grid with the scores of its edges, for the queries of all programs.
struct Question {
  explicit Question(const PyGrid& self) : program(self.scores.m, self.scores.n) { program.edge_scores(self.scores, self.shape, scores); }
  GridProgram program;
  std::vector<double> scores;
};

nb::tuple best(const PyGrid& self) {
  double value = 0.0;
  std::vector<Pair> pairs;
  {
    nb::gil_scoped_release release;
    value = alignments::GridSearch().best(self.scores, self.shape, pairs);
  }
  return nb::make_tuple(value, taken_pairs(std::move(pairs)));
}

nb::tuple k_best(const PyGrid& self, std::int32_t k) {
  if (k < 1) throw nb::value_error("k must be at least 1");
  Found found;
  {
    nb::gil_scoped_release release;
    const Question asked(self);
    programs::Best<double> first;
    programs::KBest<GridProgram, double, programs::EdgeScores<double>> search;
    std::vector<Edge> edges;
    if (first.run(asked.program, asked.scores.data()) != kImpossible<double>) {
      search.start(asked.program, {asked.scores.data()}, first.values());
      for (std::int32_t rank = 0; rank < k && search.find(rank); ++rank) {
        search.derivation(rank, edges);
        found.add(asked.program, edges, search.value(rank));
      }
    }
  }
  return found.taken();
}

nb::tuple sums(const PyGrid& self) {
  double log_sum = 0.0;
  alignments::Expected expected;
  {
    nb::gil_scoped_release release;
    log_sum = alignments::AlignmentSums().find(self.scores, self.shape, expected);
  }
  return nb::make_tuple(log_sum, take(std::move(expected.match)), take(std::move(expected.open_x)), take(std::move(expected.extend_x)),
                        take(std::move(expected.open_y)), take(std::move(expected.extend_y)));
}

nb::tuple samples(const PyGrid& self, std::int64_t count, std::uint64_t seed) {
  if (count < 0) throw nb::value_error("the number of samples must not be negative");
  Found found;
  {
    nb::gil_scoped_release release;
    const Question asked(self);
    programs::Sums search;
    if (search.run(asked.program, asked.scores.data()) != kImpossible<double>) {
      programs::Sampler sampler(asked.program, search.chances(), seed);
      std::vector<Edge> edges;
      for (std::int64_t i = 0; i < count; ++i) {
        edges.clear();
        sampler.draw(edges);
        double score = 0.0;
        for (const Edge edge : edges) score += asked.scores[static_cast<std::size_t>(edge)];
        found.add(asked.program, edges, score);
      }
    }
  }
  return found.taken();
}

nb::tuple edges(const PyGrid& self) {
  Question asked(self);
  std::vector<std::int32_t> heads, tails;
  for (programs::Cell cell = 0; cell < asked.program.cells(); ++cell) {
    asked.program.incoming(cell, [&](Edge, programs::Cell tail, programs::Cell) {
      heads.push_back(cell);
      tails.push_back(tail);
    });
  }
  return nb::make_tuple(take(std::move(heads)), take(std::move(tails)), take(std::move(asked.scores)));
}

}  // namespace

void bind_grid(nb::module_& module) {
  nb::class_<PyGrid>(module, "AlignmentGrid", "All alignments of two sequences, with scores of pairs and gaps.")
      .def(nb::init<In2<double>, std::optional<In1<std::int32_t>>, In1<double>, In1<double>, In1<double>, In1<double>, const std::string&,
                    const std::array<bool, 4>&, std::int32_t, const Pairs&, const Pairs&>(),
           nb::arg("match").noconvert(), nb::arg("row").noconvert().none(), nb::arg("open_x").noconvert(), nb::arg("extend_x").noconvert(),
           nb::arg("open_y").noconvert(), nb::arg("extend_y").noconvert(), nb::arg("mode"), nb::arg("free_ends"), nb::arg("band"), nb::arg("required").noconvert().none() = nb::none(),
           nb::arg("forbidden").noconvert().none() = nb::none(), "Only alignments with all required pairs and without forbidden ones are possible.")
      .def(
          "score",
          [](const PyGrid& self, In2<std::int32_t> pairs) {
            return alignments::score_of(self.scores, self.shape, checked_pairs(pairs, self.scores.m, self.scores.n));
          },
          nb::arg("pairs").noconvert(), "The score of an alignment.")
      .def("best", &best, "(score, pairs) of the best alignment; -inf and none where there is no alignment.")
      .def("k_best", &k_best, nb::arg("k"),
           "(scores, offsets into the pairs, pairs) of the k best alignments, or of all where they are fewer.")
      .def("sums", &sums,
           "(log partition, expected pairs, row by row, and expected uses of open_x, extend_x, open_y, extend_y); -inf and zeros where there is none.")
      .def("samples", &samples, nb::arg("count"), nb::arg("seed"),
           "(scores, offsets into the pairs, pairs) of alignments at random; none where there is none.")
      .def("edges", &edges, "(heads, tails, scores) of the edges of the dynamic program; -1 for an edge without a tail.");
}

}  // namespace maxmargin::bindings
