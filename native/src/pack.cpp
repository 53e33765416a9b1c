#include "maxmargin/pack.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace maxmargin {
namespace {

constexpr double kMaskDensity = 0.5;
constexpr double kCopyDensity = 0.2;
constexpr std::int64_t kSampleRows = 512;

// Rows are visited in random order: with small pages most visits would miss the translation cache.
void use_huge_pages(void* memory, std::size_t bytes) {
#if defined(__linux__)
  const std::uintptr_t page = std::uintptr_t{1} << 21, first = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
  (void)memory;
  (void)bytes;
#endif
}

template <class T>
double sampled_density(const T* values, std::int64_t n, std::int64_t width) {
  const std::int64_t stride = std::max<std::int64_t>(1, n / kSampleRows);
  std::int64_t cells = 0, filled = 0;
  for (std::int64_t i = 0; i < n; i += stride, cells += width) {
    for (std::int64_t j = 0; j < width; ++j) filled += values[i * width + j] != T{0};
  }
  return cells == 0 ? 1.0 : static_cast<double>(filled) / static_cast<double>(cells);
}

template <class T>
double square_sum(const T* cells, std::int64_t count) {
  double sum[4] = {};
  std::int64_t j = 0;
  for (; j + 4 <= count; j += 4) {
    for (int v = 0; v < 4; ++v) sum[v] += static_cast<double>(cells[j + v]) * static_cast<double>(cells[j + v]);
  }
  for (; j < count; ++j) sum[0] += static_cast<double>(cells[j]) * static_cast<double>(cells[j]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void take_norm(PackedRows& packed, std::int64_t i, double square) {
  if (!std::isfinite(square) && packed.first_bad < 0) packed.first_bad = i;
  packed.squared_norms[static_cast<std::size_t>(i)] = square + packed.rows.bias * packed.rows.bias;
}

template <class T>
void set_mask(const T* cells, std::int64_t width, std::uint64_t* words) {
  for (std::int64_t base = 0; base < width; base += 64) {
    const std::int64_t end = std::min<std::int64_t>(64, width - base);
    std::uint64_t bits = 0;
    for (std::int64_t j = 0; j < end; ++j) bits |= static_cast<std::uint64_t>(cells[base + j] != T{0}) << j;
    *words++ = bits;
  }
}

constexpr std::int64_t kGroup = 8;

// Whether `kGroup` cells are all +0 or -0, by their bits.
template <class T>
bool all_zero(const T* cells) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  Bits words[kGroup], seen = 0;
  std::memcpy(words, cells, sizeof(words));
  for (Bits word : words) seen |= word;
  return static_cast<Bits>(seen << 1) == 0;
}

// Copies the non-zero cells; false (and no copy) if the sample promised more zeros than there are.
template <class T>
bool copy_narrow(PackedRows& packed, std::vector<T>& values, double density) {
  Rows& rows = packed.rows;
  const T* cells = static_cast<const T*>(rows.values);
  const auto room = static_cast<std::size_t>(1.1 * density * static_cast<double>(rows.n * rows.width)) + 64;
  values.resize(0);
  values.reserve(room + static_cast<std::size_t>(rows.width));
  packed.columns.reserve(room + static_cast<std::size_t>(rows.width));
  use_huge_pages(values.data(), values.capacity() * sizeof(T));
  use_huge_pages(packed.columns.data(), packed.columns.capacity() * sizeof(std::uint16_t));
  packed.offsets.assign(1, 0);
  packed.offsets.reserve(static_cast<std::size_t>(rows.n) + 1);
  std::vector<T> row_values(static_cast<std::size_t>(rows.width) + 1);
  std::vector<std::uint16_t> row_columns(row_values.size());
  for (std::int64_t i = 0; i < rows.n; ++i) {
    const T* row = cells + i * rows.width;
    std::size_t count = 0;
    auto keep = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) {
        row_values[count] = row[j];
        row_columns[count] = static_cast<std::uint16_t>(j);
        count += row[j] != T{0};  // a NaN counts
      }
    };
    std::int64_t j = 0;
    for (; j + kGroup <= rows.width; j += kGroup) {  // zeros come in runs: most groups hold nothing else
      if (!all_zero(row + j)) keep(j, j + kGroup);
    }
    keep(j, rows.width);
    if (values.size() + count > room) {
      values = {};
      packed.columns = {};
      packed.offsets = {};
      return false;
    }
    take_norm(packed, i, square_sum(row_values.data(), static_cast<std::int64_t>(count)));
    values.insert(values.end(), row_values.begin(), row_values.begin() + static_cast<std::ptrdiff_t>(count));
    packed.columns.insert(packed.columns.end(), row_columns.begin(), row_columns.begin() + static_cast<std::ptrdiff_t>(count));
    packed.offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  rows.kind = RowKind::narrow;
  rows.values = values.data();
  rows.narrow = packed.columns.data();
  rows.offsets = packed.offsets.data();
  return true;
}

template <class T>
void pack_as(PackedRows& packed, std::vector<T>& copy) {
  Rows& rows = packed.rows;
  const T* values = static_cast<const T*>(rows.values);
  packed.squared_norms.resize(static_cast<std::size_t>(rows.n));
  if (rows.offsets != nullptr) {
    for (std::int64_t i = 0; i < rows.n; ++i) {
      take_norm(packed, i, square_sum(values + rows.offsets[i], rows.offsets[i + 1] - rows.offsets[i]));
    }
    return;
  }
  const double density = sampled_density(values, rows.n, rows.width);
  if (density <= kCopyDensity && rows.width <= 65535 && copy_narrow(packed, copy, density)) return;
  packed.first_bad = -1;
  rows.kind = density <= kMaskDensity ? RowKind::masked : RowKind::dense;
  if (rows.kind == RowKind::masked) packed.mask.resize(static_cast<std::size_t>(rows.n * rows.mask_words()));
  for (std::int64_t i = 0; i < rows.n; ++i) {
    const T* cells = values + i * rows.width;
    take_norm(packed, i, square_sum(cells, rows.width));
    if (rows.kind == RowKind::masked) set_mask(cells, rows.width, packed.mask.data() + i * rows.mask_words());
  }
  if (rows.kind == RowKind::masked) rows.mask = packed.mask.data();
}

}  // namespace

void pack(PackedRows& packed) {
  if (packed.rows.single) {
    pack_as<float>(packed, packed.singles);
  } else {
    pack_as<double>(packed, packed.doubles);
  }
}

}  // namespace maxmargin
