// Packed examples: a matrix of n rows and `width` columns, dense or CSR, read in place.
//
// A dense matrix with many zeros carries a bit mask of its non-zero cells (1/64 of the bytes of float64), so that
// the kernels skip zeros without a copy; one with very many is copied to rows with 16-bit column numbers, and 8-bit numbers
// of values where there are few, because passes over it are bound by memory traffic (see rows/pack.hpp). `bias` stands for one more, constant, column at index `width`.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "maxmargin/rows/kernel_patch.hpp"

namespace maxmargin {

// Asks for a cache line that will be read soon.
inline void prefetch_line(const void* address) {
#if defined(__GNUC__) && defined(__x86_64__)
  asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(address)));  // GCC drops the built-in from loops
#elif defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#else
  (void)address;
#endif
}

// How the columns and values of the cells are stored:
//   dense    all columns, values in place            masked   the same, with a bit mask of the non-zero cells
//   sparse   32-bit columns, values                  ones     32-bit columns, every value is 1
//   narrow   16-bit columns, values                  coded    16-bit columns, 8-bit numbers of values in a palette
//   patched  a row of a patch of a kernel matrix, in place of a unit vector (rows/kernel_patch.hpp)
enum class RowKind : std::uint8_t { dense, masked, sparse, ones, narrow, coded, patched };

// The values of data that has few of them, such as pixels.
struct Palette {
  double fine[256];
  float coarse[256];
  template <class Real>
  const Real* values() const {
    if constexpr (sizeof(Real) == sizeof(double)) return fine;
    else return coarse;
  }
};

// One example's feature vector.
struct Row {
  RowKind kind;
  bool single;                  // values are float32, else float64
  const void* values;           // dense, masked: `width` cells; sparse, narrow: `count` cells
  const std::int32_t* indices;  // sparse, ones
  const std::uint16_t* narrow;  // narrow, coded
  const std::uint8_t* codes;    // coded
  const Palette* palette;       // coded
  const std::uint64_t* mask;    // masked only, ceil(width / 64) words
  std::int64_t count;           // cells stored
  std::int64_t width;           // columns without the bias
  double bias;
  double* patch_scores = nullptr;  // patched: where the scores of the `count` rows of the patch are, label after label
  std::int64_t place = 0;          // of this one among them

  // For code that is not hot.
  std::int64_t column(std::int64_t c) const { return indices != nullptr ? indices[c] : narrow != nullptr ? narrow[c] : c; }
  double value(std::int64_t c) const {
    if (kind == RowKind::ones) return 1.0;
    if (kind == RowKind::coded) return palette->fine[codes[c]];
    return single ? static_cast<double>(static_cast<const float*>(values)[c]) : static_cast<const double*>(values)[c];
  }
};

struct Rows {
  RowKind kind = RowKind::dense;
  bool single = false;
  const void* values = nullptr;
  const std::int32_t* indices = nullptr;
  const std::uint16_t* narrow = nullptr;
  const std::uint8_t* codes = nullptr;
  const Palette* palette = nullptr;
  const std::int64_t* offsets = nullptr;  // unless dense or masked, n + 1
  const std::uint64_t* mask = nullptr;
  std::int64_t n = 0;
  std::int64_t width = 0;
  double bias = 0.0;
  const KernelPatch* kernel = nullptr;  // then rows are unit vectors, and there are 2 n columns

  std::int64_t mask_words() const { return (width + 63) / 64; }
  std::int64_t columns() const { return width + (bias != 0.0 ? 1 : 0); }

  // Row i as weights meet it: of a kernel, one of the patch has its scores and moves these.
  Row operator[](std::int64_t i) const {
    if (kernel != nullptr && kernel->place[static_cast<std::size_t>(i)] >= 0) return patched(kernel->place[static_cast<std::size_t>(i)], bias);
    return stored(i);
  }
  // Row i with its own cells, for sums of rows that are no weights.
  Row stored(std::int64_t i) const {
    const std::int64_t first = offsets != nullptr ? offsets[i] : i * width;
    const std::int64_t count = offsets != nullptr ? offsets[i + 1] - first : width;
    const void* cells = values == nullptr ? nullptr
                        : single          ? static_cast<const void*>(static_cast<const float*>(values) + first)
                                          : static_cast<const void*>(static_cast<const double*>(values) + first);
    return Row{kind,
               single,
               cells,
               indices == nullptr ? nullptr : indices + first,
               narrow == nullptr ? nullptr : narrow + first,
               codes == nullptr ? nullptr : codes + first,
               palette,
               mask == nullptr ? nullptr : mask + i * mask_words(),
               count,
               width,
               bias};
  }

  // Calls change(row) for each row that weights change by where a solver moves along row i: the row itself, or, with a kernel,
  // those of F and of beta.
  template <class Change>
  void each_move(std::int64_t i, Change&& change) const {
    if (kernel == nullptr) return change((*this)[i]);
    const std::int64_t at = kernel->place[static_cast<std::size_t>(i)];
    if (at >= 0) change(patched(at, 0.0));
    change(Row{RowKind::ones, false, nullptr, kernel->unit.data() + i, nullptr, nullptr, nullptr, nullptr, 1, width, bias});
  }
  Row patched(std::int64_t at, double constant) const {
    const double* values = kernel->values + at * kernel->size;
    return Row{RowKind::patched, false, values, nullptr, nullptr, nullptr, nullptr, nullptr, kernel->size, width, constant, kernel->scores, at};
  }
  // Weights at the beginning that are F, `stride` per row; as many after them are beta.
  std::int64_t paired(std::int64_t stride) const { return kernel == nullptr ? 0 : n * stride; }

  // Brings what `prefetch` itself will read.
  void prefetch_early(std::int64_t i) const {
    if (offsets != nullptr) prefetch_line(offsets + i);
    if (mask != nullptr) prefetch_line(mask + i * mask_words());
  }
  // Brings the cache lines of a row that will be read soon, of one with a mask all: to look at the mask first is too late.
  void prefetch(std::int64_t i) const {
    const Row row = (*this)[i];
    auto lines = [](const void* from, std::int64_t bytes) {
      const char* first = static_cast<const char*>(from);
      for (std::int64_t at = 0; at < bytes && at < 2048; at += 64) prefetch_line(first + at);
    };
    if (row.values != nullptr) lines(row.values, row.count * (single ? 4 : 8));
    if (row.codes != nullptr) lines(row.codes, row.count);
    if (row.indices != nullptr) lines(row.indices, row.count * 4);
    if (row.narrow != nullptr) lines(row.narrow, row.count * 2);
  }
  // Brings the weights of the columns of a row, `bytes` a column: those of a few among very many columns are far apart.
  void prefetch_weights(std::int64_t i, const void* weights, std::int64_t bytes) const {
    if (indices == nullptr) return;
    for (std::int64_t c = offsets[i]; c < offsets[i + 1]; ++c) {
      const char* first = static_cast<const char*>(weights) + indices[c] * bytes;
      for (std::int64_t at = 0; at < bytes; at += 64) prefetch_line(first + at);
    }
  }
};

}  // namespace maxmargin
