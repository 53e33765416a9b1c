#include "maxmargin/text/vectorise.hpp"

#include <algorithm>
#include <stdexcept>

namespace maxmargin {

Attributes::Attributes(std::int64_t hashed)
    : mask_(hashed == 0 ? 0 : static_cast<std::uint64_t>(hashed) - 1), hashed_(hashed) {
  if (hashed < 0 || hashed > std::int64_t{1} << 30 || (hashed & (hashed - 1)) != 0) {
    throw std::invalid_argument("the number of hashed columns must be a power of two up to 2^30");
  }
}

void TokenRows::add(std::int32_t column, double value) {
  if (value == 1.0) return add(column);
  if (plain_) {
    open_values_.assign(open_columns_.size(), 1.0);
    plain_ = false;
  }
  open_columns_.push_back(column);
  open_values_.push_back(value);
}

void TokenRows::close() {
  if (plain_) {
    std::sort(open_columns_.begin(), open_columns_.end());
    if (std::adjacent_find(open_columns_.begin(), open_columns_.end()) == open_columns_.end()) {
      columns.insert(columns.end(), open_columns_.begin(), open_columns_.end());
      if (!ones) values.resize(columns.size(), 1.0);
    } else {
      open_values_.assign(open_columns_.size(), 1.0);
      close_weighted();
    }
  } else {
    close_weighted();
  }
  offsets.push_back(static_cast<std::int64_t>(columns.size()));
  open_columns_.clear();
  open_values_.clear();
  plain_ = true;
}

void TokenRows::close_weighted() {
  cells_.clear();
  for (std::size_t i = 0; i < open_columns_.size(); ++i) cells_.emplace_back(open_columns_[i], open_values_[i]);
  std::stable_sort(cells_.begin(), cells_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < cells_.size();) {
    double sum = 0.0;
    std::size_t j = i;
    for (; j < cells_.size() && cells_[j].first == cells_[i].first; ++j) sum += cells_[j].second;
    if (sum != 0.0) {
      if (sum != 1.0 && ones) {
        values.assign(columns.size(), 1.0);
        ones = false;
      }
      columns.push_back(cells_[i].first);
      if (!ones) values.push_back(sum);
    }
    i = j;
  }
}

}  // namespace maxmargin
