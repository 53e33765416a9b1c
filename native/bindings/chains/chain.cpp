#include "chains/chain.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "engine/questions.hpp"
#include "engine/states.hpp"
#include "maxmargin/chains/curvature.hpp"
#include "maxmargin/chains/decode.hpp"
#include "maxmargin/chains/likelihood.hpp"
#include "rows/rows.hpp"

namespace maxmargin::bindings {
namespace {

ChainSearch search_named(const std::string& name) {
  if (name == "augmented") return ChainSearch::augmented;
  if (name == "by_loss") return ChainSearch::by_loss;
  if (name == "second") return ChainSearch::second;
  if (name == "prediction") return ChainSearch::prediction;
  throw nb::value_error("search must be 'augmented', 'by_loss', 'second' or 'prediction'");
}

void make_chain(PyChain* self, nb::object tokens, nb::object pairs, In1<std::int64_t> offsets, std::optional<In1<std::int32_t>> labels,
                int n_labels, int order, double eta, bool ends, std::optional<In1<double>> label_offset) {
  const Rows& rows = nb::cast<const PyRows&>(tokens).packed.rows;
  ChainData data;
  data.tokens = rows;
  data.shape = ChainShape{rows.columns(), 0, n_labels, order, eta, ends};
  if (n_labels < 1) throw nb::value_error("at least one label is needed");
  if (order < 1 || order > kMaxOrder) throw nb::value_error("order must be 1, 2 or 3");
  if (!pairs.is_none()) {
    data.pairs = nb::cast<const PyRows&>(pairs).packed.rows;
    data.shape.pair_features = data.pairs.columns();
    if (data.pairs.n != rows.n) throw nb::value_error("one row of pair features a token is needed");
  }
  data.n = static_cast<std::int64_t>(offsets.size()) - 1;
  data.offsets = offsets.data();
  if (data.n < 0 || data.offsets[0] != 0 || data.offsets[data.n] != rows.n) throw nb::value_error("offsets do not describe the tokens");
  for (std::int64_t i = 0; i < data.n; ++i) {
    if (data.offsets[i] > data.offsets[i + 1]) throw nb::value_error("offsets must not descend");
    if (labels && data.offsets[i] == data.offsets[i + 1]) throw nb::value_error("a sequence to learn from is empty");
  }
  if (labels) {
    if (static_cast<std::int64_t>(labels->size()) != rows.n) throw nb::value_error("one label per token is needed");
    for (std::int32_t label : as_span(*labels)) {
      if (label < 0 || label >= n_labels) throw nb::value_error("a label is out of range");
    }
    data.labels = labels->data();
  }
  if (label_offset) {
    const auto size = static_cast<std::int64_t>(label_offset->size()), count = static_cast<std::int64_t>(n_labels);
    data.offset_by_truth = labels && count > 1 && size == count * count;
    if (size != count && !data.offset_by_truth) throw nb::value_error("an offset per label, or per true label and label, is needed");
    data.label_offset = label_offset->data();
  }
  new (self) PyChain{data, tokens, pairs, nb::cast(offsets), labels ? nb::cast(*labels) : nb::none(), label_offset ? nb::cast(*label_offset) : nb::none()};
}

ChainLimits limits_of(const PyChain& self, const std::optional<In2<std::uint8_t>>& allowed, const std::optional<In2<std::uint8_t>>& steps) {
  const auto labels = static_cast<std::size_t>(self.data.shape.labels);
  if (allowed && (static_cast<std::int64_t>(allowed->shape(0)) != self.token_count() || allowed->shape(1) != labels)) {
    throw nb::value_error("allowed must have one row per token and one column per label");
  }
  if (steps && (steps->shape(0) != labels + 1 || steps->shape(1) != labels + 1)) throw nb::value_error("steps has the wrong shape");
  return {allowed ? allowed->data() : nullptr, steps ? steps->data() : nullptr};
}

template <class Real>
nb::tuple decode(const PyChain& self, In1<Real> weights, int k, std::optional<In2<std::uint8_t>> allowed,
                 std::optional<In2<std::uint8_t>> steps, int threads) {
  self.check_weights(weights.size());
  if (k < 1) throw nb::value_error("k must be at least 1");
  const ChainLimits limits = limits_of(self, allowed, steps);
  std::vector<std::int32_t> found(static_cast<std::size_t>(self.token_count() * k));
  std::vector<double> scores(static_cast<std::size_t>(self.data.n * k));
  std::int64_t impossible = -1;
  {
    nb::gil_scoped_release release;
    impossible = chain_decode<Real>(self.data, weights.data(), limits, k, found, scores, threads);
  }
  return nb::make_tuple(take(std::move(found)), take(std::move(scores)), impossible);
}

nb::tuple marginals(const PyChain& self, In1<double> weights, double temperature, std::optional<In2<std::uint8_t>> allowed,
                    std::optional<In2<std::uint8_t>> steps, int threads) {
  self.check_weights(weights.size());
  if (!(temperature > 0.0)) throw nb::value_error("temperature must be positive");
  const ChainLimits limits = limits_of(self, allowed, steps);
  std::vector<double> out(static_cast<std::size_t>(self.token_count() * self.data.shape.labels)), log_sums(static_cast<std::size_t>(self.data.n));
  std::int64_t impossible = -1;
  {
    nb::gil_scoped_release release;
    impossible = chain_marginals(self.data, weights.data(), limits, temperature, out, log_sums, threads);
  }
  return nb::make_tuple(take(std::move(out)), take(std::move(log_sums)), impossible);
}

double likelihood(const PyChain& self, In1<double> weights, std::optional<In1<double>> sample_weight, std::optional<InOut1<double>> gradient,
                  std::optional<InOut1<double>> losses, int threads, std::int64_t first, std::optional<std::int64_t> last,
                  std::optional<In2<std::uint8_t>> allowed) {
  self.check_weights(weights.size());
  self.check_labelled();
  const LikelihoodPart part{sample_weight ? sample_weight->data() : nullptr, limits_of(self, allowed, std::nullopt).labels, first, last.value_or(self.data.n)};
  if (part.first < 0 || part.last < part.first || part.last > self.data.n) throw nb::index_error("no such sequences");
  if (sample_weight && static_cast<std::int64_t>(sample_weight->size()) != self.data.n) throw nb::value_error("one weight per example is needed");
  if (gradient) self.check_weights(gradient->size());
  if (losses && static_cast<std::int64_t>(losses->size()) != self.data.n) throw nb::value_error("room for one loss per example is needed");
  auto span_of = [](const std::optional<InOut1<double>>& array) {
    return array ? std::span<double>(array->data(), array->size()) : std::span<double>();
  };
  nb::gil_scoped_release release;
  return chain_likelihood(self.data, weights.data(), part, span_of(gradient), span_of(losses), threads);
}

double curvature(const PyChain& self, In1<double> weights, std::optional<In1<double>> sample_weight, InOut1<double> gradient,
                 InOut1<double> halves, int threads, std::int64_t first, std::int64_t last) {
  self.check_weights(weights.size());
  self.check_weights(gradient.size());
  self.check_labelled();
  const ChainShape& shape = self.data.shape;
  if (shape.order != 1 || shape.pair_features != 0) throw nb::value_error("second derivatives are for chains of order 1 without pair features");
  const CurvatureShape wanted(shape);
  if (static_cast<std::int64_t>(halves.size()) != wanted.order * wanted.width) throw nb::value_error("halves have the wrong length");
  if (first < 0 || last < first || last > self.data.n) throw nb::index_error("no such sequences");
  if (sample_weight && static_cast<std::int64_t>(sample_weight->size()) != self.data.n) throw nb::value_error("one weight per example is needed");
  const LikelihoodPart part{sample_weight ? sample_weight->data() : nullptr, nullptr, first, last};
  nb::gil_scoped_release release;
  return chain_curvature(self.data, weights.data(), part, {gradient.data(), gradient.size()}, {halves.data(), halves.size()}, threads);
}

void make_oracle(PyChainOracle* self, nb::object owner, const std::string& search, In2<double> costs, std::optional<In2<std::int32_t>> units,
                 In1<double> margin, In1<double> scale, std::optional<In1<std::int32_t>> rows) {
  const PyChain& chain = nb::cast<const PyChain&>(owner);
  chain.check_labelled();
  const auto labels = static_cast<std::size_t>(chain.data.shape.labels);
  const std::size_t kinds = costs.shape(0);
  if (costs.shape(1) != labels || (rows ? kinds == 0 : kinds != labels)) throw nb::value_error("costs must have a row and a column a label");
  if (rows && static_cast<std::int64_t>(rows->size()) != chain.token_count()) throw nb::value_error("one row of costs a token is needed");
  if (rows) {
    for (std::int32_t row : as_span(*rows)) {
      if (row < 0 || static_cast<std::size_t>(row) >= kinds) throw nb::value_error("there is no such row of costs");
    }
  }
  if (margin.size() != scale.size() || margin.size() < 2) throw nb::value_error("margin and scale must be of one length, at least 2");
  ChainLoss loss{search_named(search), costs.data(), nullptr, rows ? rows->data() : nullptr, margin.data(), scale.data(), static_cast<int>(margin.size()) - 1};
  if (rows && loss.search != ChainSearch::augmented && loss.search != ChainSearch::by_loss) throw nb::value_error("this search knows no costs of tokens");
  if (loss.search == ChainSearch::by_loss) {
    if (!units || units->shape(0) != kinds || units->shape(1) != labels) throw nb::value_error("by_loss needs units for every pair of labels");
    loss.units = units->data();
    int most = 0;
    for (std::size_t cell = 0; cell < kinds * labels; ++cell) {
      if (loss.units[cell] < 0) throw nb::value_error("units must not be negative");
      most = std::max(most, loss.units[cell]);
    }
    for (std::int64_t i = 0; i < chain.data.n; ++i) {
      if (static_cast<std::int64_t>(most) * chain.data.length(i) > loss.most_units) throw nb::value_error("margin is too short for the longest sequence");
    }
  }
  new (self) PyChainOracle{&chain, loss, owner, nb::cast(costs), units ? nb::cast(*units) : nb::none(), nb::cast(margin), nb::cast(scale),
                           rows ? nb::cast(*rows) : nb::none()};
}

}  // namespace

void bind_chains(nb::module_& module) {
  nb::class_<PyChain>(module, "Chain", "Sequences of tokens and their labels; see chains/chain.hpp.")
      .def("__init__", &make_chain, nb::arg("tokens"), nb::arg("pairs").none(), nb::arg("offsets").noconvert(),
           nb::arg("labels").noconvert().none(), nb::arg("n_labels"), nb::arg("order"), nb::arg("eta"), nb::arg("ends"),
           nb::arg("label_offset").noconvert().none() = nb::none())
      .def_prop_ro("weight_count", [](const PyChain& self) { return self.data.shape.weight_count(); })
      .def("decode", &decode<double>, nb::arg("weights").noconvert(), nb::arg("k"), nb::arg("allowed").noconvert().none(),
           nb::arg("steps").noconvert().none(), nb::arg("threads"),
           "(labels of all tokens for each rank, scores, first sequence without any allowed labelling or -1)")
      .def("decode", &decode<float>, nb::arg("weights").noconvert(), nb::arg("k"), nb::arg("allowed").noconvert().none(),
           nb::arg("steps").noconvert().none(), nb::arg("threads"))
      .def("marginals", &marginals, nb::arg("weights").noconvert(), nb::arg("temperature"), nb::arg("allowed").noconvert().none(),
           nb::arg("steps").noconvert().none(), nb::arg("threads"),
           "(probability of every label of every token, log of the sum over labellings, first impossible sequence or -1)")
      .def("likelihood", &likelihood, nb::arg("weights").noconvert(), nb::arg("sample_weight").noconvert().none(),
           nb::arg("gradient").noconvert().none(), nb::arg("losses").noconvert().none(), nb::arg("threads"), nb::arg("first") = 0,
           nb::arg("last").none() = nb::none(), nb::arg("allowed").noconvert().none() = nb::none(),
           "Weighted sum of -log p(truth) of sequences; adds its gradient to `gradient` and puts the terms into `losses`.")
      .def("curvature", &curvature, nb::arg("weights").noconvert(), nb::arg("sample_weight").noconvert().none(),
           nb::arg("gradient").noconvert(), nb::arg("halves").noconvert(), nb::arg("threads"), nb::arg("first"), nb::arg("last"),
           "The same with second derivatives added to `halves`; see chains/curvature.hpp for the shape.")
      .def(
          "path_scores",
          [](const PyChain& self, In1<double> weights, In1<std::int32_t> labels) {
            self.check_weights(weights.size());
            if (static_cast<std::int64_t>(labels.size()) != self.token_count()) throw nb::value_error("one label per token is needed");
            for (std::int32_t label : as_span(labels)) {
              if (label < 0 || label >= self.data.shape.labels) throw nb::value_error("a label is out of range");
            }
            std::vector<double> out(static_cast<std::size_t>(self.data.n));
            chain_path_scores(self.data, weights.data(), as_span(labels), out);
            return take(std::move(out));
          },
          nb::arg("weights").noconvert(), nb::arg("labels").noconvert(), "F(x, y) of every sequence.");

  nb::class_<PyChainOracle> oracle(module, "ChainOracle", "Labelled chains with a loss and a rescaling.");
  oracle
      .def("__init__", &make_oracle, nb::arg("chain"), nb::arg("search"), nb::arg("costs").noconvert(), nb::arg("units").noconvert().none(),
           nb::arg("margin").noconvert(), nb::arg("scale").noconvert(), nb::arg("rows").noconvert().none() = nb::none(),
           "`rows`: the row of `costs` of every token, where that is not its label.")
      .def_prop_ro(
          "largest_search",
          [](const PyChainOracle& self) {
            const LargestSearch largest = largest_search(self.chain->data, self.loss);
            return nb::make_tuple(largest.sequence, largest.bytes);
          },
          "(sequence, bytes): the search that needs the most memory.");
  add_oracle_members(oracle);
  add_rows(oracle);
  bind_chain_engine(module);
}

}  // namespace maxmargin::bindings
