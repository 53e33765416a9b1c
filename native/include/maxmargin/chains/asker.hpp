// The most violated labels of one sequence after the other, for engine/questions.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/chains/planes.hpp"
#include "maxmargin/chains/scores.hpp"
#include "maxmargin/chains/search.hpp"
#include "maxmargin/engine/questions.hpp"

namespace maxmargin {

class ChainAsker {
 public:
  using Output = std::int32_t;
  static constexpr int kAhead = 0;
  static constexpr bool kCollects = true;

  ChainAsker(const ChainData& data, const ChainLoss& loss) : data_(&data), loss_(&loss), scorer_(data), searcher_(loss) {}

  std::int64_t weight_count() const { return data_->shape.weight_count(); }
  void prefetch(std::int64_t) const {}

  void at(const double* weights, double factor) {
    weights_ = weights;
    scorer_.read_steps(weights, factor);
  }
  bool ask(std::int64_t i) {
    const Trellis<double>& trellis = scorer_.open(i, weights_);
    const std::int32_t *truth = data_->truth(i), *rows = loss_->rows_of(*data_, i);
    if (!searcher_.find(trellis, truth, rows, found_)) return false;
    const Rescaled plane = rescaled(*loss_, data_->shape.labels, rows, found_.data(), trellis.length);
    b = plane.b;
    slack = plane.b - plane.scale * (path_score(trellis, truth) - path_score(trellis, found_.data()));
    return true;
  }
  bool ask_first(std::int64_t i) { return ask(i); }

  std::span<const std::int32_t> found() const { return found_; }
  std::span<const std::int32_t> truth(std::int64_t i) const { return {data_->truth(i), static_cast<std::size_t>(data_->length(i))}; }
  void add(std::int64_t i, const std::int32_t* labels, double c, double* v) {
    if (!planes_) planes_.emplace(*data_, *loss_);
    planes_->collect(i, make_chain_plane(*data_, *loss_, i, labels), c);
    planes_->flush(i, v);
  }
  std::int64_t missed() const { return 0; }

  double slack = 0.0, b = 0.0;
  static constexpr double scale = 1.0;  // planes are added with their scale

 private:
  const ChainData* data_;
  const ChainLoss* loss_;
  ChainScores<double> scorer_;
  ChainSearcher<double> searcher_;
  std::optional<ChainPlanes> planes_;  // made when the first one is added
  const double* weights_ = nullptr;
  std::vector<std::int32_t> found_;
};

}  // namespace maxmargin
