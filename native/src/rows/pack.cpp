#include "maxmargin/rows/pack.hpp"

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
  if (!(square <= kLargestSquare) && packed.first_bad < 0) packed.first_bad = i;
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

// Numbers the distinct values of a matrix in the order in which they are met, up to 256.
template <class T>
class PaletteBuilder {
 public:
  static constexpr int kFull = -1;

  // The number of a value, or kFull. A NaN equals nothing and so fills the palette, which sends the caller elsewhere.
  int number_of(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value));
    for (std::uint64_t at = bits * 0x9E3779B97F4A7C15ull >> (64 - kBits);; at = (at + 1) % kSlots) {
      if (slots_[at] < 0) return insert(static_cast<std::size_t>(at), value);
      if (values_[slots_[at]] == value) return slots_[at];
    }
  }
  std::unique_ptr<Palette> palette() const {
    auto made = std::make_unique<Palette>();
    for (int k = 0; k < size_; ++k) {
      made->fine[k] = static_cast<double>(values_[k]);
      made->coarse[k] = static_cast<float>(values_[k]);
    }
    return made;
  }

 private:
  static constexpr int kBits = 10;
  static constexpr std::uint64_t kSlots = 1u << kBits;

  int insert(std::size_t slot, T value) {
    if (size_ == 256) return kFull;
    values_[size_] = value;
    slots_[slot] = static_cast<std::int16_t>(size_);
    return size_++;
  }

  T values_[256] = {};
  std::vector<std::int16_t> slots_ = std::vector<std::int16_t>(kSlots, -1);
  int size_ = 0;
};

// One row's non-zero cells, in order.
template <class T>
struct RowCells {
  std::vector<T> values;
  std::vector<std::uint16_t> columns;
  std::size_t count = 0;

  explicit RowCells(std::int64_t width) : values(static_cast<std::size_t>(width) + 1), columns(values.size()) {}

  void take(const T* row, std::int64_t width) {
    count = 0;
    auto keep = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) {
        values[count] = row[j];
        columns[count] = static_cast<std::uint16_t>(j);
        count += row[j] != T{0};  // a NaN counts
      }
    };
    std::int64_t j = 0;
    for (; j + kGroup <= width; j += kGroup) {  // zeros come in runs: most groups hold nothing else
      if (!all_zero(row + j)) keep(j, j + kGroup);
    }
    keep(j, width);
  }
};

template <class V>
void reserve_huge(V& vector, std::size_t room) {
  vector.reserve(room);
  use_huge_pages(vector.data(), vector.capacity() * sizeof(*vector.data()));
}

// Copies the non-zero cells, their values through `append(values, count)`; false, and no copy, if that says so or if
// the sample promised more zeros than there are.
template <class T, class Append>
bool copy_cells(PackedRows& packed, std::size_t room, Append&& append) {
  Rows& rows = packed.rows;
  const T* cells = static_cast<const T*>(rows.values);
  packed.first_bad = -1;
  packed.columns.clear();
  reserve_huge(packed.columns, room);
  packed.offsets.assign(1, 0);
  packed.offsets.reserve(static_cast<std::size_t>(rows.n) + 1);
  RowCells<T> row(rows.width);
  for (std::int64_t i = 0; i < rows.n; ++i) {
    row.take(cells + i * rows.width, rows.width);
    if (packed.columns.size() + row.count > room || !append(row.values.data(), row.count)) {
      packed.columns = {};
      packed.offsets = {};
      return false;
    }
    take_norm(packed, i, square_sum(row.values.data(), static_cast<std::int64_t>(row.count)));
    packed.columns.insert(packed.columns.end(), row.columns.begin(), row.columns.begin() + static_cast<std::ptrdiff_t>(row.count));
    packed.offsets.push_back(static_cast<std::int64_t>(packed.columns.size()));
  }
  rows.narrow = packed.columns.data();
  rows.offsets = packed.offsets.data();
  return true;
}

template <class T>
bool copy_coded(PackedRows& packed, std::size_t room) {
  PaletteBuilder<T> builder;
  reserve_huge(packed.codes, room);
  const bool copied = copy_cells<T>(packed, room, [&](const T* values, std::size_t count) {
    for (std::size_t c = 0; c < count; ++c) {
      const int number = builder.number_of(values[c]);
      if (number == PaletteBuilder<T>::kFull) return false;
      packed.codes.push_back(static_cast<std::uint8_t>(number));
    }
    return true;
  });
  if (!copied) {
    packed.codes = {};
    return false;
  }
  packed.palette = builder.palette();
  packed.rows.kind = RowKind::coded;
  packed.rows.values = nullptr;
  packed.rows.codes = packed.codes.data();
  packed.rows.palette = packed.palette.get();
  return true;
}

template <class T>
bool copy_narrow(PackedRows& packed, std::vector<T>& copy, std::size_t room) {
  reserve_huge(copy, room);
  const bool copied = copy_cells<T>(packed, room, [&](const T* values, std::size_t count) {
    copy.insert(copy.end(), values, values + count);
    return true;
  });
  if (!copied) {
    copy = {};
    return false;
  }
  packed.rows.kind = RowKind::narrow;
  packed.rows.values = copy.data();
  return true;
}

template <class T>
void pack_as(PackedRows& packed, std::vector<T>& copy, double copy_density) {
  Rows& rows = packed.rows;
  const T* values = static_cast<const T*>(rows.values);
  packed.squared_norms.resize(static_cast<std::size_t>(rows.n));
  if (rows.offsets != nullptr && values == nullptr) {
    for (std::int64_t i = 0; i < rows.n; ++i) take_norm(packed, i, static_cast<double>(rows.offsets[i + 1] - rows.offsets[i]));
    return;
  }
  if (rows.offsets != nullptr) {
    for (std::int64_t i = 0; i < rows.n; ++i) {
      take_norm(packed, i, square_sum(values + rows.offsets[i], rows.offsets[i + 1] - rows.offsets[i]));
    }
    return;
  }
  const double density = sampled_density(values, rows.n, rows.width);
  if (density <= copy_density && rows.width <= 65535) {
    const auto room = static_cast<std::size_t>(1.1 * density * static_cast<double>(rows.n * rows.width)) + 64;
    if (copy_coded<T>(packed, room) || copy_narrow<T>(packed, copy, room)) return;
  }
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

void pack(PackedRows& packed, double copy_density) {
  if (packed.rows.single) {
    pack_as<float>(packed, packed.singles, copy_density);
  } else {
    pack_as<double>(packed, packed.doubles, copy_density);
  }
}

}  // namespace maxmargin
