#include "maxmargin/grammars/decode.hpp"

#include "grammars/grammars.hpp"

namespace maxmargin::bindings {
namespace {

using grammars::TreeLists;
using grammars::TreeWorth;

TreeWorth worth_of(const PySentences& self, const In1<double>& weights, double temperature, std::optional<double> beam) {
  self.check_weights(weights.size());
  if (!(temperature > 0.0)) throw nb::value_error("the temperature must be positive");
  if (beam && !(*beam >= 0.0)) throw nb::value_error("the beam must not be negative");
  return {weights.data(), temperature, beam.value_or(grammars::Chart::kNoBeam)};
}

nb::tuple taken(TreeLists&& trees) {
  return nb::make_tuple(take(std::move(trees.first)), take_rules(std::move(trees.rules)), take(std::move(trees.scores)), take(std::move(trees.ends)),
                        trees.pruned);
}

}  // namespace

void add_tree_predictions(nb::class_<PySentences>& type) {
  type.def(
          "best",
          [](const PySentences& self, In1<double> weights, std::optional<double> beam, int threads) {
            const TreeWorth worth = worth_of(self, weights, 1.0, beam);
            nb::gil_scoped_release release;
            TreeLists trees = grammars::best_trees(self.sentences, worth, threads);
            nb::gil_scoped_acquire acquire;
            return taken(std::move(trees));
          },
          nb::arg("weights").noconvert(), nb::arg("beam").none(), nb::arg("threads"),
          "(offsets of trees, rules at their places, scores, ends of sentences, whether a beam left something out); a sentence may have no tree.")
      .def(
          "best_by",
          [](const PySentences& self, In2<double> brackets, int threads) {
            std::int64_t spans = 0;
            for (std::int64_t i = 0; i < self.n(); ++i) spans += grammars::span_count(std::ssize(self.sentences.words_of(i)));
            if (static_cast<std::int64_t>(brackets.shape(0)) != spans) throw nb::value_error("one row per span is needed");
            if (static_cast<std::int64_t>(brackets.shape(1)) != self.sentences.rules->columns()) throw nb::value_error("one column per kind of bracket is needed");
            const TreeWorth worth{nullptr, 1.0, grammars::Chart::kNoBeam, brackets.data()};
            nb::gil_scoped_release release;
            TreeLists trees = grammars::best_trees(self.sentences, worth, threads);
            nb::gil_scoped_acquire acquire;
            return taken(std::move(trees));
          },
          nb::arg("brackets").noconvert(), nb::arg("threads"), "The same for numbers per bracket: (spans of all sentences, columns).")
      .def(
          "kbest",
          [](const PySentences& self, In1<double> weights, int k, std::optional<double> beam, bool different, int threads) {
            const TreeWorth worth = worth_of(self, weights, 1.0, beam);
            nb::gil_scoped_release release;
            TreeLists trees = grammars::best_tree_lists(self.sentences, worth, k, different, threads);
            nb::gil_scoped_acquire acquire;
            return taken(std::move(trees));
          },
          nb::arg("weights").noconvert(), nb::arg("k"), nb::arg("beam").none(), nb::arg("different"), nb::arg("threads"),
          "The k best derivations of each sentence, or those of different trees, as `best` gives one.")
      .def(
          "samples",
          [](const PySentences& self, In1<double> weights, double temperature, int count, std::uint64_t seed, int threads) {
            const TreeWorth worth = worth_of(self, weights, temperature, std::nullopt);
            nb::gil_scoped_release release;
            TreeLists trees = grammars::sampled_trees(self.sentences, worth, count, seed, threads);
            nb::gil_scoped_acquire acquire;
            return taken(std::move(trees));
          },
          nb::arg("weights").noconvert(), nb::arg("temperature"), nb::arg("count"), nb::arg("seed"), nb::arg("threads"),
          "Exact samples of the trees of each sentence, as `best` gives one.")
      .def(
          "sums",
          [](const PySentences& self, In1<double> weights, double temperature, int threads) {
            const TreeWorth worth = worth_of(self, weights, temperature, std::nullopt);
            nb::gil_scoped_release release;
            grammars::TreeSums found = grammars::tree_sums(self.sentences, worth, threads);
            nb::gil_scoped_acquire acquire;
            return nb::make_tuple(take(std::move(found.log_sums)), take(std::move(found.brackets)), found.listed);
          },
          nb::arg("weights").noconvert(), nb::arg("temperature"), nb::arg("threads"),
          "(log partitions, probabilities of brackets by span and column, how many sentences took logarithms); -inf for a sentence without a tree.")
      .def(
          "applications",
          [](const PySentences& self, In1<double> weights) {
            self.check_weights(weights.size());
            nb::gil_scoped_release release;
            std::vector<std::int64_t> counts = grammars::rule_applications(self.sentences, weights.data());
            nb::gil_scoped_acquire acquire;
            return take(std::move(counts));
          },
          nb::arg("weights").noconvert(), "How often a binary rule meets two parts that have a value, for each sentence.");
}

}  // namespace maxmargin::bindings
