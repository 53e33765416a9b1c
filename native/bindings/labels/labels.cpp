#include "labels/labels.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "engine/questions.hpp"
#include "engine/states.hpp"
#include "maxmargin/labels/decode.hpp"
#include "rows/rows.hpp"

namespace maxmargin::bindings {
namespace {

LabelMethod method_named(const std::string& name) {
  if (name == "forest") return LabelMethod::forest;
  if (name == "list") return LabelMethod::list;
  if (name == "branch") return LabelMethod::branch;
  throw nb::value_error("method must be 'forest', 'list' or 'branch'");
}

LabelGoal goal_named(const std::string& name) {
  if (name == "augmented") return LabelGoal::augmented;
  if (name == "errors") return LabelGoal::errors;
  if (name == "counts") return LabelGoal::counts;
  if (name == "second") return LabelGoal::second;
  if (name == "prediction") return LabelGoal::prediction;
  throw nb::value_error("goal must be 'augmented', 'errors', 'counts', 'second' or 'prediction'");
}

void check_pairs(In2<std::int32_t> pairs, int labels) {
  if (pairs.shape(1) != 2) throw nb::value_error("pairs must have two columns");
  for (std::size_t p = 0; p < pairs.shape(0); ++p) {
    const std::int32_t j = pairs.data()[2 * p], k = pairs.data()[2 * p + 1];
    if (j < 0 || k < 0 || j >= labels || k >= labels || j == k) throw nb::value_error("a pair must name two labels");
  }
}

// The tables must be long enough for every label vector of every truth.
void check_loss(const LabelLoss& loss, const LabelData& data, std::size_t cells, std::size_t table_start) {
  const int labels = data.shape.labels;
  std::int64_t needed = 2;
  if (loss.goal == LabelGoal::errors) {
    needed = 1;
    for (int k = 0; k < labels; ++k) {
      if (loss.unit(k, false) < 0 || loss.unit(k, true) < 0) throw nb::value_error("units must be at least 0");
      needed += std::max(loss.unit(k, false), loss.unit(k, true));
    }
  }
  if (loss.goal == LabelGoal::counts) {
    if (static_cast<int>(table_start) != labels + 1) throw nb::value_error("table_start must have an entry for each number of true labels");
    for (std::int64_t i = 0; i < data.rows.n; ++i) {
      const int truths = count_labels(data.truth(i), data.truth(i), labels).truths;
      if (loss.table_start[truths] < 0) throw nb::value_error("table_start lacks a number of true labels");
      needed = std::max(needed, loss.place(labels, truths, truths, labels - truths) + 1);
    }
  }
  if (static_cast<std::int64_t>(cells) < needed) throw nb::value_error("margin and scale are too short");
}

void make_labels(PyLabels* self, nb::object rows, std::optional<In2<std::uint8_t>> truths, int labels, In2<std::int32_t> pairs, double eta,
                 const std::string& method, const std::string& goal, In1<double> costs, In1<std::int32_t> units, In1<double> margin,
                 In1<double> scale, In1<std::int64_t> table_start) {
  const PackedRows& packed = nb::cast<const PyRows&>(rows).packed;
  if (labels < 1) throw nb::value_error("at least one label is needed");
  check_pairs(pairs, labels);
  LabelData data;
  data.shape = {packed.rows.columns(), labels, pairs.data(), static_cast<int>(pairs.shape(0)), eta};
  data.rows = packed.rows;
  if (static_cast<int>(costs.size()) != 2 * labels || static_cast<int>(units.size()) != 2 * labels || margin.size() != scale.size()) {
    throw nb::value_error("two costs and two units per label are needed, and as many scales as margins");
  }
  LabelLoss loss{goal_named(goal), costs.data(), units.data(), margin.data(), scale.data(), table_start.data()};
  if (truths) {
    nb::cast<const PyRows&>(rows).check_analysed();
    if (static_cast<std::int64_t>(truths->shape(0)) != packed.rows.n || static_cast<int>(truths->shape(1)) != labels) {
      throw nb::value_error("truths must have a row an example and a column a label");
    }
    for (std::size_t at = 0; at < truths->size(); ++at) {
      if (truths->data()[at] > 1) throw nb::value_error("truths must be 0 or 1");
    }
    data.truths = truths->data();
    data.squared_norms = packed.squared_norms.data();
    check_loss(loss, data, margin.size(), table_start.size());
  }
  const LabelMethod chosen = method_named(method);
  if (chosen == LabelMethod::list && labels > kMostListed) throw nb::value_error("so many labels cannot be listed");
  if (chosen == LabelMethod::branch && (loss.goal == LabelGoal::errors || loss.goal == LabelGoal::counts)) {
    throw nb::value_error("branch and bound cannot search by the loss");
  }
  LabelShape tree = data.shape;
  if (chosen != LabelMethod::forest) tree.pair_count = 0;
  new (self) PyLabels{data, loss, LabelForest(tree), chosen,
                      {rows, truths ? nb::cast(*truths) : nb::none(), nb::cast(pairs), nb::cast(costs), nb::cast(units), nb::cast(margin),
                       nb::cast(scale), nb::cast(table_start)}};
}

}  // namespace

void bind_labels(nb::module_& module) {
  module.attr("MOST_LISTED") = kMostListed;
  nb::class_<PyLabels> labels(module, "Labels", "Examples, pairs of labels, and for training truths and a loss; see labels/labels.hpp.");
  labels.def("__init__", &make_labels, nb::arg("rows"), nb::arg("truths").noconvert().none(), nb::arg("labels"), nb::arg("pairs").noconvert(),
           nb::arg("eta"), nb::arg("method"), nb::arg("goal"), nb::arg("costs").noconvert(), nb::arg("units").noconvert(),
           nb::arg("margin").noconvert(), nb::arg("scale").noconvert(), nb::arg("table_start").noconvert())
      .def(
          "decode",
          [](const PyLabels& self, In1<double> weights, int threads) {
            self.check_weights(weights.size());
            std::vector<std::uint8_t> found(static_cast<std::size_t>(self.n() * self.labels()));
            std::int64_t missed = 0;
            {
              nb::gil_scoped_release release;
              missed = label_decode(self.problem(), weights.data(), found, threads);
            }
            return nb::make_tuple(take(std::move(found)), missed);
          },
          nb::arg("weights").noconvert(), nb::arg("threads"), "(label vectors, searches that gave up).")
      .def(
          "decode_lists",
          [](const PyLabels& self, In1<double> weights, int k, int threads) {
            self.check_weights(weights.size());
            if (k < 1 || self.method == LabelMethod::branch) throw nb::value_error("k must be at least 1, and the method no branch and bound");
            std::vector<std::uint8_t> found(static_cast<std::size_t>(k * self.n() * self.labels()));
            std::vector<double> scores(static_cast<std::size_t>(k * self.n()));
            {
              nb::gil_scoped_release release;
              label_decode_lists(self.problem(), weights.data(), k, found, scores, threads);
            }
            return nb::make_tuple(take(std::move(found)), take(std::move(scores)));
          },
          nb::arg("weights").noconvert(), nb::arg("k"), nb::arg("threads"), "The k best: label vectors (k, n, labels) and scores (n, k).")
      .def(
          "margins",
          [](const PyLabels& self, In1<double> weights, int threads) {
            self.check_weights(weights.size());
            std::vector<double> margins(static_cast<std::size_t>(self.n() * self.labels()));
            std::int64_t missed = 0;
            {
              nb::gil_scoped_release release;
              missed = label_margins(self.problem(), weights.data(), margins, threads);
            }
            return nb::make_tuple(take(std::move(margins)), missed);
          },
          nb::arg("weights").noconvert(), nb::arg("threads"), "(margins (n, labels), searches that gave up); see labels/decode.hpp.");
  add_oracle_members(labels);
  add_rows(labels);
  bind_label_likelihood(module, labels);
  bind_label_engines(module);
}

}  // namespace maxmargin::bindings
