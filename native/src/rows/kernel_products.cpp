#include "maxmargin/rows/kernel_products.hpp"

#include <algorithm>
#include <numbers>

namespace maxmargin {
namespace {

constexpr std::size_t kTogether = 3 * kPassRows;  // rows whose sums are kept in float32

}  // namespace

struct KernelProducts::Chunk {
  WeightsOf<float> groups;
  std::int64_t count = 0;
  std::vector<std::int32_t> first, place;
  std::vector<float> coefficients;
};

KernelProducts::KernelProducts(std::span<const float> left, std::span<const float> right, std::int64_t depth, int power)
    : depth_(depth),
      rows_(static_cast<std::int64_t>(left.size()) / depth),
      columns_(static_cast<std::int64_t>(right.size()) / depth),
      power_(power),
      left_(left.begin(), left.end()) {
  if (power == 0) {
    for (float& x : left_) x *= std::numbers::log2e_v<float>;
  }
  const std::int64_t width = kernels().value_columns;
  panels_ = (columns_ + width - 1) / width;
  right_.assign(static_cast<std::size_t>(panels_ * depth * width), 0.0F);
  for (std::int64_t c = 0; c < columns_; ++c) {
    float* panel = right_.data() + c / width * depth * width + c % width;
    for (std::int64_t k = 0; k < depth; ++k) panel[k * width] = right[static_cast<std::size_t>(c * depth + k)];
  }
}

void KernelProducts::add(std::span<const std::int32_t> rows, const double* coefficients, std::int64_t labels, double* into) const {
  const Kernels& table = kernels();
  const std::int64_t width = table.value_columns, group = table.value_rows;
  auto chunk_of = [&](std::span<const std::int32_t> some, const double* own) {
    Chunk chunk;
    const auto size = static_cast<std::int64_t>(some.size());
    chunk.count = (size + group - 1) / group * group;
    chunk.groups.assign(static_cast<std::size_t>(chunk.count * depth_), 0.0F);
    for (std::int64_t i = 0; i < size; ++i) {
      const float* row = left_.data() + some[static_cast<std::size_t>(i)] * depth_;
      float* out = chunk.groups.data() + i / group * group * depth_ + i % group;
      for (std::int64_t k = 0; k < depth_; ++k) out[k * group] = row[k];
    }
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
    for (std::int64_t panel = 0; panel < panels_; ++panel) {
      std::fill(sums.begin(), sums.end(), 0.0F);
      for (const Chunk& chunk : chunks) {
        table.add_kernel_values({right_.data() + panel * depth_ * width, chunk.groups.data(), depth_, chunk.count, power_, labels, chunk.first.data(),
                                 chunk.place.data(), chunk.coefficients.data(), sums.data()});
      }
      const std::int64_t count = std::min(width, columns_ - panel * width);
      for (std::int64_t c = 0; c < count; ++c) {
        double* out = into + (panel * width + c) * labels;
        for (std::int64_t label = 0; label < labels; ++label) out[label] += static_cast<double>(sums[static_cast<std::size_t>(label * width + c)]);
      }
    }
  }
}

}  // namespace maxmargin
