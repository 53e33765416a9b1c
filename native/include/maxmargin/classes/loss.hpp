// The margin and the scale of the plane of each class, given the truth: from a table, or from the place of the classes
// in a graph, where the loss is a whole number and the formulation two short lists over it. Nothing is classes x classes
// then: the loss of all classes comes in one pass from parents to children.
//
//   uniform   1 for every class but the truth
//   height    height of the lowest node above both
//   path      edges of the shortest way between them over a common ancestor
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {

enum class LossKind : std::uint8_t { table, uniform, height, path };

struct ClassLoss {
  LossKind kind = LossKind::uniform;
  std::int64_t classes = 0;
  const double* margin = nullptr;  // table: (classes, stride), -infinity in the padding; else by the loss, `levels` numbers
  const double* scale = nullptr;   // table: (classes, stride), zero on the diagonal and in the padding; else by the loss
  std::int64_t levels = 0;

  std::int64_t nodes = 0;                       // height and path: the graph, parents first
  const std::int64_t* parent_offsets = nullptr;
  const std::int32_t* parents = nullptr;
  const std::int32_t* heights = nullptr;
  const std::int32_t* class_node = nullptr;

  int stride() const { return padded(classes); }
};

// The rows of one truth after the other.
class LossRows {
 public:
  explicit LossRows(const ClassLoss& loss) : loss_(&loss) {
    if (loss.kind == LossKind::table) return;
    own_margin_.assign(static_cast<std::size_t>(loss.stride()), -std::numeric_limits<double>::infinity());
    own_scale_.assign(own_margin_.size(), 0.0);
    far_.assign(static_cast<std::size_t>(loss.nodes), kFar);
    of_node_.resize(far_.size());
  }

  const double* margin() const { return loss_->kind == LossKind::table ? from(loss_->margin) : own_margin_.data(); }
  const double* scale() const { return loss_->kind == LossKind::table ? from(loss_->scale) : own_scale_.data(); }

  void open(int truth) {
    if (truth == truth_) return;
    const int before = std::exchange(truth_, truth);
    if (loss_->kind == LossKind::table) return;
    if (loss_->kind == LossKind::uniform) {
      if (before < 0) {
        std::fill_n(own_margin_.begin(), loss_->classes, loss_->margin[1]);
        std::fill_n(own_scale_.begin(), loss_->classes, loss_->scale[1]);
      } else {
        set(before, 1);
      }
    } else {
      mark(loss_->class_node[truth]);
      spread();
      for (std::int32_t k = 0; k < loss_->classes; ++k) set(k, of_node_[static_cast<std::size_t>(loss_->class_node[k])]);
    }
    own_margin_[static_cast<std::size_t>(truth)] = own_scale_[static_cast<std::size_t>(truth)] = 0.0;
  }

 private:
  static constexpr std::int32_t kFar = std::numeric_limits<std::int32_t>::max() / 2;

  const double* from(const double* table) const { return table + static_cast<std::int64_t>(truth_) * loss_->stride(); }

  void set(std::int32_t k, std::int32_t loss) {
    own_margin_[static_cast<std::size_t>(k)] = loss_->margin[loss];
    own_scale_[static_cast<std::size_t>(k)] = loss_->scale[loss];
  }

  // far_[z]: what a class below z costs if z is the node where it meets the truth, as far as that is known at z.
  void mark(std::int32_t node) {
    waiting_.assign(1, node);
    far_[static_cast<std::size_t>(node)] = 0;
    for (std::size_t at = 0; at < waiting_.size(); ++at) {  // level by level, so the first way found is the shortest
      const std::int32_t z = waiting_[at];
      for (std::int64_t e = loss_->parent_offsets[z]; e < loss_->parent_offsets[z + 1]; ++e) {
        std::int32_t& above = far_[static_cast<std::size_t>(loss_->parents[e])];
        if (above != kFar) continue;
        above = far_[static_cast<std::size_t>(z)] + 1;
        waiting_.push_back(loss_->parents[e]);
      }
    }
    if (loss_->kind == LossKind::height) {
      for (std::int32_t z : waiting_) far_[static_cast<std::size_t>(z)] = loss_->heights[z];
    }
  }

  void spread() {
    const std::int32_t step = loss_->kind == LossKind::path ? 1 : 0;
    for (std::int64_t z = 0; z < loss_->nodes; ++z) {
      std::int32_t least = far_[static_cast<std::size_t>(z)];
      for (std::int64_t e = loss_->parent_offsets[z]; e < loss_->parent_offsets[z + 1]; ++e) {
        least = std::min(least, of_node_[static_cast<std::size_t>(loss_->parents[e])] + step);
      }
      of_node_[static_cast<std::size_t>(z)] = least;
    }
    for (std::int32_t z : waiting_) far_[static_cast<std::size_t>(z)] = kFar;
  }

  const ClassLoss* loss_;
  int truth_ = -1;
  std::vector<double> own_margin_, own_scale_;
  std::vector<std::int32_t> far_, of_node_, waiting_;
};

}  // namespace maxmargin
