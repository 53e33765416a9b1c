// The true trees of sentences, their brackets, and what a formulation makes of the brackets of another tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/engine/rescaled.hpp"
#include "maxmargin/grammars/sentences.hpp"

namespace maxmargin::grammars {

struct Bracket {
  std::int64_t span;  // span_number
  std::int32_t label;
  friend auto operator<=>(const Bracket&, const Bracket&) = default;
};

// Of a tree: how many brackets it has, and how many of them are true; one that is there twice counts twice, as long as it is true so often.
struct BracketCounts {
  std::int64_t guesses = 0, hits = 0;
};

struct TreeTargets {
  const Sentences* sentences = nullptr;
  std::vector<std::int64_t> first;  // (sentences + 1)
  std::vector<Anchored> truths;     // sorted in each sentence
  std::vector<std::int64_t> first_bracket;
  std::vector<Bracket> brackets;  // sorted in each sentence

  std::span<const Anchored> truth(std::int64_t i) const {
    return {truths.data() + first[static_cast<std::size_t>(i)], truths.data() + first[static_cast<std::size_t>(i) + 1]};
  }
  std::span<const Bracket> gold(std::int64_t i) const {
    return {brackets.data() + first_bracket[static_cast<std::size_t>(i)], brackets.data() + first_bracket[static_cast<std::size_t>(i) + 1]};
  }

  void brackets_of(std::span<const Anchored> tree, std::vector<Bracket>& into) const {
    into.clear();
    for (const Anchored& each : tree) {
      const std::int32_t label = sentences->rules->bracket(each.rule);
      if (label >= 0) into.push_back({span_number(each.start, each.end), label});
    }
    std::ranges::sort(into);
  }
  BracketCounts counts(std::int64_t i, std::span<const Anchored> tree, std::vector<Bracket>& room) const {
    brackets_of(tree, room);
    const std::span<const Bracket> own = gold(i);
    BracketCounts found{std::ssize(room), 0};
    for (std::size_t a = 0, b = 0; a < room.size() && b < own.size();) {
      if (room[a] == own[b]) {
        ++found.hits, ++a, ++b;
      } else {
        room[a] < own[b] ? ++a : ++b;
      }
    }
    return found;
  }
};

// Whether rules at their places derive sentence i: each symbol over a span that is needed, from the start symbol over all of it on, is made by
// one of them, or is a word that needs no rule, and no other is made.
bool is_derivation(const Sentences& sentences, std::int64_t i, std::span<const Anchored> tree);

//   augmented    the best tree by score and loss, which adds up: margin rescaling with linear slack
//   guesses      the best tree at each number of guesses, by score and what its hits take: a margin that is linear in hits where guesses are fixed
//   totals       the best tree at each number of hits and of guesses: every loss that is a function of them
//   second       the best tree other than the truth: the zero-one loss, hard margins
//   prediction   the best tree by its score: the perceptron
enum class TreeGoal : std::uint8_t { augmented, guesses, totals, second, prediction };

struct TreeLoss {
  TreeGoal goal = TreeGoal::augmented;
  double guess = 0.0, hit = 0.0;             // a loss that adds up: guess * guesses + hit * hits + what makes it 0 for the truth
  std::vector<double> margin, scale;         // by hits and guesses: number hits * most guesses + guesses, from first[i] on
  std::vector<std::int64_t> first, guesses;  // `guesses`: one more than the most that a tree of sentence i has
};

struct TreeProblem {
  const TreeTargets* targets;
  const TreeLoss* loss;

  std::int64_t number(std::int64_t i, BracketCounts counts) const { return counts.hits * loss->guesses[static_cast<std::size_t>(i)] + counts.guesses; }
  Rescaled at(std::int64_t i, std::int64_t number) const {
    const auto place = static_cast<std::size_t>(loss->first[static_cast<std::size_t>(i)] + number);
    return {loss->margin[place], loss->scale[place]};
  }
  // Of a tree other than the truth.
  Rescaled rescaled(std::int64_t i, std::span<const Anchored> tree, std::vector<Bracket>& room) const {
    if (loss->goal == TreeGoal::second || loss->goal == TreeGoal::prediction) return at(i, 0);
    const BracketCounts counts = targets->counts(i, tree, room);
    if (loss->goal == TreeGoal::totals || loss->goal == TreeGoal::guesses) return at(i, number(i, counts));
    const auto true_count = static_cast<double>(targets->gold(i).size());
    return {loss->guess * (static_cast<double>(counts.guesses) - true_count) + loss->hit * (static_cast<double>(counts.hits) - true_count), 1.0};
  }
};

}  // namespace maxmargin::grammars
