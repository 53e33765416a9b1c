// Trees of many sentences: the best ones, lists of them, samples.
#pragma once

#include <cstdint>
#include <vector>

#include "maxmargin/grammars/chart.hpp"
#include "maxmargin/grammars/sentences.hpp"

namespace maxmargin::grammars {

struct TreeLists {
  std::vector<std::int64_t> first{0};  // of the rules of each tree
  std::vector<Anchored> rules;         // each before those below it
  std::vector<double> scores;
  std::vector<std::int64_t> ends{0};  // of the trees of each sentence; a sentence that has none is not an error here
  bool pruned = false;                // a beam left something out
};

// What trees are worth: their score at w over a temperature, or without weights a number per bracket: by sentence, span and column.
struct TreeWorth {
  const double* weights = nullptr;
  double temperature = 1.0, beam = Chart::kNoBeam;
  const double* brackets = nullptr;  // (sum of the spans of all sentences, columns)
};

TreeLists best_trees(const Sentences& sentences, const TreeWorth& worth, int threads);
// The k best derivations of each sentence, best first; fewer where there are fewer. Where a tag is unknown many can be of one tree: with `different` only
// the best one of each counts, and there are fewer than k also if the first 100 k derivations are of fewer trees.
TreeLists best_tree_lists(const Sentences& sentences, const TreeWorth& worth, int k, bool different, int threads);
// Exact samples, `count` per sentence; they depend on the seed and the sentence, not on the number of threads.
TreeLists sampled_trees(const Sentences& sentences, const TreeWorth& worth, int count, std::uint64_t seed, int threads);

struct TreeSums {
  std::vector<double> log_sums;   // log Z per sentence, minus infinity where there is no tree
  std::vector<double> brackets;   // how likely brackets are: (sum of the spans of all sentences, columns)
  std::int64_t listed = 0;        // sentences whose sums were taken in logarithms
};
TreeSums tree_sums(const Sentences& sentences, const TreeWorth& worth, int threads);

// How many times a binary rule meets two parts, for each sentence.
std::vector<std::int64_t> rule_applications(const Sentences& sentences, const double* weights);

}  // namespace maxmargin::grammars
