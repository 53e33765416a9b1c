#include "maxmargin/alignments/batch.hpp"

#include <algorithm>

#include "maxmargin/alignments/best.hpp"
#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin::alignments {
namespace {

// One row of scores per letter of x that occurs, over the positions of y.
class LetterGrid {
 public:
  explicit LetterGrid(const LetterScores& scores) : scores_(scores), row_of_(static_cast<std::size_t>(scores.rows), -1) {}

  GridScores scores(std::span<const std::int32_t> x, std::span<const std::int32_t> y) {
    row_.resize(x.size());
    used_.clear();
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::int32_t& row = row_of_[static_cast<std::size_t>(x[i])];
      if (row < 0) {
        row = static_cast<std::int32_t>(used_.size());
        used_.push_back(x[i]);
      }
      row_[i] = row;
    }
    if (match_.size() < used_.size() * y.size()) match_.resize(used_.size() * y.size());
    double* into = match_.data();
    for (const std::int32_t letter : used_) {
      const double* from = scores_.table + static_cast<std::int64_t>(letter) * scores_.columns;
      for (const std::int32_t other : y) *into++ = from[other];
      row_of_[static_cast<std::size_t>(letter)] = -1;
    }
    constant(open_x_, x.size(), scores_.open_x);
    constant(extend_x_, x.size(), scores_.extend_x);
    constant(open_y_, y.size(), scores_.open_y);
    constant(extend_y_, y.size(), scores_.extend_y);
    return {static_cast<std::int32_t>(x.size()), static_cast<std::int32_t>(y.size()), match_.data(), open_x_.data(), extend_x_.data(),
            open_y_.data(), extend_y_.data(), row_.data()};
  }

 private:
  static void constant(std::vector<double>& into, std::size_t count, double value) {
    if (into.size() < count) into.resize(count, value);
  }

  const LetterScores& scores_;
  std::vector<std::int32_t> row_of_, row_, used_;  // row of each letter, of each position, and letters in use
  std::vector<double> match_, open_x_, extend_x_, open_y_, extend_y_;
};

}  // namespace

Aligned best_alignments(const LetterScores& scores, const GridShape& shape, const Letters& x, const Letters& y, int threads) {
  const std::int64_t count = x.count();
  Aligned all;
  all.scores.resize(static_cast<std::size_t>(count));
  all.first.resize(static_cast<std::size_t>(count) + 1);
  std::vector<std::vector<Pair>> parts(static_cast<std::size_t>(thread_count(count, threads)));
  in_parallel(count, threads, [&](int thread, std::int64_t begin, std::int64_t end) {
    LetterGrid grid(scores);
    BestAlignment search;
    std::vector<Pair> one, &pairs = parts[static_cast<std::size_t>(thread)];
    for (std::int64_t k = begin; k < end; ++k) {
      all.scores[static_cast<std::size_t>(k)] = search.find(grid.scores(x[k], y[k]), shape, one);
      all.first[static_cast<std::size_t>(k) + 1] = static_cast<std::int64_t>(one.size());
      pairs.insert(pairs.end(), one.begin(), one.end());
    }
  });
  for (std::size_t k = 0; k < all.scores.size(); ++k) all.first[k + 1] += all.first[k];
  all.pairs.reserve(static_cast<std::size_t>(all.first.back()));
  for (const std::vector<Pair>& part : parts) all.pairs.insert(all.pairs.end(), part.begin(), part.end());
  return all;
}

}  // namespace maxmargin::alignments
