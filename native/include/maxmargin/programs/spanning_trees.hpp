// Spanning arborescences of a sentence: every word 1..n has one head, another word or the root 0, and no cycles.
#pragma once

#include <cstdint>
#include <span>

namespace maxmargin {

// The tree of the highest sum of scores[(d - 1) * (n + 1) + h] over the words d and their heads h, into heads[d - 1].
// Arcs of score -inf are absent, as are those from a word to itself. With single_root exactly one word hangs on the
// root. Returns false, and leaves heads undefined, where there is no such tree. Edmonds' algorithm in the form of
// Tarjan (1977) for dense graphs, O(n^2) time. Numbers of arcs from the root are compared before scores, so that a
// single root takes no large constants.
bool best_spanning_tree(std::span<const double> scores, std::int32_t n, bool single_root,
                        std::span<std::int32_t> heads);

// log sum_y exp(score of y) over the same trees, and the probability of every arc into marginals, by the matrix-tree
// theorem (Koo et al. 2007; Smith and Smith 2007) in O(n^3) time; -inf, and zeros, where there is no tree. Words are
// eliminated as states of a Markov chain, without subtractions (Grassmann, Taksar and Heyman 1985), so that no
// digits cancel; where numbers leave the range of doubles, the same is done with their logarithms.
double spanning_tree_sums(std::span<const double> scores, std::int32_t n, bool single_root,
                          std::span<double> marginals);

}  // namespace maxmargin
