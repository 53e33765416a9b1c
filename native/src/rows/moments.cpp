#include "maxmargin/rows/moments.hpp"

#include <array>
#include <cmath>

#include "maxmargin/rows/turned_rows.hpp"

namespace maxmargin {
namespace {

// body(column, value) for every stored cell of a sparse row.
template <class Stored, class Body>
void for_stored(const Row& row, Body&& body) {
  const Stored* values = static_cast<const Stored*>(row.values);
  auto run = [&](auto&& column, auto&& value) {
    for (std::int64_t c = 0; c < row.count; ++c) body(column(c), static_cast<double>(value(c)));
  };
  auto stored = [values](std::int64_t c) { return values[c]; };
  auto index = [&row](std::int64_t c) { return std::int64_t{row.indices[c]}; };
  auto narrow = [&row](std::int64_t c) { return std::int64_t{row.narrow[c]}; };
  switch (row.kind) {
    case RowKind::dense:
    case RowKind::masked: break;   // see for_dense
    case RowKind::patched: break;  // has no cells
    case RowKind::sparse: run(index, stored); break;
    case RowKind::ones: run(index, [](std::int64_t) { return 1.0; }); break;
    case RowKind::narrow: run(narrow, stored); break;
    case RowKind::coded: run(narrow, [&row](std::int64_t c) { return row.palette->fine[row.codes[c]]; }); break;
  }
}

// One dense row; the compiler must know that the arrays do not overlap.
template <class Stored>
void add_moments(const Stored* __restrict x, double w, std::int64_t n, double* __restrict first, double* __restrict second,
                 double* __restrict filled) {
  for (std::int64_t j = 0; j < n; ++j) {
    const double value = static_cast<double>(x[j]);
    first[j] += w * value;
    second[j] += w * value * value;
    filled[j] += value != 0.0 ? w : 0.0;
  }
}

template <class Stored>
void add_squares(const Stored* __restrict x, double each, double weight, std::int64_t n, double* __restrict mean, double* __restrict square) {
  for (std::int64_t j = 0; j < n; ++j) {
    const double value = static_cast<double>(x[j]);
    mean[j] += each * value;
    square[j] += weight * value * value;
  }
}

template <class Stored>
void add_deviations(const Stored* __restrict x, double w, std::int64_t n, const double* __restrict centre, double* __restrict absolute,
                    double* __restrict squared) {
  for (std::int64_t j = 0; j < n; ++j) {
    const double value = static_cast<double>(x[j]), moved = value - centre[j], off = value != 0.0 ? moved : 0.0;
    absolute[j] += w * std::abs(off);
    squared[j] += w * off * off;
  }
}

// body(values, weight) for every row of a matrix that has all its cells; false for others.
template <class Body>
bool for_dense(const Rows& rows, const double* weight, Body&& body) {
  if (rows.kind != RowKind::dense && rows.kind != RowKind::masked) return false;
  for (std::int64_t i = 0; i < rows.n; ++i) {
    const double w = weight == nullptr ? 1.0 : weight[i];
    if (rows.single) body(static_cast<const float*>(rows.values) + i * rows.width, w);
    else body(static_cast<const double*>(rows.values) + i * rows.width, w);
  }
  return true;
}

template <class Body>
void for_all(const Rows& rows, const double* weight, Body&& body) {
  for (std::int64_t i = 0; i < rows.n; ++i) {
    const double w = weight == nullptr ? 1.0 : weight[i];
    auto with_weight = [&](std::int64_t column, double value) { body(static_cast<std::size_t>(column), value, w); };
    if (rows.single) {
      for_stored<float>(rows[i], with_weight);
    } else {
      for_stored<double>(rows[i], with_weight);
    }
  }
}

}  // namespace

ColumnMoments column_moments(const Rows& rows, const double* weight) {
  const auto width = static_cast<std::size_t>(rows.width);
  ColumnMoments sums{std::vector<double>(width), std::vector<double>(width), std::vector<double>(width)};
  double *first = sums.first.data(), *second = sums.second.data(), *filled = sums.filled.data();
  if (for_dense(rows, weight, [&](const auto* x, double w) { add_moments(x, w, rows.width, first, second, filled); })) return sums;
  for_all(rows, weight, [=](std::size_t j, double x, double w) {
    first[j] += w * x;
    second[j] += w * x * x;
    filled[j] += x != 0.0 ? w : 0.0;
  });
  return sums;
}

GroupMoments group_moments(const Rows& rows, std::span<const std::int32_t> members, std::span<const std::int64_t> offsets,
                           std::span<const double> share) {
  const auto width = static_cast<std::size_t>(rows.width);
  GroupMoments out{std::vector<double>(width), std::vector<double>(width)};
  std::vector<double> mean(width);
  std::vector<std::int64_t> used;  // columns of the group, where few of all are
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const double each = 1.0 / static_cast<double>(offsets[g + 1] - offsets[g]), weight = share[g] * each;
    for (std::int64_t m = offsets[g]; m < offsets[g + 1]; ++m) {
      const std::int64_t i = members.empty() ? m : members[static_cast<std::size_t>(m)];
      if (rows.offsets == nullptr) {
        auto add = [&](const auto* x) { add_squares(x, each, weight, rows.width, mean.data(), out.square.data()); };
        if (rows.single) add(static_cast<const float*>(rows.values) + i * rows.width);
        else add(static_cast<const double*>(rows.values) + i * rows.width);
        continue;
      }
      auto cell = [&](std::int64_t j, double x) {
        used.push_back(j);
        mean[static_cast<std::size_t>(j)] += each * x;
        out.square[static_cast<std::size_t>(j)] += weight * x * x;
      };
      if (rows.single) for_stored<float>(rows[i], cell);
      else for_stored<double>(rows[i], cell);
    }
    auto close = [&](std::size_t j) {
      out.centre[j] += share[g] * mean[j] * mean[j];
      mean[j] = 0.0;
    };
    if (rows.offsets == nullptr) {
      for (std::size_t j = 0; j < width; ++j) close(j);
    } else {
      for (std::int64_t j : used) close(static_cast<std::size_t>(j));
      used.clear();
    }
  }
  return out;
}

