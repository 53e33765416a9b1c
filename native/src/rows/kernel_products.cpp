#include "maxmargin/rows/kernel_products.hpp"

#include <algorithm>
#include <numbers>

namespace maxmargin {
namespace {

constexpr std::size_t kTogether = 3 * kPassRows;  // rows whose sums are kept in float32

// Row number `at` of those that are packed into groups.
void pack_row(const float* row, std::int64_t depth, std::int64_t at, float* groups) {
  const std::int64_t group = kernels().value_rows;
  float* out = groups + at / group * group * depth + at % group;
  for (std::int64_t k = 0; k < depth; ++k) out[k * group] = row[k];
}

std::int64_t whole_groups(std::int64_t rows) {
  const std::int64_t group = kernels().value_rows;
  return (rows + group - 1) / group * group;
}

}  // namespace

struct KernelProducts::Chunk {
  WeightsOf<float> groups;
  std::int64_t count = 0;
  std::vector<std::int32_t> first, place;
  std::vector<float> coefficients;
};

KernelColumns::KernelColumns(std::span<const float> columns, std::int64_t depth, int power)
    : depth_(depth), count_(static_cast<std::int64_t>(columns.size()) / depth), panels_(0), power_(power) {
  const std::int64_t width = kernels().value_columns;
  const float unit = power == 0 ? std::numbers::log2e_v<float> : 1.0F;
  panels_ = (count_ + width - 1) / width;
  numbers_.assign(static_cast<std::size_t>(panels_ * depth * width), 0.0F);
  for (std::int64_t c = 0; c < count_; ++c) {
    float* panel = numbers_.data() + c / width * depth * width + c % width;
    for (std::int64_t k = 0; k < depth; ++k) panel[k * width] = unit * columns[static_cast<std::size_t>(c * depth + k)];
  }
}

KernelProducts::KernelProducts(std::span<const float> left, std::span<const float> right, std::int64_t depth, int power)
    : rows_(static_cast<std::int64_t>(left.size()) / depth), left_(left.begin(), left.end()), right_(right, depth, power) {}

void KernelProducts::add(std::span<const std::int32_t> rows, const double* coefficients, std::int64_t labels, double* into) const {
  const Kernels& table = kernels();
  const std::int64_t width = table.value_columns, depth = right_.depth();
  auto chunk_of = [&](std::span<const std::int32_t> some, const double* own) {
    Chunk chunk;
    const auto size = static_cast<std::int64_t>(some.size());
    chunk.count = whole_groups(size);
    chunk.groups.assign(static_cast<std::size_t>(chunk.count * depth), 0.0F);
    for (std::int64_t i = 0; i < size; ++i) pack_row(left_.data() + some[static_cast<std::size_t>(i)] * depth, depth, i, chunk.groups.data());
    chunk.first.push_back(0);
    for (std::int64_t label = 0; label < labels; ++label) {
      for (std::int64_t i = 0; i < size; ++i) {
        const double c = own[i * labels + label];
        if (c != 0.0) chunk.place.push_back(static_cast<std::int32_t>(i)), chunk.coefficients.push_back(static_cast<float>(c));
      }
      chunk.first.push_back(static_cast<std::int32_t>(chunk.place.size()));
    }
    return chunk;
  };
  std::vector<Chunk> chunks;
  WeightsOf<float> sums(static_cast<std::size_t>(labels * width));
  for (std::size_t begin = 0; begin < rows.size(); begin += kTogether) {
    chunks.clear();
    const std::size_t end = std::min(rows.size(), begin + kTogether);
    for (std::size_t at = begin; at < end; at += kPassRows) {
      const auto some = rows.subspan(at, std::min<std::size_t>(kPassRows, end - at));
      chunks.push_back(chunk_of(some, coefficients + static_cast<std::int64_t>(at) * labels));
    }
    for (std::int64_t panel = 0; panel < right_.panels(); ++panel) {
      std::fill(sums.begin(), sums.end(), 0.0F);
      for (const Chunk& chunk : chunks) {
        table.add_kernel_values({right_.panel(panel), chunk.groups.data(), depth, chunk.count, right_.power(), labels, chunk.first.data(),
                                 chunk.place.data(), chunk.coefficients.data(), sums.data()});
      }
      const std::int64_t count = std::min(width, columns() - panel * width);
      for (std::int64_t c = 0; c < count; ++c) {
        double* out = into + (panel * width + c) * labels;
        for (std::int64_t label = 0; label < labels; ++label) out[label] += static_cast<double>(sums[static_cast<std::size_t>(label * width + c)]);
      }
    }
  }
}

void kernel_features(std::span<const float> rows, const KernelColumns& columns, const float* factor, std::int64_t width, bool upper, float* out) {
  constexpr std::int64_t kRows = 96;    // whose values stay in the second cache
  constexpr std::int64_t kDeep = 256;   // numbers of a panel that stay in the first cache
  const Kernels& table = kernels();
  const std::int64_t side = table.value_columns, depth = columns.depth(), count = columns.count();
  const std::int64_t panels = (width + side - 1) / side, apart = panels * side, own = columns.panels() * side;
  WeightsOf<float> packed(static_cast<std::size_t>(panels * count * side), 0.0F);  // the factor, panel after panel
  for (std::int64_t c = 0; c < count; ++c) {
    for (std::int64_t k = 0; k < width; ++k) packed[static_cast<std::size_t>((k / side * count + c) * side + k % side)] = factor[c * width + k];
  }
  const auto n = static_cast<std::int64_t>(rows.size()) / depth, most = std::min(whole_groups(n), whole_groups(kRows));
  WeightsOf<float> groups(static_cast<std::size_t>(most * depth)), values(static_cast<std::size_t>(most * own)), sums(static_cast<std::size_t>(most * apart));
  for (std::int64_t begin = 0; begin < n; begin += kRows) {
    const std::int64_t some = std::min(kRows, n - begin), whole = whole_groups(some);
    for (std::int64_t i = 0; i < some; ++i) pack_row(rows.data() + (begin + i) * depth, depth, i, groups.data());
    for (std::int64_t panel = 0; panel < columns.panels(); ++panel) {
      table.kernel_values(columns.panel(panel), groups.data(), depth, whole, columns.power(), values.data() + panel * side, own);
    }
    std::fill(sums.begin(), sums.end(), 0.0F);
    for (std::int64_t first = 0; first < count; first += kDeep) {
      for (std::int64_t panel = upper ? first / side : 0; panel < panels; ++panel) {
        const std::int64_t last = std::min({count, first + kDeep, upper ? (panel + 1) * side : count});
        table.add_products(values.data() + first, own, whole, packed.data() + (panel * count + first) * side, last - first, sums.data() + panel * side, apart);
      }
    }
    for (std::int64_t i = 0; i < some; ++i) std::copy_n(sums.data() + i * apart, width, out + (begin + i) * width);
  }
}

}  // namespace maxmargin
