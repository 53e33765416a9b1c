#include "engine/states.hpp"
#include "rows/rows.hpp"
#include "maxmargin/engine/difference.hpp"
#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/engine/stored_planes.hpp"

namespace maxmargin::bindings {
namespace {

struct PyPlaneEngine {
  BlockEngine<StoredBlock> engine;
  nb::object weight, rows;

  void check_block(std::int64_t block) const {
    if (block < 0 || block >= engine.support.blocks()) throw nb::index_error("no such block");
  }
  bool add(std::int64_t block, StoredPlane plane) { return engine.block.add(block, std::move(plane), engine.support); }
};

bool ascending_below(std::span<const std::int32_t> indices, std::size_t dimension) {
  for (std::size_t j = 0; j < indices.size(); ++j) {
    const bool ascending = j == 0 || indices[j - 1] < indices[j];
    if (!ascending || indices[j] < 0 || indices[j] >= static_cast<std::int64_t>(dimension)) return false;
  }
  return true;
}

nb::object given_back(Difference&& found) {
  if (found.dense) return nb::make_tuple(nb::none(), take(std::move(found.value)), found.score);
  return nb::make_tuple(take(std::move(found.index)), take(std::move(found.value)), found.score);
}

// A dense array or a SparseVector, as Python holds it.
struct HeldVector {
  std::optional<In1<double>> dense;
  In1<std::int32_t> index;
  In1<double> value;

  HeldVector(nb::handle a, std::size_t length) {
    In1<double> whole;
    if (nb::try_cast(a, whole)) {
      if (whole.size() != length) throw nb::value_error("a plane must have the length of w");
      dense = whole;
      return;
    }
    index = nb::cast<In1<std::int32_t>>(a.attr("index"));
    value = nb::cast<In1<double>>(a.attr("value"));
    if (index.size() != value.size()) throw nb::value_error("one value per index is needed");
    for (std::size_t k = 0; k < index.size(); ++k) {
      if (static_cast<std::size_t>(index.data()[k]) >= length) throw nb::index_error("a plane must have the length of w");
    }
  }

  double dot(std::span<const double> w) const {
    if (dense) return kernels().dot(dense->data(), w.data(), std::ssize(w));
    double sum = 0.0;
    for (std::size_t k = 0; k < index.size(); ++k) sum += value.data()[k] * w[index.data()[k]];
    return sum;
  }

  void add_to(std::span<double> total, double factor) const {
    if (dense) {
      for (std::size_t k = 0; k < total.size(); ++k) total[k] += factor * dense->data()[k];
    } else {
      for (std::size_t k = 0; k < index.size(); ++k) total[index.data()[k]] += factor * value.data()[k];
    }
  }
};

// The sum of the most violated plane of each example, weighted; for squared slack of the planes of slack^2 / 2.
nb::tuple add_best_planes(nb::list examples, In1<double> w, std::optional<In1<double>> weight, bool squared,
                          InOut1<double> total) {
  if (total.size() != w.size()) throw nb::value_error("the sum must have the length of w");
  if (weight && weight->size() != examples.size()) throw nb::value_error("one weight per example is needed");
  std::vector<double> slack(examples.size(), 0.0);
  std::vector<std::int32_t> best(examples.size(), -1);
  double b = 0.0;
  bool sparse = true;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto planes = nb::cast<nb::list>(examples[i]);
    for (std::size_t k = 0; k < planes.size(); ++k) {
      const auto plane = nb::cast<nb::tuple>(planes[k]);
      const double value = nb::cast<double>(plane[1]) - HeldVector(plane[0], w.size()).dot(as_span(w));
      if (value > 0.0 && value >= slack[i]) slack[i] = value, best[i] = static_cast<std::int32_t>(k);
    }
    const double share = weight ? weight->data()[i] : 1.0;
    if (best[i] < 0 || share == 0.0) continue;
    const auto plane = nb::cast<nb::tuple>(planes[static_cast<std::size_t>(best[i])]);
    const HeldVector a(plane[0], w.size());
    const double factor = squared ? share * slack[i] : share;
    a.add_to({total.data(), total.size()}, factor);
    b += factor * nb::cast<double>(plane[1]) - (squared ? 0.5 * share * slack[i] * slack[i] : 0.0);
    sparse = sparse && !a.dense;
  }
  return nb::make_tuple(b, take(std::move(slack)), take(std::move(best)), sparse);
}

}  // namespace

