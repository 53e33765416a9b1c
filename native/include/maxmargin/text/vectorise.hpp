// From attributes, which are strings with a value, to sparse rows of numbered columns.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/text/strings.hpp"

namespace maxmargin {

// Columns of attributes: numbers in order of first sight, or hashes.
class Attributes {
 public:
  // `hashed` columns, a power of two up to 2^30; 0 for a dictionary.
  explicit Attributes(std::int64_t hashed);

  bool is_hashed() const { return hashed_ != 0; }
  std::int64_t columns() const { return hashed_ != 0 ? hashed_ : strings.size(); }
  void prefetch(std::uint64_t hash) const {
    if (hashed_ == 0) strings.prefetch(hash);
  }

  // The column of an attribute; of a new one StringTable::kAbsent, unless the dictionary is to learn it.
  std::int32_t column(std::string_view text, std::uint64_t hash, bool learn) {
    if (hashed_ != 0) return static_cast<std::int32_t>((hash >> 16) & mask_);
    return learn ? strings.intern(text, hash) : strings.find(text, hash);
  }
  std::int32_t column(std::string_view text, bool learn) { return column(text, hash_of(text), learn); }

  StringTable strings;

 private:
  std::uint64_t mask_;
  std::int64_t hashed_;
};

// Rows of columns and values, in the order in which they are closed. Columns that come twice in a row are added up,
// zeros are dropped, and no values are kept as long as all are 1.
class TokenRows {
 public:
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;  // empty while `ones`
  bool ones = true;

  void add(std::int32_t column) {
    open_columns_.push_back(column);
    if (!plain_) open_values_.push_back(1.0);
  }
  void add(std::int32_t column, double value);
  void close();

 private:
  void close_weighted();

  std::vector<std::int32_t> open_columns_;
  std::vector<double> open_values_;  // empty while `plain_`
  std::vector<std::pair<std::int32_t, double>> cells_;
  bool plain_ = true;  // all values of the open row are 1
};

}  // namespace maxmargin
