#include "maxmargin/text/strings.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

namespace maxmargin {
namespace {

constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15u, kSecond = 0xd6e8feb86659fd93u;
constexpr std::size_t kFewestSlots = 64;

template <class Word>
std::uint64_t word_at(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  if constexpr (std::endian::native == std::endian::big) {
    Word turned = 0;
    for (std::size_t i = 0; i < sizeof(word); ++i) turned = static_cast<Word>(turned << 8 | (word >> (8 * i) & 0xff));
    word = turned;
  }
  return word;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * kSecond;
  return hash ^ hash >> 32;
}

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

std::uint64_t hash_of(std::string_view text) {
  const char* from = text.data();
  const std::size_t size = text.size();
  std::uint64_t hash = kFirst ^ size * kSecond;
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) hash = mixed(hash, word_at<std::uint64_t>(from + i));
    hash = mixed(hash, word_at<std::uint64_t>(from + size - 8));  // may overlap the word before
  } else if (size >= 4) {
    hash = mixed(hash, word_at<std::uint32_t>(from) | word_at<std::uint32_t>(from + size - 4) << 32);
  } else if (size > 0) {
    const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(from[i])}; };
    hash = mixed(hash, byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16);
  }
  return mixed(hash, kFirst);
}

StringTable::StringTable() : slots_(kFewestSlots, Slot{0, kAbsent}) {}

StringTable::StringTable(std::vector<char> characters, std::vector<std::int64_t> ends)
    : characters_(std::move(characters)), ends_(std::move(ends)) {
  std::int64_t begin = 0;
  for (std::int64_t end : ends_) {
    if (end < begin) throw std::invalid_argument("the ends of the strings descend");
    begin = end;
  }
  if (begin != static_cast<std::int64_t>(characters_.size())) {
    throw std::invalid_argument("the strings do not use up the characters");
  }
  if (ends_.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::length_error("there are more than 2147483647 strings");
  }
  index_all();
}

std::string_view StringTable::operator[](std::int32_t number) const {
  const auto i = static_cast<std::size_t>(number);
  const std::int64_t begin = i == 0 ? 0 : ends_[i - 1];
  return {characters_.data() + begin, static_cast<std::size_t>(ends_[i] - begin)};
}

// The slot of the string, or the free one where it belongs.
std::size_t StringTable::place_of(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint32_t tag = tag_of(hash);
  for (std::size_t place = tag & mask;; place = (place + 1) & mask) {
    const Slot& slot = slots_[place];
    if (slot.number == kAbsent || (slot.tag == tag && (*this)[slot.number] == text)) return place;
  }
}

std::int32_t StringTable::find(std::string_view text, std::uint64_t hash) const {
  return slots_[place_of(text, hash)].number;
}

std::int32_t StringTable::intern(std::string_view text, std::uint64_t hash) {
  Slot& slot = slots_[place_of(text, hash)];
  if (slot.number != kAbsent) return slot.number;
  if (size() == std::numeric_limits<std::int32_t>::max())
    throw std::length_error("there are more than 2147483647 strings");
  const std::int32_t number = size();
  characters_.insert(characters_.end(), text.begin(), text.end());
  ends_.push_back(static_cast<std::int64_t>(characters_.size()));
  slot = {tag_of(hash), number};
  if (2 * ends_.size() > slots_.size()) grow();
  return number;
}

void StringTable::prefetch(std::uint64_t hash) const {
#if defined(__GNUC__)
  __builtin_prefetch(&slots_[tag_of(hash) & (slots_.size() - 1)]);
#else
  (void)hash;
#endif
}

void StringTable::keep(std::span<const std::uint8_t> flags) {
  if (flags.size() != ends_.size()) throw std::invalid_argument("one flag a string is needed");
  std::size_t kept = 0;
  std::int64_t begin = 0, written = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::int64_t end = ends_[i];
    if (flags[i]) {
      std::memmove(characters_.data() + written, characters_.data() + begin, static_cast<std::size_t>(end - begin));
      written += end - begin;
      ends_[kept++] = written;
    }
    begin = end;
  }
  ends_.resize(kept);
  characters_.resize(static_cast<std::size_t>(written));
  index_all();
}

void StringTable::shrink() {
  characters_.shrink_to_fit();
  ends_.shrink_to_fit();
}

void StringTable::index_all() {
  slots_.assign(std::max(kFewestSlots, std::bit_ceil(2 * ends_.size() + 2)), Slot{0, kAbsent});
  for (std::int32_t number = 0; number < size(); ++number) {
    const std::uint64_t hash = hash_of((*this)[number]);
    Slot& slot = slots_[place_of((*this)[number], hash)];
    if (slot.number != kAbsent) throw std::invalid_argument("two strings are equal");
    slot = {tag_of(hash), number};
  }
}

// The strings are known to differ and the tags give their places: no string is read.
void StringTable::grow() {
  std::vector<Slot> wider(4 * slots_.size(), Slot{0, kAbsent});
  const std::size_t mask = wider.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.number == kAbsent) continue;
    std::size_t place = slot.tag & mask;
    while (wider[place].number != kAbsent) place = (place + 1) & mask;
    wider[place] = slot;
  }
  slots_ = std::move(wider);
}

}  // namespace maxmargin
