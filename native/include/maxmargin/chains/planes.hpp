// Planes of labelled chains for the dual engine (engine/plane_block.hpp): a plane is the list of tokens whose label differs from the
// truth. psi = Psi(x, truth) - Psi(x, y).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "maxmargin/chains/chain.hpp"
#include "maxmargin/chains/scores.hpp"
#include "maxmargin/chains/search.hpp"
#include "maxmargin/engine/plane_block.hpp"
#include "maxmargin/chains/token_products.hpp"

namespace maxmargin {

// Psi of the label n-grams and ends, as far as truth and output differ: (index of a weight, count), ascending.
using SparseCounts = std::vector<std::pair<std::int64_t, double>>;

// a = scale psi, or a mean of such; by the tokens it touches.
struct ChainPlane {
  std::vector<ChangedLabel> changed, changed_pairs;
  SparseCounts steps;
  double b = 0.0;
  std::uint64_t key = 0;  // of the labels; 0 for a mean of several outputs
};

// Adds `sign` times the counts of the n-grams that a change of labels at `changed` tokens touches.
void count_steps(const ChainShape& shape, const std::int32_t* labels, int length, const std::vector<ChangedLabel>& changed,
                 double sign, SparseCounts& counts);
// Sorts, adds up what has the same index, drops zeros.
void tidy(SparseCounts& counts);
// A number that two different label sequences hardly ever share; never 0.
std::uint64_t key_of(const std::int32_t* labels, int length);
// Whether the plane is that of one output, with these labels.
bool is_plane_of(const ChainPlane& plane, std::uint64_t key, const std::int32_t* truth, const std::vector<std::int32_t>& labels);
ChainPlane make_chain_plane(const ChainData& data, const ChainLoss& loss, std::int64_t i, const std::int32_t* labels);
// The plane as a row of numbers: (index of a weight, value), ascending.
SparseCounts plane_row(const ChainData& data, std::int64_t i, const ChainPlane& plane);

// Some tokens of a sequence, each once.
struct TokenSet {
  std::vector<int> tokens;
  std::vector<char> has;

  void add(int t) {
    if (static_cast<std::size_t>(t) >= has.size()) has.resize(2 * static_cast<std::size_t>(t) + 16);
    if (std::exchange(has[static_cast<std::size_t>(t)], 1) == 0) tokens.push_back(t);
  }
  void clear() {
    for (int t : tokens) has[static_cast<std::size_t>(t)] = 0;
    tokens.clear();
  }
};

class ChainPlanes {
 public:
  using Plane = ChainPlane;
  static constexpr bool kCoarse = true;

  ChainPlanes(const ChainData& data, const ChainLoss& loss)
      : data_(&data),
        loss_(&loss),
        token_scores_(data.tokens, data.offsets, data.n, data.shape.stride()),
        pair_scores_(data.pairs, data.offsets, data.shape.pair_features > 0 ? data.n : 0, data.shape.labels * data.shape.stride()),
        scorers_(ChainScores<double>(data), ChainScores<float>(data)),
        searchers_(ChainSearcher<double>(loss), ChainSearcher<float>(loss)) {}

  std::int64_t weight_count() const { return data_->shape.weight_count(); }
  std::int64_t paired() const { return data_->tokens.paired(data_->shape.stride()); }
  void prefetch(std::int64_t) const {}
  void prefetch_early(std::int64_t i) const { prefetch_line(data_->offsets + i); }

  // Makes a sequence current without reading weights.
  void select(std::int64_t i) { current_ = i; }

  template <class Real>
  void open(std::int64_t i, const Real* weights) {
    select(i);
    auto& scorer = std::get<ChainScores<Real>>(scorers_);
    scorer.read_steps(weights);
    scorer.open(i, weights);
    coarse_ = sizeof(Real) == sizeof(float);
    weights_ = weights;
  }

  double value(const Plane& plane) const { return coarse_ ? value_as<float>(plane) : value_as<double>(plane); }

