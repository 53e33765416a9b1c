#include "maxmargin/grammars/decode.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/grammars/forest.hpp"
#include "maxmargin/grammars/sums.hpp"
#include "maxmargin/grammars/tree_sampler.hpp"
#include "maxmargin/grammars/worth.hpp"
#include "maxmargin/programs/kbest.hpp"
#include "maxmargin/programs/samples.hpp"
#include "maxmargin/programs/sums.hpp"

namespace maxmargin::grammars {
namespace {

void append(TreeLists& all, TreeLists&& part) {
  const std::int64_t rules = all.first.back(), trees = all.ends.back();
  for (std::size_t k = 1; k < part.first.size(); ++k) all.first.push_back(rules + part.first[k]);
  for (std::size_t k = 1; k < part.ends.size(); ++k) all.ends.push_back(trees + part.ends[k]);
  all.rules.insert(all.rules.end(), part.rules.begin(), part.rules.end());
  all.scores.insert(all.scores.end(), part.scores.begin(), part.scores.end());
  all.pruned = all.pruned || part.pruned;
}

void add_tree(TreeLists& trees, std::span<const Anchored> rules, double score) {
  trees.rules.insert(trees.rules.end(), rules.begin(), rules.end());
  trees.first.push_back(std::ssize(trees.rules));
  trees.scores.push_back(score);
}

// Calls find(scratch, sentence, chart, trees) for each sentence that has a tree, after its chart was filled: without a beam where that has left none.
template <class Scratch, class Find>
TreeLists collect(const Sentences& sentences, const TreeWorth& worth, int threads, Find&& find) {
  std::vector<TreeLists> parts(static_cast<std::size_t>(thread_count(sentences.n(), threads)));
  in_parallel(sentences.n(), threads, [&](int share, std::int64_t begin, std::int64_t end) {
    TreeLists& part = parts[static_cast<std::size_t>(share)];
    WorthScorer scorer(sentences, worth);
    Chart chart;
    Scratch own;
    for (std::int64_t i = begin; i < end; ++i) {
      const SentenceScores& scores = scorer.of(i);
      double value = chart.best(*sentences.rules, sentences.words_of(i), scores, worth.beam);
      part.pruned = part.pruned || chart.pruned();
      if (value == kImpossible<double> && chart.pruned()) value = chart.best(*sentences.rules, sentences.words_of(i), scores);
      if (value != kImpossible<double>) find(own, i, chart, part);
      part.ends.push_back(std::ssize(part.scores));
    }
  });
  TreeLists all = std::move(parts.front());
  for (std::size_t k = 1; k < parts.size(); ++k) append(all, std::move(parts[k]));
  return all;
}

constexpr std::int32_t kDerivations = 100;  // looked at for each tree of a list, where many are of one tree

// What can be seen of a derivation, equal for derivations of one tree: its brackets and its lexical rules at their places.
void visible(const Rules& rules, std::span<const Anchored> derivation, std::vector<std::int32_t>& into) {
  into.clear();
  for (const Anchored& each : derivation) {
    const bool lexical = each.rule >= rules.binary() + rules.unary();
    if (lexical || rules.bracket(each.rule) >= 0) into.insert(into.end(), {lexical ? -1 - each.rule : rules.bracket(each.rule), each.start, each.end});
  }
}

}  // namespace

TreeLists best_trees(const Sentences& sentences, const TreeWorth& worth, int threads) {
  return collect<std::vector<Anchored>>(sentences, worth, threads, [](std::vector<Anchored>& tree, std::int64_t, Chart& chart, TreeLists& trees) {
    chart.derivation(tree);
    add_tree(trees, tree, chart.values()[chart.goal()]);
  });
}

TreeLists best_tree_lists(const Sentences& sentences, const TreeWorth& worth, int k, bool different, int threads) {
  struct Scratch {
    programs::KBest<ChartProgram, double, ChartScores> list;
    std::vector<Anchored> tree;
    std::vector<std::int32_t> shape;
    std::set<std::vector<std::int32_t>> seen;
  };
  const std::int64_t asked = std::int64_t{k} * (different ? kDerivations : 1);
  const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(asked, std::numeric_limits<std::int32_t>::max()));
  return collect<Scratch>(sentences, worth, threads, [k, different, most](Scratch& own, std::int64_t, Chart& chart, TreeLists& trees) {
    const ChartProgram program(chart);
    own.list.start(program, {&program}, chart.values());
    own.seen.clear();
    for (std::int32_t rank = 0; rank < most && std::ssize(own.seen) < k && own.list.find(rank); ++rank) {
      own.tree.clear();
      own.list.walk(rank, [&](Cell cell, Edge edge) { program.add_rules(cell, edge, own.tree); });
      if (different) visible(chart.rules(), own.tree, own.shape);
      if (!different || own.seen.insert(own.shape).second) add_tree(trees, own.tree, own.list.value(rank));
    }
  });
}

