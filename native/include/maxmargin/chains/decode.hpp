// Predictions for all sequences, and what a search costs. Sequences are divided among threads in fixed parts.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/chains/chain.hpp"

namespace maxmargin {

// The sequence whose search needs the most memory, and how much; nothing worth mention but where the search goes by loss.
struct LargestSearch {
  std::int64_t sequence = 0, bytes = 0;
};
LargestSearch largest_search(const ChainData& data, const ChainLoss& loss);

// What a prediction may be. Both are optional; null allows everything.
struct ChainLimits {
  const std::uint8_t* labels = nullptr;  // (tokens, labels): whether a token may have a label
  const std::uint8_t* steps = nullptr;   // (labels + 1, labels + 1): whether b may follow a; the last row is the start,
                                         // the last column the end
};

// The k best label sequences of every sequence: labels[rank * tokens + token], scores[i * k + rank], minus infinity where
// there are fewer. Returns the first sequence that has none at all, or -1.
template <class Real>
std::int64_t chain_decode(const ChainData& data, const Real* weights, const ChainLimits& limits, int k, std::span<std::int32_t> labels,
                          std::span<double> scores, int threads);

}  // namespace maxmargin
