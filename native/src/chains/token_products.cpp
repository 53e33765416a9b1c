#include "maxmargin/chains/token_products.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {
namespace {

constexpr double kFar = 16.0;                    // what a number costs that is not in the cache, in operations
constexpr std::int64_t kNear = std::int64_t{1} << 18;  // bytes that are

std::int64_t cell_count(const Rows& rows, std::int64_t begin, std::int64_t end) {
  const std::int64_t stored = rows.offsets != nullptr ? rows.offsets[end] - rows.offsets[begin] : (end - begin) * rows.width;
  return stored + (rows.bias != 0.0 ? end - begin : 0);
}

}  // namespace

bool TokenProducts::fits(std::int64_t i) const {
  if (rows_.kernel != nullptr) return true;  // there is no other way
  constexpr std::int64_t kNumbers = 2;  // of 4 bytes per cell, which itself takes 4 to 12 bytes
  return length(i) * (length(i) + 1) / 2 <= kNumbers * cell_count(rows_, offsets_[i], offsets_[i + 1]);
}

double TokenProducts::price(std::int64_t i, double most) {
  float& price = price_[static_cast<std::size_t>(i)];
  if (price > 0.0F) return static_cast<double>(price);
  const auto cells = static_cast<double>(cell_count(rows_, offsets_[i], offsets_[i + 1]));
  const double sorting = cells * std::log2(cells + 1.0);
  if (sorting > most) return sorting;
  sort_cells(i);
  double pairs = rows_.bias != 0.0 ? 0.5 * static_cast<double>(length(i) * length(i)) : 0.0;
  for (std::size_t begin = 0, end = 0; begin < cells_.size(); begin = end) {
    while (end < cells_.size() && cells_[end].column == cells_[begin].column) ++end;
    pairs += 0.5 * static_cast<double>((end - begin) * (end - begin + 1));
  }
  price = static_cast<float>(sorting + pairs);
  return static_cast<double>(price);
}

void TokenProducts::open(std::int64_t i) {
  std::unique_ptr<float[]>& stored = kept_[static_cast<std::size_t>(i)];
  if (!stored) {
    stored = std::make_unique<float[]>(static_cast<std::size_t>(length(i) * (length(i) + 1) / 2));
    if (rows_.kernel != nullptr) {
      look_up(i, stored.get());
    } else {
      sort_cells(i);
      add_products(length(i), stored.get());
    }
  }
  current_ = stored.get();
}

void TokenProducts::look_up(std::int64_t i, float* products) const {
  const double constant = rows_.bias * rows_.bias;
  for (std::int64_t s = 0; s < length(i); ++s) {
    for (std::int64_t t = 0; t <= s; ++t) products[triangle(s, t)] = static_cast<float>((*rows_.kernel)(offsets_[i] + s, offsets_[i] + t) + constant);
  }
}

// By column, and by token within one: digit by digit, each in one stable pass, from cells in the order of their tokens.
void TokenProducts::sort_cells(std::int64_t i) {
  if (std::exchange(sorted_, i) == i) return;
  cells_.clear();
  for (std::int64_t t = 0; t < length(i); ++t) {
    const Row row = rows_[offsets_[i] + t];
    for (std::int64_t c = 0; c < row.count; ++c) {
      cells_.push_back({static_cast<std::int32_t>(row.column(c)), static_cast<std::int32_t>(t), row.value(c)});
    }
  }
  constexpr int kBits = 8;
  constexpr std::size_t kDigits = std::size_t{1} << kBits;
  spare_.resize(cells_.size());
  for (int shift = 0; shift < 32 && rows_.columns() - 1 >> shift > 0; shift += kBits) {
    auto digit = [&](const Cell& cell) { return static_cast<std::size_t>(cell.column) >> shift & (kDigits - 1); };
    std::size_t place[kDigits + 1] = {};
    for (const Cell& cell : cells_) ++place[digit(cell) + 1];
    for (std::size_t d = 0; d < kDigits; ++d) place[d + 1] += place[d];
    for (const Cell& cell : cells_) spare_[place[digit(cell)]++] = cell;
    std::swap(cells_, spare_);
  }
}

// Only tokens that share a column meet.
void TokenProducts::add_products(std::int64_t length, float* products) const {
  for (std::size_t begin = 0, end = 0; begin < cells_.size(); begin = end) {
    while (end < cells_.size() && cells_[end].column == cells_[begin].column) ++end;
    for (std::size_t s = begin; s < end; ++s) {
      for (std::size_t t = begin; t <= s; ++t) {
        products[triangle(cells_[s].token, cells_[t].token)] += static_cast<float>(cells_[s].value * cells_[t].value);
      }
    }
  }
  const double constant = rows_.bias * rows_.bias;
  if (constant == 0.0) return;
  for (std::int64_t k = 0; k < length * (length + 1) / 2; ++k) products[k] += static_cast<float>(constant);
}

