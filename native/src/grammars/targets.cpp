#include "maxmargin/grammars/targets.hpp"

#include <tuple>

namespace maxmargin::grammars {

bool is_derivation(const Sentences& sentences, std::int64_t i, std::span<const Anchored> tree) {
  using Node = std::tuple<std::int32_t, std::int32_t, Symbol>;
  const Rules& rules = *sentences.rules;
  const std::span<const std::int32_t> words = sentences.words_of(i);
  const auto n = static_cast<std::int32_t>(words.size());
  std::vector<Node> needed{{0, n, rules.start()}}, made, left;
  for (const Anchored& each : tree) {
    if (each.rule < 0 || each.rule >= rules.rules() || each.start < 0 || each.start >= each.end || each.end > n) return false;
    const auto [parent, first, second] = std::tuple{rules.symbols_of(each.rule)[0], rules.symbols_of(each.rule)[1], rules.symbols_of(each.rule)[2]};
    made.emplace_back(each.start, each.end, parent);
    if (second != kNone) {
      if (each.split <= each.start || each.split >= each.end) return false;
      needed.emplace_back(each.start, each.split, first);
      needed.emplace_back(each.split, each.end, second);
    } else if (each.split != kNone) {
      return false;
    } else if (first != kNone) {
      needed.emplace_back(each.start, each.end, first);
    } else if (each.end != each.start + 1) {
      return false;
    }
  }
  std::ranges::sort(needed);
  std::ranges::sort(made);
  if (!std::ranges::includes(needed, made)) return false;
  std::ranges::set_difference(needed, made, std::back_inserter(left));
  return std::ranges::all_of(left, [&](const Node& node) {
    const auto [start, end, symbol] = node;
    if (end != start + 1) return false;
    return std::ranges::any_of(rules.words(words[static_cast<std::size_t>(start)]), [&](const Word& word) { return word.symbol == symbol && word.rule == kNone; });
  });
}

}  // namespace maxmargin::grammars