void bind_planes(nb::module_& module) {
  nb::class_<PyPlaneEngine> engine(module, "PlaneEngine", "The dual engine on planes stored as rows of numbers.");
  engine
      .def(
          "__init__",
          [](PyPlaneEngine* self, std::int64_t blocks, std::int64_t dimension, const std::string& slack, double C,
             std::optional<In1<double>> weight, nb::object rows) {
            if (blocks < 1 || dimension < 0) throw nb::value_error("at least one block is needed");
            const Rows* with_kernel = nullptr;
            if (!rows.is_none()) {
              const Rows& given = nb::cast<PyRows&>(rows).packed.rows;
              if (given.columns() != dimension) throw nb::value_error("rows must have as many columns as planes have");
              if (given.kernel != nullptr) with_kernel = &given;
            }
            new (self) PyPlaneEngine{{StoredBlock(StoredPlanes(dimension, with_kernel), blocks), blocks, budget_of(slack, C, weight, blocks)},
                                     weight ? nb::cast(*weight) : nb::none(),
                                     rows};
          },
          nb::arg("blocks"), nb::arg("dimension"), nb::arg("slack"), nb::arg("C"), nb::arg("weight").noconvert().none(),
          nb::arg("rows") = nb::none(),
          nb::sig("def __init__(self, blocks: int, dimension: int, slack: str, C: float, weight: NDArray[numpy.float64] | None, "
                  "rows: Rows | None = None) -> None"),
          "`rows` are those that planes are combinations of; they matter where they have a kernel.")
      .def(
          "add_sparse",
          [](PyPlaneEngine& self, std::int64_t block, In1<std::int32_t> index, In1<double> value, double b) {
            self.check_block(block);
            if (index.size() != value.size()) throw nb::value_error("one value an index is needed");
            const auto indices = as_span(index);
            if (!ascending_below(indices, static_cast<std::size_t>(self.engine.block.weight_count()))) {
              throw nb::value_error("indices must ascend and stay below the dimension");
            }
            const auto values = as_span(value);
            return self.add(block, StoredPlane{{indices.begin(), indices.end()}, {values.begin(), values.end()}, b, false});
          },
          nb::arg("block"), nb::arg("index").noconvert(), nb::arg("value").noconvert(), nb::arg("b"),
          "Takes a sparse plane into a block; false if an equal one is there.")
      .def(
          "add_dense",
          [](PyPlaneEngine& self, std::int64_t block, In1<double> value, double b) {
            self.check_block(block);
            if (static_cast<std::int64_t>(value.size()) != self.engine.block.weight_count()) {
              throw nb::value_error("a dense plane must have the length of w");
            }
            const auto values = as_span(value);
            if (self.engine.block.paired() == 0) return self.add(block, StoredPlane{{}, {values.begin(), values.end()}, b, true});
            StoredPlane plane{{}, {}, b, false};
            for (std::size_t j = 0; j < values.size(); ++j) {
              if (values[j] == 0.0) continue;
              plane.index.push_back(static_cast<std::int32_t>(j));
              plane.value.push_back(values[j]);
            }
            return self.add(block, std::move(plane));
          },
          nb::arg("block"), nb::arg("value").noconvert(), nb::arg("b"),
          "Takes a dense plane into a block; false if an equal one is there.")
      .def(
          "slack",
          [](PyPlaneEngine& self, std::int64_t block) {
            self.check_block(block);
            double highest = 0.0;
            const double* w = self.engine.weights().point();
            for (const StoredPlane& plane : self.engine.block.planes(block)) {
              highest = std::max(highest, plane.b - plane.dot(w));
            }
            return highest;
          },
          nb::arg("block"), "max(0, max_k b - <a, w>) over the planes in its working set.")
      .def("planes", [](const PyPlaneEngine& self) {
        std::vector<std::int64_t> offsets{0};
        std::vector<std::int32_t> index;
        std::vector<double> value, b;
        for (std::int64_t i = 0; i < self.engine.support.blocks(); ++i) {
          for (const StoredPlane& plane : self.engine.block.planes(i)) {
            for (std::size_t j = 0; j < plane.value.size(); ++j) {
              if (plane.dense && plane.value[j] == 0.0) continue;
              index.push_back(plane.dense ? static_cast<std::int32_t>(j) : plane.index[j]);
              value.push_back(plane.value[j]);
            }
            b.push_back(plane.b);
            offsets.push_back(static_cast<std::int64_t>(index.size()));
          }
        }
        return nb::make_tuple(take(std::move(offsets)), take(std::move(index)), take(std::move(value)), take(std::move(b)));
      }, "(offsets, indices, values, b) of all planes in working sets, as CSR rows in the order of `support`.");
  add_merge(engine);
  add_engine_members(engine);
  module.def(
      "dense_difference",
      [](In1<double> truth, In1<double> features, double factor, In1<double> w, double largest_square) -> nb::object {
        if (truth.size() != w.size()) throw nb::value_error("the truth must have the length of w");
        if (features.size() != w.size() || !usable(as_span(features), largest_square)) return nb::none();
        return given_back(difference(as_span(truth), as_span(features), factor, as_span(w)));
      },
      nb::arg("truth").noconvert(), nb::arg("features").noconvert(), nb::arg("factor"), nb::arg("w").noconvert(),
      nb::arg("largest_square"),
      "(indices or None, values, product with w) of factor * (truth - features); None where the features have another "
      "length, or a square that is not finite or too large.");
  module.def(
      "sparse_difference",
      [](In1<std::int32_t> truth_index, In1<double> truth, In1<std::int32_t> index, In1<double> features, double factor,
         In1<double> w, double largest_square) -> nb::object {
        if (truth_index.size() != truth.size() || !ascending_below(as_span(truth_index), w.size())) {
          throw nb::value_error("the indices of the truth must ascend and stay below the length of w");
        }
        const bool whole = index.size() == features.size() && ascending_below(as_span(index), w.size());
        if (!whole || !usable(as_span(features), largest_square)) return nb::none();
        return given_back(
            difference(as_span(truth_index), as_span(truth), as_span(index), as_span(features), factor, as_span(w)));
      },
      nb::arg("truth_index").noconvert(), nb::arg("truth").noconvert(), nb::arg("index").noconvert(),
      nb::arg("features").noconvert(), nb::arg("factor"), nb::arg("w").noconvert(), nb::arg("largest_square"),
      "The same for sparse vectors; None also where the indices do not ascend or leave the range.");
  module.def(
      "add_best_planes", &add_best_planes, nb::arg("examples"), nb::arg("w").noconvert(), nb::arg("weight").noconvert().none(),
      nb::arg("squared"), nb::arg("total").noconvert(),
      nb::sig("def add_best_planes(examples: list[list[Any]], w: NDArray[numpy.float64], weight: NDArray[numpy.float64] | None, "
              "squared: bool, total: NDArray[numpy.float64]) -> tuple[float, NDArray[numpy.float64], NDArray[numpy.int32], bool]"),
      "Adds to the total, for each example, its weight times the plane (a, b) of largest b - <a, w>, the last of equals, "
      "where that is positive; for squared slack the plane of half the square. (sum of the b, slacks, positions of the "
      "planes or -1, whether all of them were sparse).");
}

}  // namespace maxmargin::bindings