TreeLists sampled_trees(const Sentences& sentences, const TreeWorth& worth, int count, std::uint64_t seed, int threads) {
  struct Scratch {
    ChartSums inside;
    Forest forest;
    programs::Sums sums;
    std::vector<Edge> edges;
    std::vector<Anchored> tree;
  };
  return collect<Scratch>(sentences, worth, threads, [&, count, seed](Scratch& own, std::int64_t i, Chart& chart, TreeLists& trees) {
    const std::uint64_t own_seed = seed ^ (0x9E3779B97F4A7C15ull * static_cast<std::uint64_t>(i + 1));
    own.inside.run(chart, sentences, i, nullptr);
    if (!own.inside.listed()) {
      TreeSampler sampler(chart, own.inside, own_seed);
      for (int k = 0; k < count; ++k) {
        const double score = sampler.draw(own.tree);
        add_tree(trees, own.tree, score);
      }
      return;
    }
    const ChartProgram program(chart);  // numbers that are too large or too small: by logarithms, over a list of all edges
    own.forest.list(program);
    const programs::Edges<2> edges = own.forest.edges();
    own.sums.run(edges, own.forest.scores().data());
    programs::Sampler sampler(edges, own.sums.chances(), own_seed);
    for (int k = 0; k < count; ++k) {
      own.edges.clear();
      sampler.draw(own.edges);
      double score = 0.0;
      for (const Edge edge : own.edges) score += own.forest.scores()[static_cast<std::size_t>(edge)];
      own.forest.rules(own.edges, own.tree);
      add_tree(trees, own.tree, score);
    }
  });
}

TreeSums tree_sums(const Sentences& sentences, const TreeWorth& worth, int threads) {
  const std::int64_t columns = sentences.rules->columns();
  std::vector<std::int64_t> first{0};
  for (std::int64_t i = 0; i < sentences.n(); ++i) first.push_back(first.back() + span_count(std::ssize(sentences.words_of(i))));
  TreeSums found{std::vector<double>(static_cast<std::size_t>(sentences.n()), kImpossible<double>), std::vector<double>(static_cast<std::size_t>(first.back() * columns))};
  std::vector<std::int64_t> listed(static_cast<std::size_t>(thread_count(sentences.n(), threads)));
  in_parallel(sentences.n(), threads, [&](int share, std::int64_t begin, std::int64_t end) {
    WorthScorer scorer(sentences, worth);
    Chart chart;
    ChartSums sums;
    for (std::int64_t i = begin; i < end; ++i) {
      if (chart.best(*sentences.rules, sentences.words_of(i), scorer.of(i)) == kImpossible<double>) continue;
      double* brackets = found.brackets.data() + first[static_cast<std::size_t>(i)] * columns;
      found.log_sums[static_cast<std::size_t>(i)] = sums.run(chart, sentences, i, brackets);
      listed[static_cast<std::size_t>(share)] += sums.listed();
    }
  });
  for (const std::int64_t count : listed) found.listed += count;
  return found;
}

std::vector<std::int64_t> rule_applications(const Sentences& sentences, const double* weights) {
  std::vector<std::int64_t> counts;
  const TreeWorth worth{weights};
  WorthScorer scorer(sentences, worth);
  Chart chart;
  for (std::int64_t i = 0; i < sentences.n(); ++i) {
    chart.best(*sentences.rules, sentences.words_of(i), scorer.of(i), Chart::kNoBeam, true);
    counts.push_back(chart.applications());
  }
  return counts;
}

}  // namespace maxmargin::grammars