ColumnDeviations column_deviations(const Rows& rows, const double* weight, const double* centre) {
  const auto width = static_cast<std::size_t>(rows.width);
  ColumnDeviations sums{std::vector<double>(width), std::vector<double>(width)};
  double *absolute = sums.absolute.data(), *squared = sums.squared.data();
  if (for_dense(rows, weight, [&](const auto* x, double w) { add_deviations(x, w, rows.width, centre, absolute, squared); })) return sums;
  for_all(rows, weight, [=](std::size_t j, double x, double w) {
    const double off = x != 0.0 ? x - centre[j] : 0.0;
    absolute[j] += w * std::abs(off);
    squared[j] += w * off * off;
  });
  return sums;
}

std::vector<double> column_products(const Rows& rows, const double* weight) {
  const std::int64_t d = rows.columns();
  std::vector<double> sums(static_cast<std::size_t>(d * d));
  if (rows.offsets == nullptr) {
    std::vector<double> turned(static_cast<std::size_t>(d * kGramRows));
    std::array<double, kGramRows> own;
    own.fill(1.0);
    for (std::int64_t from = 0; from < rows.n; from += kGramRows) {
      const std::int64_t n = std::min(kGramRows, rows.n - from);
      if (weight != nullptr) std::copy_n(weight + from, n, own.begin());
      turn_rows(rows, n, turned.data(), kGramRows, [&](std::int64_t i) { return from + i; });
      kernels().weighted_gram(turned.data(), turned.data(), kGramRows, own.data(), d, n, sums.data());
    }
    return sums;
  }
  for (std::int64_t i = 0; i < rows.n; ++i) {
    const Row row = rows[i];
    const double w = weight == nullptr ? 1.0 : weight[i];
    for (std::int64_t a = 0; a < row.count; ++a) {
      const std::int64_t j = row.column(a);
      const double x = w * row.value(a);
      for (std::int64_t b = 0; b < row.count; ++b) {
        const std::int64_t l = row.column(b);
        if (l <= j) sums[static_cast<std::size_t>(j * d + l)] += x * row.value(b);
      }
      if (row.bias != 0.0) sums[static_cast<std::size_t>(row.width * d + j)] += x * row.bias;
    }
    if (row.bias != 0.0) sums.back() += w * row.bias * row.bias;
  }
  return sums;
}

}  // namespace maxmargin
