#include <algorithm>

#include "engine/states.hpp"
#include "labels/labels.hpp"
#include "maxmargin/labels/block.hpp"

namespace maxmargin::bindings {
namespace {

struct PySeparateLabelEngine {
  BlockEngine<LabelBlock> engine;
  const PyLabels* labels;
  nb::object owner, weight;
};

// The outputs of a support list whose entries are labels: the labels of the largest alpha are wrong in the first vector, and
// each further one has more of them, so that every label is wrong in vectors of its alpha together.
void write_nested(const PyLabels& labels, std::int64_t i, const SupportLists::List& list, std::vector<std::int32_t>& block,
                  std::vector<std::uint8_t>& vectors, std::vector<double>& alpha) {
  std::vector<SupportEntry> entries(list.begin(), list.end());
  std::stable_sort(entries.begin(), entries.end(), [](const SupportEntry& a, const SupportEntry& b) { return a.alpha > b.alpha; });
  const std::uint8_t* truth = labels.data.truth(i);
  std::vector<std::uint8_t> y(truth, truth + labels.labels());
  for (std::size_t k = 0; k < entries.size() && entries[k].alpha > 0.0; ++k) {
    y[static_cast<std::size_t>(entries[k].output)] ^= 1;
    const double step = entries[k].alpha - (k + 1 < entries.size() ? entries[k + 1].alpha : 0.0);
    if (step <= 0.0) continue;
    block.push_back(static_cast<std::int32_t>(i));
    vectors.insert(vectors.end(), y.begin(), y.end());
    alpha.push_back(step);
  }
}

void bind_separate(nb::module_& module) {
  nb::class_<PySeparateLabelEngine> engine(module, "SeparateLabelEngine", "The dual engine on labels that do not know each other.");
  engine
      .def(
          "__init__",
          [](PySeparateLabelEngine* self, nb::object owner, double C, std::optional<In1<double>> weight) {
            const PyLabels& labels = nb::cast<const PyLabels&>(owner);
            labels.check_trainable();
            if (labels.loss.goal != LabelGoal::augmented || labels.data.shape.pair_count > 0) {
              throw nb::value_error("labels are separate only without pairs and where costs add up");
            }
            new (self) PySeparateLabelEngine{{LabelBlock(labels.data, labels.loss), labels.n(), budget_of("linear", C, weight, labels.n())},
                                             &labels, owner, weight ? nb::cast(*weight) : nb::none()};
          },
          nb::arg("oracle"), nb::arg("C"), nb::arg("weight").noconvert().none())
      .def(
          "vectors",
          [](const PySeparateLabelEngine& self) {
            std::vector<std::int32_t> block;
            std::vector<std::uint8_t> vectors;
            std::vector<double> alpha;
            for (std::int64_t i = 0; i < self.labels->n(); ++i) write_nested(*self.labels, i, self.engine.support[i], block, vectors, alpha);
            return nb::make_tuple(take(std::move(block)), take(std::move(vectors)), take(std::move(alpha)));
          },
          "(block, label vectors, alpha): planes of whole label vectors that amount to the dual state.")
      .def(
          "restore",
          [](PySeparateLabelEngine& self, In1<std::int32_t> block, In1<std::uint8_t> outputs, In1<double> alpha) {
            auto& support = self.engine.support;
            const auto labels = static_cast<std::size_t>(self.labels->labels());
            if (block.size() != alpha.size() || outputs.size() != block.size() * labels) {
              throw nb::value_error("one label vector and one alpha per plane are needed");
            }
            for (std::int64_t i = 0; i < support.blocks(); ++i) support.resize(i, 0);
            std::vector<double> kept(static_cast<std::size_t>(support.blocks()) * labels);
            for (std::size_t k = 0; k < block.size(); ++k) {
              check_ascending(as_span(block), k, support.blocks());
              const auto i = static_cast<std::size_t>(block.data()[k]);
              const std::uint8_t *truth = self.labels->data.truth(block.data()[k]), *y = outputs.data() + k * labels;
              for (std::size_t label = 0; label < labels; ++label) {
                if (truth[label] != y[label]) kept[i * labels + label] += alpha.data()[k];
              }
            }
            std::vector<double> given;
            for (std::int64_t i = 0; i < support.blocks(); ++i) {
              for (std::size_t label = 0; label < labels; ++label) {
                const double own = kept[static_cast<std::size_t>(i) * labels + label];
                if (!(own > 0.0)) continue;
                support.resize(i, support[i].size + 1);
                support[i].entries[support[i].size - 1] = SupportEntry{static_cast<std::int32_t>(label), 0, 0.0};
                given.push_back(own);
              }
            }
            self.engine.set_alpha(given);
          },
          nb::arg("block").noconvert(), nb::arg("outputs").noconvert(), nb::arg("alpha").noconvert(),
          "Starts from planes of whole label vectors, cut down to what the budget allows.");
  add_engine_members(engine);
}

}  // namespace

void bind_label_engines(nb::module_& module) {
  bind_planes_engine<PyLabels>(module, "LabelEngine", "The dual engine on label vectors.");
  bind_separate(module);
}

}  // namespace maxmargin::bindings
