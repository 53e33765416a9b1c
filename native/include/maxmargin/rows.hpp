// Packed examples: a matrix of n rows and `width` columns, dense or CSR, read in place.
//
// A dense matrix with many zeros carries a bit mask of its non-zero cells (1/64 of the bytes of float64), so that
// the kernels skip zeros without a copy; one with very many is copied to rows with 16-bit column numbers, because
// passes over it are bound by memory traffic (see pack.hpp). `bias` stands for one more, constant, column at index `width`.
#pragma once

#include <cstdint>

namespace maxmargin {

// Asks for a cache line that will be read soon.
inline void prefetch_line(const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#else
  (void)address;
#endif
}

enum class RowKind : std::uint8_t { dense, masked, sparse, narrow };

// One example's feature vector.
struct Row {
  RowKind kind;
  bool single;                  // values are float32, else float64
  const void* values;           // dense, masked: `width` cells; sparse, narrow: `count` cells
  const std::int32_t* indices;  // sparse only
  const std::uint16_t* narrow;  // narrow only
  const std::uint64_t* mask;    // masked only, ceil(width / 64) words
  std::int64_t count;           // cells stored
  std::int64_t width;           // columns without the bias
  double bias;
};

struct Rows {
  RowKind kind = RowKind::dense;
  bool single = false;
  const void* values = nullptr;
  const std::int32_t* indices = nullptr;
  const std::uint16_t* narrow = nullptr;
  const std::int64_t* offsets = nullptr;  // sparse and narrow, n + 1
  const std::uint64_t* mask = nullptr;
  std::int64_t n = 0;
  std::int64_t width = 0;
  double bias = 0.0;

  std::int64_t mask_words() const { return (width + 63) / 64; }
  std::int64_t columns() const { return width + (bias != 0.0 ? 1 : 0); }

  Row operator[](std::int64_t i) const {
    const std::int64_t first = offsets != nullptr ? offsets[i] : i * width;
    const std::int64_t count = offsets != nullptr ? offsets[i + 1] - first : width;
    const void* cells = single ? static_cast<const void*>(static_cast<const float*>(values) + first)
                               : static_cast<const void*>(static_cast<const double*>(values) + first);
    return Row{kind,
               single,
               cells,
               indices == nullptr ? nullptr : indices + first,
               narrow == nullptr ? nullptr : narrow + first,
               mask == nullptr ? nullptr : mask + i * mask_words(),
               count,
               width,
               bias};
  }

  // Brings the cache lines of a row that will be read soon.
  void prefetch(std::int64_t i) const {
    const Row row = (*this)[i];
    auto lines = [](const void* from, std::int64_t bytes) {
      const char* first = static_cast<const char*>(from);
      for (std::int64_t at = 0; at < bytes && at < 2048; at += 64) prefetch_line(first + at);
    };
    lines(row.values, row.count * (single ? 4 : 8));
    if (row.indices != nullptr) lines(row.indices, row.count * 4);
    if (row.narrow != nullptr) lines(row.narrow, row.count * 2);
    if (row.mask != nullptr) lines(row.mask, mask_words() * 8);
  }
};

}  // namespace maxmargin
