#include "maxmargin/tables.hpp"

#include <nanobind/stl/string.h>

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

void bind_tables(nb::module_& module) {
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
      nb::arg("rescaling"), nb::arg("slack"), nb::arg("mistakes"), "(tp, fp, value) of the most violated table; see tables.hpp.");
}

}  // namespace maxmargin::bindings
