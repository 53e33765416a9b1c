// Output features: class y has a vector Lambda(y) over `nodes`, and Psi(x, y) = x (x) Lambda(y). With one weight vector a
// node the scores of the nodes are s_z = <w_z, x>, and those of the classes S_y = sum_z Lambda(y)_z s_z follow from them.
//
//   tree     Lambda(y)_z = weight_z for y's own node and all above it; one pass down gives all class scores. Of few classes
//            the table of products is kept as well
//   sparse   rows in CSR
//   dense    rows one after the other, with the table of their products
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

enum class OutputKind : std::uint8_t { tree, sparse, dense };

inline constexpr std::int64_t kTabledClasses = 512;  // of a tree: a table of their products stays in the cache

struct OutputMap {
  OutputKind kind = OutputKind::tree;
  std::int64_t nodes = 0, classes = 0;

  const std::int32_t* parent = nullptr;      // tree: of each node, -1 for a root; parents come first
  const double* weight = nullptr;            // tree: of each node
  const std::int32_t* class_node = nullptr;  // tree
  std::vector<double> squares;               // tree: sum of weight^2 of a node and all above it
  std::vector<double> lengths;               // |Lambda(y)|^2 of each class
  std::vector<std::int32_t> depth;           // tree
  std::vector<double> table;                 // tree of few classes: their products, (classes, class_stride)

  const std::int64_t* offsets = nullptr;  // sparse
  const std::int32_t* indices = nullptr;
  const double* values = nullptr;

  const double* rows = nullptr;  // dense: (classes, node_stride)
  const double* gram = nullptr;  // dense: (classes, class_stride), zero in the padding

  int node_stride() const { return padded(nodes); }
  int class_stride() const { return padded(classes); }

  // Fills in what follows from the arrays.
  void prepare() {
    if (kind == OutputKind::tree) prepare_tree();
    lengths.resize(static_cast<std::size_t>(classes));
    for (int y = 0; y < classes; ++y) lengths[static_cast<std::size_t>(y)] = product(y, y);
  }

  void prepare_tree() {
    squares.resize(static_cast<std::size_t>(nodes));
    depth.resize(squares.size());
    for (std::size_t z = 0; z < squares.size(); ++z) {
      const std::int32_t above = parent[z];
      squares[z] = weight[z] * weight[z] + (above < 0 ? 0.0 : squares[static_cast<std::size_t>(above)]);
      depth[z] = above < 0 ? 0 : depth[static_cast<std::size_t>(above)] + 1;
    }
    if (classes > kTabledClasses) return;
    std::vector<double> sums(squares.size()), made(static_cast<std::size_t>(classes * class_stride()));
    for (int y = 0; y < classes; ++y) products(y, sums.data(), made.data() + static_cast<std::int64_t>(y) * class_stride());
    table = std::move(made);
  }

  // <Lambda(y), Lambda(k)> for all k, zero in the padding, where there is a table; else null.
  const double* known_products(int y) const {
    const double* all = kind == OutputKind::dense ? gram : table.empty() ? nullptr : table.data();
    return all == nullptr ? nullptr : all + static_cast<std::int64_t>(y) * class_stride();
  }

  // out[y] = sum_z Lambda(y)_z scores[z]; `sums` has room for all nodes, the padding of `out` is left alone.
  void class_scores(const double* scores, double* sums, double* out) const {
    switch (kind) {
      case OutputKind::tree:
        for (std::int64_t z = 0; z < nodes; ++z) sums[z] = weight[z] * scores[z] + (parent[z] < 0 ? 0.0 : sums[parent[z]]);
        for (std::int64_t y = 0; y < classes; ++y) out[y] = sums[class_node[y]];
        break;
      case OutputKind::sparse:
        for (std::int64_t y = 0; y < classes; ++y) {
          out[y] = kernels().sparse_dot(indices + offsets[y], values + offsets[y], offsets[y + 1] - offsets[y], scores);
        }
        break;
      case OutputKind::dense:
        for (std::int64_t y = 0; y < classes; ++y) out[y] = kernels().dot(rows + y * node_stride(), scores, node_stride());
        break;
    }
  }

