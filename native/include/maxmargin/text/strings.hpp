// Interned strings: an arena of characters and an open-addressing table of numbers in order of first sight.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace maxmargin {

// The same for the same bytes on every machine: hashed columns are part of a model.
std::uint64_t hash_of(std::string_view text);

class StringTable {
 public:
  static constexpr std::int32_t kAbsent = -1;

  StringTable();

  // The strings `characters[ends[i - 1] : ends[i]]`, numbered in this order; throws if two are equal or ends descend.
  StringTable(std::vector<char> characters, std::vector<std::int64_t> ends);

  std::int32_t size() const { return static_cast<std::int32_t>(ends_.size()); }
  std::string_view operator[](std::int32_t number) const;
  const std::vector<char>& characters() const { return characters_; }
  const std::vector<std::int64_t>& ends() const { return ends_; }

  // The number of a string, or kAbsent.
  std::int32_t find(std::string_view text, std::uint64_t hash) const;

  // The number of a string, which gets the next one if it is new; throws std::length_error beyond 2^31 - 1 strings.
  std::int32_t intern(std::string_view text, std::uint64_t hash);

  // Asks for the memory that `find` and `intern` will read first.
  void prefetch(std::uint64_t hash) const;

  // Drops the strings whose flag is 0; the others are numbered again in the same order.
  void keep(std::span<const std::uint8_t> flags);

  // Returns memory kept for growth.
  void shrink();

 private:
  struct Slot {
    std::uint32_t tag;
    std::int32_t number;
  };

  std::size_t place_of(std::string_view text, std::uint64_t hash) const;
  void grow();
  void index_all();

  std::vector<char> characters_;
  std::vector<std::int64_t> ends_;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

}  // namespace maxmargin
