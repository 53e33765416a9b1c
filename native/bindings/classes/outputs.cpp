#include <memory>

#include "classes/tables.hpp"
#include "engine/questions.hpp"
#include "engine/states.hpp"
#include "maxmargin/classes/asker.hpp"
#include "maxmargin/classes/output_block.hpp"
#include "maxmargin/classes/output_scores.hpp"
#include "rows/rows.hpp"

namespace maxmargin::bindings {
namespace {

struct PyOutputMap {
  OutputMap map;
  nb::object kept[3];
};

struct PyClassLoss {
  ClassLoss loss;
  nb::object kept[6];
};

struct PyOutputs {
  OutputData data;
  nb::object rows, labels, map, loss;

  std::int64_t n() const { return data.rows.n; }
  std::int64_t weight_count() const { return data.weight_count(); }
  ClassAsker<OutputBlock> asker(std::int64_t) const { return ClassAsker<OutputBlock>(data); }
};

void check_nodes(const In1<std::int32_t>& nodes, std::int64_t count) {
  for (std::int32_t z : as_span(nodes)) {
    if (z < 0 || z >= count) throw nb::value_error("a class has no such node");
  }
}

// A list of neighbours in CSR form with entries in [0, below(row)).
template <class Below>
void check_lists(const In1<std::int64_t>& offsets, const In1<std::int32_t>& entries, Below&& below) {
  const auto ends = as_span(offsets);
  if (ends.empty() || ends.front() != 0 || ends.back() != static_cast<std::int64_t>(entries.size())) throw nb::value_error("offsets do not fit");
  for (std::size_t row = 0; row + 1 < ends.size(); ++row) {
    if (ends[row] > ends[row + 1]) throw nb::value_error("offsets must ascend");
  }
  for (std::size_t row = 0; row + 1 < ends.size(); ++row) {
    for (std::int64_t c = ends[row]; c < ends[row + 1]; ++c) {
      if (entries.data()[c] < 0 || entries.data()[c] >= below(static_cast<std::int64_t>(row))) throw nb::value_error("an entry is out of range");
    }
  }
}

PyOutputMap make_tree(In1<std::int32_t> parent, In1<double> weight, In1<std::int32_t> class_node) {
  PyOutputMap made{{}, {nb::cast(parent), nb::cast(weight), nb::cast(class_node)}};
  const auto nodes = static_cast<std::int64_t>(parent.size());
  if (weight.size() != parent.size()) throw nb::value_error("one weight per node is needed");
  for (std::int64_t z = 0; z < nodes; ++z) {
    if (parent.data()[z] < -1 || parent.data()[z] >= z) throw nb::value_error("parents must come before their children");
  }
  check_nodes(class_node, nodes);
  made.map.kind = OutputKind::tree;
  made.map.nodes = nodes;
  made.map.classes = static_cast<std::int64_t>(class_node.size());
  made.map.parent = parent.data();
  made.map.weight = weight.data();
  made.map.class_node = class_node.data();
  made.map.prepare();
  return made;
}

PyOutputMap make_sparse(In1<std::int64_t> offsets, In1<std::int32_t> indices, In1<double> values, std::int64_t nodes) {
  PyOutputMap made{{}, {nb::cast(offsets), nb::cast(indices), nb::cast(values)}};
  if (indices.size() != values.size()) throw nb::value_error("one value an index is needed");
  check_lists(offsets, indices, [&](std::int64_t) { return nodes; });
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    for (std::int64_t c = offsets.data()[row] + 1; c < offsets.data()[row + 1]; ++c) {
      if (indices.data()[c] <= indices.data()[c - 1]) throw nb::value_error("indices must ascend");
    }
  }
  made.map.kind = OutputKind::sparse;
  made.map.nodes = nodes;
  made.map.classes = static_cast<std::int64_t>(offsets.size()) - 1;
  made.map.offsets = offsets.data();
  made.map.indices = indices.data();
  made.map.values = values.data();
  made.map.prepare();
  return made;
}

PyOutputMap make_dense(In2<double> rows, In2<double> gram, std::int64_t nodes) {
  PyOutputMap made{{}, {nb::cast(rows), nb::cast(gram), nb::none()}};
  made.map.kind = OutputKind::dense;
  made.map.nodes = nodes;
  made.map.classes = static_cast<std::int64_t>(rows.shape(0));
  made.map.rows = rows.data();
  made.map.gram = gram.data();
  if (static_cast<std::int64_t>(rows.shape(1)) != made.map.node_stride() || gram.shape(0) != rows.shape(0) ||
      static_cast<std::int64_t>(gram.shape(1)) != made.map.class_stride()) {
    throw nb::value_error("rows and products must be padded, one row per class");
  }
  made.map.prepare();
  return made;
}

PyClassLoss make_table(In2<double> margin, In2<double> scale) {
  check_class_tables(margin, scale, margin.shape(0), margin.shape(0));
  PyClassLoss made{{}, {nb::cast(margin), nb::cast(scale), nb::none(), nb::none(), nb::none(), nb::none()}};
  made.loss.kind = LossKind::table;
  made.loss.classes = static_cast<std::int64_t>(margin.shape(0));
  made.loss.margin = margin.data();
  made.loss.scale = scale.data();
  return made;
}

PyClassLoss make_uniform(std::int64_t classes, In1<double> margin, In1<double> scale) {
  if (margin.size() != 2 || scale.size() != 2) throw nb::value_error("margin and scale of the losses 0 and 1 are needed");
  PyClassLoss made{{}, {nb::cast(margin), nb::cast(scale), nb::none(), nb::none(), nb::none(), nb::none()}};
  made.loss.kind = LossKind::uniform;
  made.loss.classes = classes;
  made.loss.margin = margin.data();
  made.loss.scale = scale.data();
  made.loss.levels = 2;
  return made;
}

PyClassLoss make_graph(const std::string& kind, In1<double> margin, In1<double> scale, In1<std::int64_t> parent_offsets,
                       In1<std::int32_t> parents, In1<std::int32_t> heights, In1<std::int32_t> class_node) {
  if (kind != "height" && kind != "path") throw nb::value_error("kind must be 'height' or 'path'");
  const auto nodes = static_cast<std::int64_t>(heights.size());
  if (static_cast<std::int64_t>(parent_offsets.size()) != nodes + 1) throw nb::value_error("one list of parents a node is needed");
  check_lists(parent_offsets, parents, [](std::int64_t node) { return node; });
  check_nodes(class_node, nodes);
  std::int64_t roots = 0, highest = 0;
  for (std::int64_t z = 0; z < nodes; ++z) {
    roots += parent_offsets.data()[z] == parent_offsets.data()[z + 1];
    if (heights.data()[z] < 0) throw nb::value_error("heights must not be negative");
    highest = std::max<std::int64_t>(highest, heights.data()[z]);
  }
  if (roots != 1) throw nb::value_error("one root is needed");
  const std::int64_t levels = kind == "height" ? highest + 1 : 2 * highest + 1;  // no way up is longer than the height of the root
  if (static_cast<std::int64_t>(margin.size()) < levels || scale.size() != margin.size()) throw nb::value_error("margin and scale of every loss are needed");
  PyClassLoss made{{},
                   {nb::cast(margin), nb::cast(scale), nb::cast(parent_offsets), nb::cast(parents), nb::cast(heights), nb::cast(class_node)}};
  made.loss.kind = kind == "height" ? LossKind::height : LossKind::path;
  made.loss.classes = static_cast<std::int64_t>(class_node.size());
  made.loss.margin = margin.data();
  made.loss.scale = scale.data();
  made.loss.levels = static_cast<std::int64_t>(margin.size());
  made.loss.nodes = nodes;
  made.loss.parent_offsets = parent_offsets.data();
  made.loss.parents = parents.data();
  made.loss.heights = heights.data();
  made.loss.class_node = class_node.data();
  return made;
}

void check_prediction(const PyRows& rows, const PyOutputMap& map, std::size_t weights) {
  if (static_cast<std::int64_t>(weights) != rows.packed.rows.columns() * map.map.node_stride()) throw nb::value_error("weights have the wrong length");
}

}  // namespace

