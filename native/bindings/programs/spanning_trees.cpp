#include "maxmargin/programs/spanning_trees.hpp"

#include <cmath>
#include <stdexcept>

#include "maxmargin/engine/thread_ranges.hpp"
#include "programs/programs.hpp"

namespace maxmargin::bindings {
namespace {

// Where the tables of scores and the heads of each sentence begin.
struct Tables {
  std::vector<std::int64_t> arcs{0}, words{0};
};

Tables checked(const In1<double>& scores, const In1<std::int32_t>& lengths) {
  Tables tables;
  for (const std::int32_t n : as_span(lengths)) {
    if (n < 1 || n > 30000) throw std::invalid_argument("a sentence must have from 1 to 30,000 words");
    tables.arcs.push_back(tables.arcs.back() + static_cast<std::int64_t>(n) * (n + 1));
    tables.words.push_back(tables.words.back() + n);
  }
  if (tables.arcs.back() != static_cast<std::int64_t>(scores.size()))
    throw std::invalid_argument("scores must hold n (n + 1) numbers for a sentence of n words");
  for (const double score : as_span(scores))
    if (std::isnan(score) || score == INFINITY) throw std::invalid_argument("scores must not be NaN or +inf");
  return tables;
}

template <class T>
std::span<T> piece(T* data, const std::vector<std::int64_t>& offsets, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  return {data + offsets[at], static_cast<std::size_t>(offsets[at + 1] - offsets[at])};
}

}  // namespace

void bind_spanning_trees(nb::module_& module) {
  module.def(
      "best_spanning_trees",
      [](In1<double> scores, In1<std::int32_t> lengths, bool single_root, int threads) {
        const Tables tables = checked(scores, lengths);
        std::vector<std::int32_t> heads(static_cast<std::size_t>(tables.words.back()));
        std::vector<std::uint8_t> found(lengths.size());
        {
          nb::gil_scoped_release release;
          in_parallel(static_cast<std::int64_t>(lengths.size()), threads, [&](int, std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
              found[static_cast<std::size_t>(i)] =
                  best_spanning_tree(piece(scores.data(), tables.arcs, i), lengths.data()[i], single_root,
                                     piece(heads.data(), tables.words, i));
          });
        }
        return nb::make_tuple(take(std::move(heads)), take(std::move(found)));
      },
      nb::arg("scores").noconvert(), nb::arg("lengths").noconvert(), nb::arg("single_root"), nb::arg("threads") = 1,
      "(heads of all words, whether each sentence has a tree) of the best spanning trees. scores holds one table "
      "(words, words + 1) after the other: a row per word, a column per head, 0 the root.");
  module.def(
      "spanning_tree_sums",
      [](In1<double> scores, In1<std::int32_t> lengths, bool single_root, int threads) {
        const Tables tables = checked(scores, lengths);
        std::vector<double> marginals(scores.size()), log_sums(lengths.size());
        {
          nb::gil_scoped_release release;
          in_parallel(static_cast<std::int64_t>(lengths.size()), threads, [&](int, std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
              log_sums[static_cast<std::size_t>(i)] =
                  spanning_tree_sums(piece(scores.data(), tables.arcs, i), lengths.data()[i], single_root,
                                     piece(marginals.data(), tables.arcs, i));
          });
        }
        return nb::make_tuple(take(std::move(log_sums)), take(std::move(marginals)));
      },
      nb::arg("scores").noconvert(), nb::arg("lengths").noconvert(), nb::arg("single_root"), nb::arg("threads") = 1,
      "(log of the sum over all trees, probabilities of arcs) of each sentence, with scores as in best_spanning_trees.");
}

}  // namespace maxmargin::bindings
