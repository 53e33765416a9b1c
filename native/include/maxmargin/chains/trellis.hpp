// The dynamic program over a chain, once for all semirings (chains/semirings.hpp).
//
// After token t a state is the tuple of the last min(t + 1, order) labels, numbered with the newest label last. States that
// differ in the newest label only share a row of `stride` cells. Going one token further every state s of a row's group
// meets every label; where a tuple is full its oldest label is forgotten, so that `labels` states merge into one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "maxmargin/chains/chain.hpp"

namespace maxmargin {

// Scores of one sequence: nodes(t, y), and steps over `known` previous labels, (labels^known, stride).
template <class Real>
struct Trellis {
  int length = 0, labels = 0, stride = 0, order = 1;
  const Real* nodes = nullptr;              // (length, stride)
  const Real* steps[kMaxOrder] = {};        // steps[k - 1]: with k previous labels, (labels^k, stride)
  const Real* pairs = nullptr;              // (length, labels, stride), or null: further scores of (y_{t-1}, y_t)

  int known(int t) const { return std::min(t, order); }  // previous labels that count at t
  std::int64_t power(int k) const {
    std::int64_t result = 1;
    while (k-- > 0) result *= labels;
    return result;
  }
  std::int64_t rows(int t) const { return power(std::min(t, order - 1)); }  // of states after token t
  const Real* node(int t) const { return nodes + static_cast<std::int64_t>(t) * stride; }

  // The steps into token t, in `scratch` where they are a sum.
  const Real* table(int t, std::vector<Real>& scratch) const {
    const int k = known(t);
    const Real* plain = steps[k - 1];
    if (pairs == nullptr) return plain;
    const std::int64_t count = power(k);
    const Real* extra = pairs + static_cast<std::int64_t>(t) * labels * stride;
    scratch.resize(static_cast<std::size_t>(count * stride));
    for (std::int64_t s = 0; s < count; ++s) {
      for (int y = 0; y < stride; ++y) scratch[static_cast<std::size_t>(s * stride + y)] = plain[s * stride + y] + extra[s % labels * stride + y];
    }
    return scratch.data();
  }
  Real step(int t, std::int64_t state, int y) const {
    const Real plain = steps[known(t) - 1][state * stride + y];
    return pairs == nullptr ? plain : plain + pairs[(static_cast<std::int64_t>(t) * labels + state % labels) * stride + y];
  }
};

// The states before token t that lead to row g: g, g + apart, ..., `count` of them.
struct Fan {
  std::int64_t apart;
  int count;
};
template <class Real>
Fan fan_into(const Trellis<Real>& trellis, int t) {
  return {trellis.rows(t), trellis.known(t) == trellis.order ? trellis.labels : 1};
}

// Semiring concept: begin(); prepare(t, table) may put another table in the place of the steps into token t;
// merge(t, g, fan, table) makes row g after token t from the states that lead to it; end(t).
template <class Real, class Semiring>
void run_tokens(const Trellis<Real>& trellis, Semiring& semiring, int first, int last) {  // from what is known of first - 1
  std::vector<Real> scratch;
  for (int t = first; t < last; ++t) {
    const Fan fan = fan_into(trellis, t);
    const Real* table = semiring.prepare(t, trellis.table(t, scratch));
    for (std::int64_t g = 0; g < trellis.rows(t); ++g) semiring.merge(t, g, fan, table);
    semiring.end(t);
  }
}

template <class Real, class Semiring>
void run_forward(const Trellis<Real>& trellis, Semiring& semiring) {
  semiring.begin();
  run_tokens(trellis, semiring, 1, trellis.length);
}

// The other way, for sums: spread(t, g, fan, table) hands what is known of row g after token t to the states before.
template <class Real, class Semiring>
void run_backward(const Trellis<Real>& trellis, Semiring& semiring) {
  std::vector<Real> scratch;
  semiring.begin_backward();
  for (int t = trellis.length - 1; t >= 1; --t) {
    const Fan fan = fan_into(trellis, t);
    const Real* table = semiring.prepare(t, trellis.table(t, scratch));
    for (std::int64_t g = 0; g < trellis.rows(t); ++g) semiring.spread(t, g, fan, table);
    semiring.end_backward(t);
  }
}

// The state after token t of a label sequence.
template <class Real>
std::int64_t state_of(const Trellis<Real>& trellis, const std::int32_t* labels, int t) {
  std::int64_t state = 0;
  for (int back = std::min(t, trellis.order - 1); back >= 0; --back) state = state * trellis.labels + labels[t - back];
  return state;
}

template <class Real>
double path_score(const Trellis<Real>& trellis, const std::int32_t* labels) {
  double sum = static_cast<double>(trellis.node(0)[labels[0]]);
  for (int t = 1; t < trellis.length; ++t) {
    sum += static_cast<double>(trellis.node(t)[labels[t]]) +
           static_cast<double>(trellis.step(t, state_of(trellis, labels, t - 1), labels[t]));
  }
  return sum;
}

}  // namespace maxmargin
