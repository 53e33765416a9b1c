#include <nanobind/stl/optional.h>

#include <algorithm>

#include "engine/engine.hpp"
#include "labels/labels.hpp"
#include "maxmargin/labels/block.hpp"

namespace maxmargin::bindings {
namespace {

struct PyLabelEngine {
  BlockEngine<LabelHeldBlock> engine;
  const PyLabels* labels;
  nb::object owner, weight;
};

struct PySeparateLabelEngine {
  BlockEngine<LabelBlock> engine;
  const PyLabels* labels;
  nb::object owner, weight;
};

// Calls each(k, block, label vector) for planes given from outside.
template <class Each>
void for_each_given(const PyLabels& labels, In1<std::int32_t> block, In2<std::uint8_t> vectors, In1<double> alpha, Each&& each) {
  if (block.size() != alpha.size() || vectors.shape(0) != block.size() || static_cast<int>(vectors.shape(1)) != labels.labels()) {
    throw nb::value_error("one label vector and one alpha a plane are needed");
  }
  for (std::size_t k = 0; k < block.size(); ++k) {
    const std::int32_t i = block.data()[k];
    if (i < 0 || i >= labels.n() || (k > 0 && i < block.data()[k - 1])) throw nb::value_error("blocks must ascend and exist");
    each(k, i, vectors.data() + k * vectors.shape(1));
  }
}

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

void bind_held(nb::module_& module) {
  nb::class_<PyLabelEngine> engine(module, "LabelEngine", "The dual engine on label vectors.");
  engine
      .def(
          "__init__",
          [](PyLabelEngine* self, nb::object owner, const std::string& slack, double C, std::optional<In1<double>> weight) {
            const PyLabels& labels = nb::cast<const PyLabels&>(owner);
            labels.check_trainable();
            new (self) PyLabelEngine{
                {LabelHeldBlock(LabelPlanes(labels.problem()), labels.n()), labels.n(), budget_of(slack, C, weight, labels.n())},
                &labels, owner, weight ? nb::cast(*weight) : nb::none()};
          },
          nb::arg("labels"), nb::arg("slack"), nb::arg("C"), nb::arg("weight").noconvert().none())
      .def(
          "vectors",
          [](const PyLabelEngine& self) {
            std::vector<std::uint8_t> vectors;
            for (std::int64_t i = 0; i < self.labels->n(); ++i) {
              const std::uint8_t* truth = self.labels->data.truth(i);
              for (const LabelPlane& plane : self.engine.block.planes(i)) {
                if (!plane.single) throw nb::value_error("a plane is a mean of several outputs");
                const std::size_t first = vectors.size();
                vectors.insert(vectors.end(), truth, truth + self.labels->labels());
                for (const auto& [k, change] : plane.labels) vectors[first + static_cast<std::size_t>(k)] ^= 1;
              }
            }
            return take(std::move(vectors));
          },
          "Label vectors of all planes held, one after the other, in the order of `support`.")
      .def(
          "changes",
          [](const PyLabelEngine& self) {
            std::vector<std::int32_t> plane_of, index;
            std::vector<double> value, b;
            for (std::int64_t i = 0; i < self.labels->n(); ++i) {
              for (const LabelPlane& plane : self.engine.block.planes(i)) {
                const auto number = static_cast<std::int32_t>(b.size());
                auto write = [&](const LabelChanges& changes, int shift) {
                  for (const auto& [at, change] : changes) plane_of.push_back(number), index.push_back(at + shift), value.push_back(change);
                };
                write(plane.labels, 0);
                write(plane.pairs, self.labels->labels());
                b.push_back(plane.b);
              }
            }
            return nb::make_tuple(take(std::move(plane_of)), take(std::move(index)), take(std::move(value)), take(std::move(b)));
          },
          "(plane, label or number of labels + pair, coefficient) of all planes held, in the order of `support`, and their b.")
      .def(
          "merge",
          [](PyLabelEngine& self, In1<std::int32_t> blocks, std::int32_t capacity) {
            check_order(as_span(blocks), self.labels->n());
            if (capacity < 1) throw nb::value_error("the capacity must be at least 1");
            for (std::int32_t i : as_span(blocks)) self.engine.block.merge(i, capacity, self.engine.support);
          },
          nb::arg("blocks").noconvert(), nb::arg("capacity"), "Merges the least used planes of blocks down to a capacity.")
      .def(
          "restore",
          [](PyLabelEngine& self, In1<std::int32_t> block, In2<std::uint8_t> vectors, In1<double> alpha) {
            std::vector<double> kept;
            for_each_given(*self.labels, block, vectors, alpha, [&](std::size_t k, std::int32_t i, const std::uint8_t* y) {
              self.engine.block.store_planes.select(i);
              LabelPlane plane = make_label_plane(self.labels->data, self.labels->loss, i, y);
              if (self.engine.block.add(i, std::move(plane), self.engine.support)) kept.push_back(alpha.data()[k]);
            });
            self.engine.set_alpha(kept);
          },
          nb::arg("block").noconvert(), nb::arg("vectors").noconvert(), nb::arg("alpha").noconvert(),
          "Starts from a dual state as `support` and `vectors` gave it, cut down to what the budget allows.");
  add_engine_members(engine);
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
          nb::arg("labels"), nb::arg("C"), nb::arg("weight").noconvert().none())
      .def(
          "outputs",
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
          [](PySeparateLabelEngine& self, In1<std::int32_t> block, In2<std::uint8_t> vectors, In1<double> alpha) {
            auto& support = self.engine.support;
            const int labels = self.labels->labels();
            for (std::int64_t i = 0; i < support.blocks(); ++i) support.resize(i, 0);
            std::vector<double> kept(static_cast<std::size_t>(support.blocks()) * labels);
            for_each_given(*self.labels, block, vectors, alpha, [&](std::size_t k, std::int32_t i, const std::uint8_t* y) {
              const std::uint8_t* truth = self.labels->data.truth(i);
              for (int label = 0; label < labels; ++label) {
                if (truth[label] != y[label]) kept[static_cast<std::size_t>(i) * labels + label] += alpha.data()[k];
              }
            });
            std::vector<double> given;
            for (std::int64_t i = 0; i < support.blocks(); ++i) {
              for (int label = 0; label < labels; ++label) {
                const double own = kept[static_cast<std::size_t>(i) * labels + label];
                if (!(own > 0.0)) continue;
                support.resize(i, support[i].size + 1);
                support[i].entries[support[i].size - 1] = SupportEntry{label, 0, 0.0};
                given.push_back(own);
              }
            }
            self.engine.set_alpha(given);
          },
          nb::arg("block").noconvert(), nb::arg("vectors").noconvert(), nb::arg("alpha").noconvert(),
          "Starts from planes of whole label vectors, cut down to what the budget allows.");
  add_engine_members(engine);
}

}  // namespace

void bind_label_engines(nb::module_& module) {
  bind_held(module);
  bind_separate(module);
}

}  // namespace maxmargin::bindings
