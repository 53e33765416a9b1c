// The problem of rows/smooth.hpp without the rows of a fold, for several folds at once, where steps come from conjugate gradients: every
// pass over the rows serves all folds, whose weights of one column stand side by side. A pass is bound by the cells that it reads, so
// that three folds cost little more than one.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/rows/smooth_data.hpp"

namespace maxmargin {

class FoldNewton {
 public:
  static constexpr int kMost = 8;  // folds
  using Lanes = std::array<double, kMost>;
  using Time = std::optional<std::chrono::steady_clock::time_point>;

  // Leaves out members[offsets[k]] .. members[offsets[k + 1] - 1] for fold k; starts from `origin`, which was made for `loss`.
  FoldNewton(const SmoothData& data, std::span<const std::int32_t> members, std::span<const std::int64_t> offsets, std::span<const double> origin,
             SmoothLoss loss);

  // Steps, from where the last call ended, until one gains at most `target`, for each fold; C is larger as the rows of a fold are fewer.
  void run(SmoothLoss loss, double C, double target, int most, const Time& end);

  // The scores of the members that fold k leaves out, by its weights.
  void scores_of(std::size_t fold, std::span<double> out) const;
  // w += share * the weights of all folds
  void add_weights(double share, std::vector<double>& w) const;
  std::size_t folds() const { return folds_.size() - 1; }

 private:
  using Flags = std::array<bool, kMost>;
  template <class Body>
  void for_blocks(Body&& body);
  void score(const Weights& w, Weights& out) const;
  void adapt(SmoothLoss loss);
  void assess();
  void step(double target);
  template <int stride>
  void solve(Weights& step);
  template <int stride>
  void search(const Weights& step, const Lanes& slope);
  void hessian_times(const Weights& v, Weights& out, const Flags& open) const;
  bool any(const Flags& flags) const;

  SmoothData data_;
  std::span<const std::int32_t> members_;
  std::vector<std::int64_t> folds_;
  std::size_t columns_;
  int stride_;
  SmoothLoss loss_;
  Lanes more_{}, C_{}, value_{}, decrement_{};
  Flags open_{};                       // folds that are not done
  Weights w_, gradient_, inverse_;     // column after column, `stride_` numbers each; the last of the diagonal of a Hessian
  Weights scores_, curvature_;         // member after member
};

}  // namespace maxmargin
