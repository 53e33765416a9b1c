// The most violated output of a sequence in every formulation (chains/chain.hpp, ChainSearch).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/chains/best_by_loss.hpp"
#include "maxmargin/chains/chain.hpp"
#include "maxmargin/engine/rescaled.hpp"
#include "maxmargin/chains/kbest.hpp"
#include "maxmargin/chains/semirings.hpp"

namespace maxmargin {

// Of an output other than the truth; `rows` are those of the costs of the tokens.
inline Rescaled rescaled(const ChainLoss& loss, int classes, const std::int32_t* rows, const std::int32_t* labels, int length) {
  if (loss.search == ChainSearch::second || loss.search == ChainSearch::prediction) return {loss.margin[1], loss.scale[1]};
  double cost = 0.0;
  int units = 0;
  for (int t = 0; t < length; ++t) {
    const int cell = rows[t] * classes + labels[t];
    if (loss.search == ChainSearch::augmented) {
      cost += loss.costs[cell];
    } else {
      units += loss.units[cell];
    }
  }
  if (loss.search == ChainSearch::augmented) return {cost, 1.0};
  return {loss.margin[units], loss.scale[units]};
}

template <class Real>
class ChainSearcher {
 public:
  explicit ChainSearcher(const ChainLoss& loss) : loss_(&loss) {}

  // Fills `labels` with the most violated output and returns true, or false where the truth is the answer.
  // `rows` are those of the costs of the tokens.
  bool find(const Trellis<Real>& trellis, const std::int32_t* truth, const std::int32_t* rows, std::vector<std::int32_t>& labels) {
    labels.resize(static_cast<std::size_t>(trellis.length));
    switch (loss_->search) {
      case ChainSearch::augmented: augmented(trellis, rows, labels); break;
      case ChainSearch::by_loss:
        if (!by_loss(trellis, truth, rows, labels)) return false;
        break;
      case ChainSearch::second: second(trellis, truth, labels); break;
      case ChainSearch::prediction:
        best_.run(trellis);
        best_.path(labels.data());
        break;
    }
    return !std::equal(labels.begin(), labels.end(), truth);
  }

 private:
  void augmented(Trellis<Real> trellis, const std::int32_t* rows, std::vector<std::int32_t>& labels) {
    nodes_.assign(trellis.nodes, trellis.nodes + static_cast<std::int64_t>(trellis.length) * trellis.stride);
    for (int t = 0; t < trellis.length; ++t) {
      const double* costs = loss_->costs + static_cast<std::int64_t>(rows[t]) * trellis.labels;
      Real* node = nodes_.data() + static_cast<std::int64_t>(t) * trellis.stride;
      for (int y = 0; y < trellis.labels; ++y) node[y] += static_cast<Real>(costs[y]);
    }
    trellis.nodes = nodes_.data();
    best_.run(trellis);
    best_.path(labels.data());
  }

  bool by_loss(const Trellis<Real>& trellis, const std::int32_t* truth, const std::int32_t* rows, std::vector<std::int32_t>& labels) {
    units_.resize(static_cast<std::size_t>(trellis.length) * static_cast<std::size_t>(trellis.labels));
    for (int t = 0; t < trellis.length; ++t) {
      std::copy_n(loss_->units + static_cast<std::int64_t>(rows[t]) * trellis.labels, trellis.labels,
                  units_.begin() + static_cast<std::ptrdiff_t>(t) * trellis.labels);
    }
    by_loss_.run(trellis, units_);
    const std::vector<Real> scores = by_loss_.scores();
    const double own = path_score(trellis, truth);
    MostViolated chosen;
    for (int c = 0; c <= by_loss_.most(); ++c) {  // the truth is not the only output of loss 0 where a mistake is free
      chosen.offer(c, {loss_->margin[c], loss_->scale[c]}, own, static_cast<double>(scores[static_cast<std::size_t>(c)]));
    }
    if (chosen.stratum < 0) return false;
    by_loss_.path(static_cast<int>(chosen.stratum), labels.data());
    return true;
  }

  void second(const Trellis<Real>& trellis, const std::int32_t* truth, std::vector<std::int32_t>& labels) {
    second_.run(trellis);
    second_.path(0, labels.data());
    if (!std::equal(labels.begin(), labels.end(), truth)) return;
    if (second_.path(1, labels.data()) == -std::numeric_limits<double>::infinity()) std::copy_n(truth, trellis.length, labels.begin());
  }

  const ChainLoss* loss_;
  BestPath<Real> best_;
  BestPaths<Real> second_;
  BestByLoss<Real> by_loss_;
  std::vector<Real> nodes_;
  std::vector<std::int32_t> units_;
};

}  // namespace maxmargin