  // out[k] = <Lambda(y), Lambda(k)> for all classes; `sums` has room for all nodes.
  void products(int y, double* sums, double* out) const {
    if (const double* known = known_products(y)) {
      std::copy_n(known, classes, out);
      return;
    }
    std::fill_n(sums, nodes, 0.0);
    for_each(y, [&](std::int32_t z, double value) { sums[z] = value; });
    if (kind == OutputKind::sparse) {
      for (std::int64_t k = 0; k < classes; ++k) {
        out[k] = kernels().sparse_dot(indices + offsets[k], values + offsets[k], offsets[k + 1] - offsets[k], sums);
      }
      return;
    }
    for (std::int64_t z = 0; z < nodes; ++z) sums[z] = weight[z] * sums[z] + (parent[z] < 0 ? 0.0 : sums[parent[z]]);
    for (std::int64_t k = 0; k < classes; ++k) out[k] = sums[class_node[k]];
  }

  // <Lambda(k), Lambda(l)>
  double product(int k, int l) const {
    if (const double* known = known_products(k)) return known[l];
    if (kind == OutputKind::tree) {
      std::int32_t a = class_node[k], b = class_node[l];
      while (a != b) {
        if (a < 0 || b < 0) return 0.0;
        std::int32_t& lower = depth[static_cast<std::size_t>(a)] >= depth[static_cast<std::size_t>(b)] ? a : b;
        lower = parent[lower];
      }
      return squares[static_cast<std::size_t>(a)];
    }
    double sum = 0.0;
    std::int64_t i = offsets[k], j = offsets[l];
    while (i < offsets[k + 1] && j < offsets[l + 1]) {
      if (indices[i] == indices[j]) sum += values[i] * values[j];
      const bool first = indices[i] <= indices[j], second = indices[j] <= indices[i];
      i += first;
      j += second;
    }
    return sum;
  }

  // Calls body(z, Lambda(y)_z) for every node that may have one.
  template <class Body>
  void for_each(int y, Body&& body) const {
    switch (kind) {
      case OutputKind::tree:
        for (std::int32_t z = class_node[y]; z >= 0; z = parent[z]) body(z, weight[z]);
        break;
      case OutputKind::sparse:
        for (std::int64_t c = offsets[y]; c < offsets[y + 1]; ++c) body(indices[c], values[c]);
        break;
      case OutputKind::dense:
        for (std::int32_t z = 0; z < nodes; ++z) body(z, rows[static_cast<std::int64_t>(y) * node_stride() + z]);
        break;
    }
  }
};

// A vector over the nodes of which few entries are touched; zero between uses.
class NodeSums {
 public:
  explicit NodeSums(const OutputMap& map)
      : map_(&map), sums_(static_cast<std::size_t>(map.node_stride())), marked_(sums_.size()) {}

  // += c Lambda(y)
  void add(int y, double c) {
    map_->for_each(y, [&](std::int32_t z, double value) {
      sums_[static_cast<std::size_t>(z)] += c * value;
      if (!marked_[static_cast<std::size_t>(z)]) {
        marked_[static_cast<std::size_t>(z)] = 1;
        touched_.push_back(z);
      }
    });
  }

  double square() const {
    double sum = 0.0;
    for (std::int32_t z : touched_) sum += sums_[static_cast<std::size_t>(z)] * sums_[static_cast<std::size_t>(z)];
    return sum;
  }

  // W[:, z] += sums[z] x
  template <class Real>
  void add_to(const Row& x, Real* weights) {
    places_.clear();
    changes_.clear();
    for (std::int32_t z : touched_) {  // what two classes share has cancelled
      if (sums_[static_cast<std::size_t>(z)] == 0.0) continue;
      places_.push_back(z);
      changes_.push_back(sums_[static_cast<std::size_t>(z)]);
    }
    if (4 * places_.size() < sums_.size()) {
      kernels_for(weights).update_few(x, weights, map_->node_stride(), places_.data(), changes_.data(), static_cast<int>(places_.size()));
    } else {
      row_update(x, weights, map_->node_stride(), sums_.data());
    }
  }

  void clear() {
    for (std::int32_t z : touched_) sums_[static_cast<std::size_t>(z)] = 0.0, marked_[static_cast<std::size_t>(z)] = 0;
    touched_.clear();
  }

 private:
  const OutputMap* map_;
  std::vector<double> sums_;
  std::vector<char> marked_;
  std::vector<std::int32_t> touched_, places_;
  std::vector<double> changes_;
};

}  // namespace maxmargin
