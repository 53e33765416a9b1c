#include "maxmargin/measures/tables.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "arrays.hpp"

namespace maxmargin::bindings {
namespace {

TableLoss table_loss(const std::string& name) {
  if (name == "error_rate") return TableLoss::error_rate;
  if (name == "f_beta") return TableLoss::f_beta;
  if (name == "balanced_error") return TableLoss::balanced_error;
  if (name == "matthews") return TableLoss::matthews;
  throw nb::value_error("the loss is 'error_rate', 'f_beta', 'balanced_error' or 'matthews'");
}

}  // namespace

static void bind_tables(nb::module_& module) {
  module.def(
      "sort_by_score",
      [](In1<double> scores, In1<std::int64_t> rows) {
        for (std::int64_t row : as_span(rows)) {
          if (row < 0 || row >= static_cast<std::int64_t>(scores.size())) throw nb::index_error("no such row");
        }
        SortedRows found;
        {
          nb::gil_scoped_release release;
          found = sort_by_score(as_span(scores), as_span(rows));
        }
        return nb::make_tuple(take(std::move(found.rows)), take(std::move(found.sums)));
      },
      nb::arg("scores").noconvert(), nb::arg("rows").noconvert(),
      "(rows, best score first; the sums of the best k scores, one more than rows).");
  module.def(
      "cut_tables",
      [](In1<double> scores, In1<bool> positive, std::optional<In1<double>> weight, std::optional<In1<std::int64_t>> part, std::int64_t parts,
         In1<double> cuts) {
        const auto n = scores.size();
        if (positive.size() != n || (weight && weight->size() != n) || (part && part->size() != n)) {
          throw nb::value_error("truth, weight and part of every row are needed");
        }
        if (parts < 1) throw nb::value_error("there is one part at least");
        const auto own = part ? as_span(*part) : std::span<const std::int64_t>{};
        if (std::any_of(own.begin(), own.end(), [&](std::int64_t k) { return k < 0 || k >= parts; })) throw nb::index_error("no such part");
        CutTables found;
        {
          nb::gil_scoped_release release;
          found = cut_tables(as_span(scores), as_span(positive), weight ? as_span(*weight) : std::span<const double>{}, own, parts, as_span(cuts));
        }
        return nb::make_tuple(take(std::move(found.tp)), take(std::move(found.fp)), take(std::move(found.positives)),
                              take(std::move(found.negatives)), take(std::move(found.below)));
      },
      nb::arg("scores").noconvert(), nb::arg("positive").noconvert(), nb::arg("weight").noconvert().none(), nb::arg("part").noconvert().none(),
      nb::arg("parts"), nb::arg("cuts").noconvert(),
      "(tp, fp, positives, negatives, next score below) of cuts that fall, the first two of shape (parts, cuts) in one row; see measures/tables.hpp.");
  module.def(
      "search_tables",
      [](In1<double> positive_sums, In1<double> negative_sums, double n, const std::string& loss, double beta, const std::string& rescaling,
         const std::string& slack, bool mistakes) {
        if (positive_sums.size() == 0 || negative_sums.size() == 0) throw nb::value_error("sums begin with that of no scores");
        const Tables tables{as_span(positive_sums), as_span(negative_sums), n, table_loss(loss), beta,
                            rescaling == "slack", slack == "squared", rescaling == "none", mistakes};
        FoundTable found;
        {
          nb::gil_scoped_release release;
          found = tables.kind == TableLoss::matthews ? search_by_predicted(tables) : search_by_true_positives(tables);
        }
        return nb::make_tuple(found.tp, found.fp, found.value);
      },
      nb::arg("positive_sums").noconvert(), nb::arg("negative_sums").noconvert(), nb::arg("n"), nb::arg("loss"), nb::arg("beta"),
      nb::arg("rescaling"), nb::arg("slack"), nb::arg("mistakes"), "(tp, fp, value) of the most violated table; see measures/tables.hpp.");
}

void bind_binary_rows(nb::module_& module);

void bind_measures(nb::module_& module) {
  bind_tables(module);
  bind_binary_rows(module);
}

}  // namespace maxmargin::bindings