  std::optional<Plane> ask(const std::vector<Plane>& working_set) { return coarse_ ? ask_as<float>(working_set) : ask_as<double>(working_set); }

  bool same(const Plane& p, const Plane& q) const { return p.changed == q.changed && p.b == q.b; }
  bool nearly_same(const Plane&, const Plane&, double, double) const { return false; }
  void products(const Plane& plane, const std::vector<Plane>& others, double* out);
  Plane mix(const Plane& p, const Plane& q, double share) const;  // share * p + (1 - share) * q

  // w += sum of what was added by `collect` since the last call, all of one sequence.
  template <class Real>
  void flush(std::int64_t i, Real* weights) {
    const int stride = data_->shape.stride();
    const std::int64_t first = data_->offsets[i];
    for (int t : touched_.tokens) {
      double* row = coefficients_.data() + static_cast<std::int64_t>(t) * stride;
      data_->tokens.each_move(first + t, [&](const Row& features) { row_update(features, weights, stride, row); });
      std::fill_n(row, stride, 0.0);
    }
    touched_.clear();
    const int width = data_->shape.labels * stride;
    for (int t : touched_pairs_.tokens) {
      double* block = pair_coefficients_.data() + static_cast<std::int64_t>(t) * width;
      row_update(data_->pairs[first + t], weights + data_->shape.pair_row() * stride, width, block);
      std::fill_n(block, width, 0.0);
    }
    touched_pairs_.clear();
    for (const auto& [index, count] : steps_) weights[index] += static_cast<Real>(count);
    steps_.clear();
  }
  void collect(std::int64_t i, const Plane& plane, double c);

 private:
  template <class Real>
  double value_as(const Plane& plane) const {
    const Trellis<Real>& trellis = std::get<ChainScores<Real>>(scorers_).trellis();
    const Real* weights = static_cast<const Real*>(weights_);
    double sum = plane.b;
    for (const ChangedLabel& change : plane.changed) {
      const Real* node = trellis.node(change.token);  // with the weights of the ends
      sum -= change.weight * static_cast<double>(node[change.truth] - node[change.label]);
    }
    for (const ChangedLabel& change : plane.changed_pairs) {
      const Real* block = trellis.pairs + static_cast<std::int64_t>(change.token) * trellis.labels * trellis.stride;
      sum -= change.weight * static_cast<double>(block[change.truth] - block[change.label]);
    }
    const std::int64_t after_ends = (data_->shape.end_row() + 1) * trellis.stride;
    auto step = plane.steps.begin();
    while (step != plane.steps.end() && step->first < after_ends) ++step;
    for (; step != plane.steps.end(); ++step) sum -= step->second * static_cast<double>(weights[step->first]);
    return sum;
  }
  template <class Real>
  std::optional<Plane> ask_as(const std::vector<Plane>& working_set) {
    const auto& trellis = std::get<ChainScores<Real>>(scorers_).trellis();
    if (!std::get<ChainSearcher<Real>>(searchers_).find(trellis, data_->truth(current_), loss_->rows_of(*data_, current_), labels_)) return std::nullopt;
    const std::uint64_t key = key_of(labels_.data(), static_cast<int>(labels_.size()));
    for (const Plane& plane : working_set) {
      if (is_plane_of(plane, key, data_->truth(current_), labels_)) return std::nullopt;
    }
    return make_chain_plane(*data_, *loss_, current_, labels_.data());
  }

  const ChainData* data_;
  const ChainLoss* loss_;
  ChangedScores token_scores_, pair_scores_;
  std::tuple<ChainScores<double>, ChainScores<float>> scorers_;
  std::tuple<ChainSearcher<double>, ChainSearcher<float>> searchers_;
  std::int64_t current_ = 0;
  bool coarse_ = false;
  const void* weights_ = nullptr;
  std::vector<std::int32_t> labels_;

  std::vector<double> coefficients_, pair_coefficients_;  // (length, stride) and (length, labels * stride), zero between calls
  TokenSet touched_, touched_pairs_;
  SparseCounts steps_;
};

}  // namespace maxmargin