void bind_outputs(nb::module_& module) {
  nb::class_<PyOutputMap>(module, "OutputMap", "Output features of the classes; see classes/output_map.hpp.")
      .def_static("tree", &make_tree, nb::arg("parent").noconvert(), nb::arg("weight").noconvert(), nb::arg("class_node").noconvert())
      .def_static("sparse", &make_sparse, nb::arg("offsets").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
                  nb::arg("nodes"))
      .def_static("dense", &make_dense, nb::arg("rows").noconvert(), nb::arg("gram").noconvert(), nb::arg("nodes"))
      .def_prop_ro("classes", [](const PyOutputMap& self) { return self.map.classes; })
      .def_prop_ro("nodes", [](const PyOutputMap& self) { return self.map.nodes; })
      .def(
          "scores",
          [](const PyOutputMap& self, const PyRows& rows, In1<double> weights, int threads, std::optional<In1<std::int32_t>> examples) {
            check_prediction(rows, self, weights.size());
            const auto chosen = checked_examples(examples, rows.packed.rows.n);
            const std::size_t count = examples ? chosen.size() : static_cast<std::size_t>(rows.packed.rows.n);
            std::vector<double> out(count * static_cast<std::size_t>(self.map.classes));
            {
              nb::gil_scoped_release release;
              output_scores(rows.packed.rows, weights.data(), self.map, chosen, out, threads);
            }
            return take(std::move(out));
          },
          nb::arg("rows"), nb::arg("weights").noconvert(), nb::arg("threads"), nb::arg("examples").noconvert().none() = nb::none(),
          "Scores of every row, or of some, and class, row-major.")
      .def(
          "best",
          [](const PyOutputMap& self, const PyRows& rows, In1<double> weights, int threads) {
            check_prediction(rows, self, weights.size());
            std::vector<std::int32_t> out(static_cast<std::size_t>(rows.packed.rows.n));
            {
              nb::gil_scoped_release release;
              output_best(rows.packed.rows, weights.data(), self.map, out.data(), threads);
            }
            return take(std::move(out));
          },
          nb::arg("rows"), nb::arg("weights").noconvert(), nb::arg("threads"), "The class of highest score of every row.");

  nb::class_<PyClassLoss>(module, "ClassLoss", "Margin and scale of every class, given the truth; see classes/loss.hpp.")
      .def_static("table", &make_table, nb::arg("margin").noconvert(), nb::arg("scale").noconvert())
      .def_static("uniform", &make_uniform, nb::arg("classes"), nb::arg("margin").noconvert(), nb::arg("scale").noconvert())
      .def_static("graph", &make_graph, nb::arg("kind"), nb::arg("margin").noconvert(), nb::arg("scale").noconvert(),
                  nb::arg("parent_offsets").noconvert(), nb::arg("parents").noconvert(), nb::arg("heights").noconvert(),
                  nb::arg("class_node").noconvert())
      .def(
          "rows",
          [](const PyClassLoss& self, std::int32_t truth) {
            if (truth < 0 || truth >= self.loss.classes) throw nb::index_error("no such class");
            LossRows rows(self.loss);
            rows.open(truth);
            std::vector<double> margin(rows.margin(), rows.margin() + self.loss.classes), scale(rows.scale(), rows.scale() + self.loss.classes);
            return nb::make_tuple(take(std::move(margin)), take(std::move(scale)));
          },
          nb::arg("truth"), "(margin, scale) of all classes where this one is the truth.")
      .def(
          "margins",
          [](const PyClassLoss& self) {
            LossRows rows(self.loss);
            std::vector<double> margins;
            margins.reserve(static_cast<std::size_t>(self.loss.classes * self.loss.classes));
            for (std::int32_t truth = 0; truth < self.loss.classes; ++truth) {
              rows.open(truth);
              margins.insert(margins.end(), rows.margin(), rows.margin() + self.loss.classes);
            }
            return take(std::move(margins));
          },
          "The margins of all classes for each that may be the truth, row-major.");

  nb::class_<PyOutputs> oracle(module, "Outputs", "Examples, labels, output features and loss.");
  oracle.def(
      "__init__",
      [](PyOutputs* self, nb::object rows, In1<std::int32_t> labels, nb::object map, nb::object loss) {
        const PyRows& packed = nb::cast<const PyRows&>(rows);
        const OutputMap& features = nb::cast<const PyOutputMap&>(map).map;
        const ClassLoss& losses = nb::cast<const PyClassLoss&>(loss).loss;
        if (features.classes != losses.classes || features.classes < 2) throw nb::value_error("features and loss must be of the same classes, at least two");
        check_training(packed, labels, static_cast<std::size_t>(features.classes));
        new (self) PyOutputs{OutputData{packed.packed.rows, packed.packed.squared_norms.data(), labels.data(), &features, &losses}, rows,
                             nb::cast(labels), map, loss};
      },
      nb::arg("rows"), nb::arg("labels").noconvert(), nb::arg("map"), nb::arg("loss"));
  add_oracle_members(oracle);
  bind_numbered_engine<PyOutputs, OutputBlock>(module, "OutputEngine", "The dual engine on classes with output features.");
}

}  // namespace maxmargin::bindings