void ChangedScores::open(std::int64_t i, const std::vector<ChangedLabel>& changed, std::size_t touches) {
  changed_ = &changed;
  first_ = offsets_[i];
  choose(i, touches);
  if (by_rows_) {
    const auto length = static_cast<std::size_t>(offsets_[i + 1] - first_);
    known_.assign(length, 0);
    if (scores_.size() < length * static_cast<std::size_t>(width_)) scores_.resize(length * static_cast<std::size_t>(width_));
  }
  if (looked_up_) products_.open(i);
  else spread();
}

// Counts the operations of every way.
void ChangedScores::choose(std::int64_t i, std::size_t touches) {
  const auto length = static_cast<double>(offsets_[i + 1] - first_), width = static_cast<double>(width_);
  const auto changes = static_cast<double>(changed_->size()), asked = static_cast<double>(touches);
  const double tokens = std::min(length, asked);
  const double cells = static_cast<double>(cell_count(rows_, first_, offsets_[i + 1])) / length;
  const double reach = rows_.columns() * width_ * static_cast<std::int64_t>(sizeof(double)) > kNear ? kFar : 1.0;
  const double table_rows = tokens * (2.0 * changes + 0.25 * width), table_single = 2.0 * asked * changes;
  const double plane_rows = 0.25 * tokens * cells * width, plane_single = 2.0 * asked * cells;
  const double table = std::min(table_rows, table_single);
  const double plane = reach * (4.0 * changes * cells + std::min(plane_rows, plane_single));
  if (rows_.kernel != nullptr) {
    looked_up_ = true;
    by_rows_ = table_rows < table_single;
    return;
  }
  looked_up_ = table < plane && products_.kept(i);
  if (table < plane && !looked_up_ && products_.fits(i)) {
    float& saved = saved_[static_cast<std::size_t>(i)];
    saved += static_cast<float>(plane - table);
    looked_up_ = saved >= products_.price(i, static_cast<double>(saved));
  }
  by_rows_ = looked_up_ ? table_rows < table_single : plane_rows < plane_single;
}

void ChangedScores::spread() {
  if (!plane_) {
    plane_.reset(static_cast<double*>(std::calloc(static_cast<std::size_t>(rows_.columns() * width_), sizeof(double))));
    if (!plane_) throw std::bad_alloc();
  }
  for (const ChangedLabel& change : *changed_) {
    const std::int32_t place[] = {change.truth, change.label};
    const double weight[] = {change.weight, -change.weight};
    kernels().fine.update_few(rows_[first_ + change.token], plane_.get(), static_cast<int>(width_), place, weight, 2);
  }
}

void ChangedScores::close() {
  if (looked_up_) return;
  for (const ChangedLabel& change : *changed_) {
    const Row row = rows_[first_ + change.token];
    auto clear = [&](std::int64_t column) { plane_[column * width_ + change.truth] = plane_[column * width_ + change.label] = 0.0; };
    for (std::int64_t c = 0; c < row.count; ++c) clear(row.column(c));
    if (row.bias != 0.0) clear(row.width);
  }
}

// <x_s, sum over the changes at tokens t of weight_t x_t <e(truth) - e(label), e(truth_t) - e(label_t)>>
double ChangedScores::single(const ChangedLabel& change) const {
  double sum = 0.0;
  if (looked_up_) {
    for (const ChangedLabel& own : *changed_) {
      const int shared = (own.truth == change.truth) - (own.label == change.truth) - (own.truth == change.label) + (own.label == change.label);
      if (shared != 0) sum += shared * own.weight * products_(change.token, own.token);
    }
    return sum;
  }
  const Row row = rows_[first_ + change.token];
  const double* truth = plane_.get() + change.truth;
  const double* label = plane_.get() + change.label;
  for (std::int64_t c = 0; c < row.count; ++c) {
    const std::int64_t at = row.column(c) * width_;
    sum += row.value(c) * (truth[at] - label[at]);
  }
  if (row.bias != 0.0) sum += row.bias * (truth[row.width * width_] - label[row.width * width_]);
  return sum;
}

const double* ChangedScores::row(std::int32_t token) {
  double* scores = scores_.data() + token * width_;
  if (std::exchange(known_[static_cast<std::size_t>(token)], 1) != 0) return scores;
  if (!looked_up_) {
    row_scores(rows_[first_ + token], plane_.get(), static_cast<int>(width_), scores);
    return scores;
  }
  std::fill_n(scores, width_, 0.0);
  for (const ChangedLabel& change : *changed_) {
    const double product = change.weight * products_(token, change.token);
    scores[change.truth] += product;
    scores[change.label] -= product;
  }
  return scores;
}

double ChangedScores::product(const std::vector<ChangedLabel>& changed) {
  double sum = 0.0;
  for (const ChangedLabel& change : changed) {
    if (by_rows_) {
      const double* scores = row(change.token);
      sum += change.weight * (scores[change.truth] - scores[change.label]);
    } else {
      sum += change.weight * single(change);
    }
  }
  return sum;
}

}  // namespace maxmargin
