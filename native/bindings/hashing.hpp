// Numbers by which data are recognised in a later fit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace maxmargin::bindings {

// Folds bytes into a hash, eight at a time.
inline std::uint64_t mix(std::uint64_t hash, const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  for (; bytes > 0;) {
    const std::size_t taken = std::min<std::size_t>(8, bytes);
    std::uint64_t word = 0;
    std::memcpy(&word, at, taken);
    hash = (hash ^ word) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
    at += taken;
    bytes -= taken;
  }
  return hash;
}
template <class T>
std::uint64_t mix(std::uint64_t hash, const std::vector<T>& values) {
  return mix(hash, values.data(), values.size() * sizeof(T));
}

}  // namespace maxmargin::bindings
