#include "maxmargin/diversity/word_counts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace maxmargin {
namespace {

// What a byte becomes in a word; 0 where it is in none.
constexpr std::array<char, 256> kLetters = [] {
  std::array<char, 256> letters{};
  for (char c = 'a'; c <= 'z'; ++c) letters[static_cast<std::size_t>(c)] = letters[static_cast<std::size_t>(c - 'a' + 'A')] = c;
  for (char c = '0'; c <= '9'; ++c) letters[static_cast<std::size_t>(c)] = c;
  letters['_'] = '_';
  return letters;
}();

}  // namespace

void WordCounter::split(std::string_view text) {
  lower_.resize(text.size());
  std::transform(text.begin(), text.end(), lower_.begin(), [](char c) { return kLetters[static_cast<unsigned char>(c)]; });
  const char *at = lower_.data(), *const end = at + lower_.size();
  while (at < end) {
    const char* const begin = at;
    while (at < end && *at != 0) ++at;
    if (at - begin > 1) add({begin, static_cast<std::size_t>(at - begin)});
    ++at;
  }
}

void WordCounter::add(std::string_view word) { found_.push_back(table_.intern(word, hash_of(word))); }

std::vector<std::int32_t> WordCounter::in_order() const {
  struct Word {
    std::uint64_t first;  // bytes, which tell most words apart
    std::int32_t number;
  };
  std::vector<Word> words(static_cast<std::size_t>(table_.size()));
  for (std::int32_t number = 0; number < table_.size(); ++number) {
    const std::string_view word = table_[number];
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < 8; ++i) first = first << 8 | (i < word.size() ? static_cast<unsigned char>(word[i]) : 0U);
    words[static_cast<std::size_t>(number)] = {first, number};
  }
  std::sort(words.begin(), words.end(), [&](const Word& one, const Word& other) {
    return one.first != other.first ? one.first < other.first : table_[one.number] < table_[other.number];
  });
  std::vector<std::int32_t> order;
  order.reserve(words.size());
  for (const Word& word : words) order.push_back(word.number);
  return order;
}

CountedWords WordCounter::counted() const {
  const std::vector<std::int32_t> order = in_order();
  CountedWords out;
  std::vector<std::int64_t> place(order.size() + 1, 0);  // of the words of each column among all
  for (const std::int32_t number : found_) ++place[static_cast<std::size_t>(number)];
  std::int64_t before = 0;
  for (const std::int32_t number : order) {
    out.words.push_back(table_[number]);
    before += std::exchange(place[static_cast<std::size_t>(number)], before);
  }
  std::vector<std::int32_t> text(found_.size());  // of the words in the order of the columns
  for (std::size_t t = 0; t < ends_.size(); ++t) {
    for (std::int64_t at = t == 0 ? 0 : ends_[t - 1]; at < ends_[t]; ++at) {
      text[static_cast<std::size_t>(place[static_cast<std::size_t>(found_[static_cast<std::size_t>(at)])]++)] = static_cast<std::int32_t>(t);
    }
  }
  // From one word to the next, so that every row is filled in the order of its columns.
  std::vector<std::int64_t> size(ends_.size(), 0);
  std::vector<std::int32_t> columns(found_.size());
  std::vector<std::int64_t> counts(found_.size());
  std::int64_t at = 0;
  for (std::size_t column = 0; column < order.size(); ++column) {
    const std::int64_t end = place[static_cast<std::size_t>(order[column])];
    while (at < end) {
      const auto t = static_cast<std::size_t>(text[static_cast<std::size_t>(at)]);
      const std::int64_t first = at;
      while (at < end && static_cast<std::size_t>(text[static_cast<std::size_t>(at)]) == t) ++at;
      const auto cell = static_cast<std::size_t>((t == 0 ? 0 : ends_[t - 1]) + size[t]++);
      columns[cell] = static_cast<std::int32_t>(column);
      counts[cell] = at - first;
    }
  }
  for (std::size_t t = 0; t < ends_.size(); ++t) {
    const std::int64_t begin = t == 0 ? 0 : ends_[t - 1];
    out.columns.insert(out.columns.end(), columns.begin() + begin, columns.begin() + begin + size[t]);
    out.counts.insert(out.counts.end(), counts.begin() + begin, counts.begin() + begin + size[t]);
    out.ends.push_back(static_cast<std::int64_t>(out.columns.size()));
  }
  return out;
}

}  // namespace maxmargin
