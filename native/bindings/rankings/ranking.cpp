#include <algorithm>

#include "arrays.hpp"
#include "maxmargin/rankings/position_credit.hpp"
#include "maxmargin/rankings/pairs.hpp"

namespace maxmargin::bindings {
namespace {

void check_offsets(const In1<std::int64_t>& offsets, std::size_t rows) {
  const auto all = as_span(offsets);
  if (all.empty() || all.front() != 0 || all.back() != static_cast<std::int64_t>(rows) || !std::is_sorted(all.begin(), all.end())) {
    throw nb::value_error("offsets must ascend from 0 to the number of rows");
  }
}

GradedRows checked(const In1<std::int64_t>& offsets, const In1<std::int32_t>& grade, const In1<double>& scores) {
  check_offsets(offsets, scores.size());
  const auto rows = static_cast<std::int64_t>(scores.size());
  const auto grades = as_span(grade);
  if (grades.size() != scores.size()) throw nb::value_error("one grade per row is needed");
  if (std::any_of(grades.begin(), grades.end(), [&](std::int32_t g) { return g < 0 || g >= rows; })) {
    throw nb::value_error("grades must be numbered from 0 inside a group");
  }
  return {as_span(offsets), grades};
}

void check_order(const In1<std::int32_t>& order, std::size_t rows) {
  const auto all = as_span(order);
  if (all.size() != rows || std::any_of(all.begin(), all.end(), [&](std::int32_t i) { return i < 0 || static_cast<std::size_t>(i) >= rows; })) {
    throw nb::value_error("order must hold the numbers of the rows");
  }
}

void check_size(std::size_t size, std::int64_t wanted, const char* complaint) {
  if (static_cast<std::int64_t>(size) != wanted) throw nb::value_error(complaint);
}

}  // namespace

static void bind_ranking(nb::module_& module) {
  module.def(
      "rank_grades",
      [](In1<double> grades, In1<std::int64_t> offsets) {
        check_offsets(offsets, grades.size());
        GradeRanks found;
        {
          nb::gil_scoped_release release;
          found = rank_grades(as_span(grades), as_span(offsets));
        }
        return nb::make_tuple(take(std::move(found.rank)), take(std::move(found.pairs)));
      },
      nb::arg("grades").noconvert(), nb::arg("offsets").noconvert(),
      "(number of each row's grade among those of its group, pairs of unequal grade in each group); see rankings/pairs.hpp.");
  module.def(
      "order_in_groups",
      [](In1<double> scores, In1<std::int64_t> offsets, int threads) {
        check_offsets(offsets, scores.size());
        std::vector<std::int32_t> order;
        {
          nb::gil_scoped_release release;
          order = order_in_groups(as_span(scores), as_span(offsets), threads);
        }
        return take(std::move(order));
      },
      nb::arg("scores").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"),
      "Row numbers of each group in ascending order of their scores; see rankings/pairs.hpp.");
  module.def(
      "take_pairs",
      [](In1<double> scores, In1<std::int64_t> offsets, In1<std::int32_t> grade, In1<std::int32_t> order, In1<double> gap,
         In1<std::int64_t> extra, int threads) {
        const GradedRows rows = checked(offsets, grade, scores);
        check_order(order, scores.size());
        check_size(gap.size(), rows.groups(), "one gap per group is needed");
        check_size(extra.size(), rows.groups(), "one number of extra pairs a group is needed");
        TakenPairs taken;
        {
          nb::gil_scoped_release release;
          taken = take_pairs(rows, as_span(scores), as_span(order), as_span(gap), as_span(extra), threads);
        }
        return nb::make_tuple(take(std::move(taken.number)), take(std::move(taken.net)));
      },
      nb::arg("scores").noconvert(), nb::arg("offsets").noconvert(), nb::arg("grade").noconvert(), nb::arg("order").noconvert(),
      nb::arg("gap").noconvert(), nb::arg("extra").noconvert(), nb::arg("threads"),
      "(how many pairs of each group, net count of every row) below the gaps; see rankings/pairs.hpp.");
  module.def(
      "most_violated_rankings",
      [](In1<double> scores, In1<std::int64_t> offsets, In1<std::int32_t> grade, In1<double> gain, In1<double> weight,
         In1<double> discount, In1<double> pairs, int threads) {
        const GradedRows rows = checked(offsets, grade, scores);
        check_size(gain.size(), static_cast<std::int64_t>(scores.size()), "one gain per row is needed");
        check_size(pairs.size(), rows.groups(), "one number of pairs a group is needed");
        for (std::int64_t g = 0; g < rows.groups(); ++g) {
          if (rows.offsets[g + 1] - rows.offsets[g] > static_cast<std::int64_t>(weight.size())) {
            throw nb::value_error("one weight for each row of the largest group is needed");
          }
        }
        Rankings found;
        {
          nb::gil_scoped_release release;
          const Credits credits{as_span(gain), as_span(weight), as_span(discount)};
          found = most_violated_rankings(rows, as_span(scores), credits, as_span(pairs), threads);
        }
        return nb::make_tuple(take(std::move(found.credit)), take(std::move(found.net)));
      },
      nb::arg("scores").noconvert(), nb::arg("offsets").noconvert(), nb::arg("grade").noconvert(), nb::arg("gain").noconvert(),
      nb::arg("weight").noconvert(), nb::arg("discount").noconvert(), nb::arg("pairs").noconvert(), nb::arg("threads"),
      "(credit of each group, net count of swapped pairs of every row); see rankings/position_credit.hpp.");
}

void bind_pair_newton(nb::module_& module);

void bind_rankings(nb::module_& module) {
  bind_ranking(module);
  bind_pair_newton(module);
}

}  // namespace maxmargin::bindings
