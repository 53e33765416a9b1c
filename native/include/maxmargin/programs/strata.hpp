// The best derivation at each total of its costs, which are whole numbers per edge.
//
// Each cell has a row of values, one per total up to the largest that it can have. Where all rows take more room than `kLittle`, cells
// are divided into blocks of consecutive ones. Rows that a later block reads are kept; of the others those of one block at a time are
// there, computed again on the way back. The division is the one with the least memory among powers of two: for a chain about
// the square root of its length, while a chart whose cells are all read late keeps everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/programs/program.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::programs {

// What the rows of a program's cells need, and where they are.
class StrataRoom {
 public:
  static constexpr std::int64_t kLittle = std::int64_t{64} << 20;  // bytes

  // `costs[edge]` are not negative. Only cells that derivations of the goal use have a row.
  template <NumberedProgram P, class Costs>
  void plan(const P& program, const Costs& costs, std::int64_t number_bytes, std::int64_t little = kLittle) {
    const auto cells = static_cast<std::size_t>(program.cells());
    widths_.assign(cells, 0);
    last_use_.assign(cells, -1);
    last_use_[static_cast<std::size_t>(program.goal())] = program.goal();
    for (Cell cell = program.goal(); cell >= 0; --cell) {
      if (last_use_[static_cast<std::size_t>(cell)] < 0) continue;
      program.incoming(cell, [&](Edge, Cell a, Cell b) {
        if (a != kNoTail) last_use_[static_cast<std::size_t>(a)] = std::max(last_use_[static_cast<std::size_t>(a)], cell);
        if (b != kNoTail) last_use_[static_cast<std::size_t>(b)] = std::max(last_use_[static_cast<std::size_t>(b)], cell);
      });
    }
    for (Cell cell = 0; cell <= program.goal(); ++cell) {
      if (!is_used(cell)) continue;
      std::int64_t most = 0;
      program.incoming(cell, [&](Edge edge, Cell a, Cell b) { most = std::max(most, costs[edge] + this->most(a) + this->most(b)); });
      widths_[static_cast<std::size_t>(cell)] = most + 1;
    }
    divide(1);
    if (numbers() * number_bytes <= little) return;
    std::int64_t fewest = numbers(), blocks = 1;
    for (std::int64_t count = 2; count <= program.cells(); count *= 2) {
      divide(count);
      if (numbers() < fewest) fewest = numbers(), blocks = count;
    }
    divide(blocks);
  }

  bool is_used(Cell cell) const { return last_use_[static_cast<std::size_t>(cell)] >= 0; }
  std::int64_t most(Cell cell) const { return cell == kNoTail ? 0 : widths_[static_cast<std::size_t>(cell)] - 1; }
  std::int64_t place(Cell cell) const { return places_[static_cast<std::size_t>(cell)]; }
  std::int64_t numbers() const { return kept_ + passing_; }
  std::int32_t blocks() const { return static_cast<std::int32_t>(begins_.size()) - 1; }
  std::int32_t block(Cell cell) const {
    return static_cast<std::int32_t>(std::upper_bound(begins_.begin(), begins_.end(), cell) - begins_.begin()) - 1;
  }
  Cell begin(std::int32_t block) const { return begins_[static_cast<std::size_t>(block)]; }

 private:
  void divide(std::int64_t blocks) {
    std::int64_t all = 0, before = 0;
    for (const std::int64_t width : widths_) all += width;
    begins_.assign(1, 0);
    const auto cells = static_cast<Cell>(widths_.size());
    for (Cell cell = 0; cell < cells; ++cell) {
      if (before * blocks >= all * static_cast<std::int64_t>(begins_.size()) && cell > begins_.back()) begins_.push_back(cell);
      before += widths_[static_cast<std::size_t>(cell)];
    }
    begins_.push_back(cells);
    kept_ = passing_ = 0;
    places_.assign(widths_.size(), 0);
    for (std::int32_t at = 0; at < this->blocks(); ++at) {  // rows that are kept come first
      for (Cell cell = begin(at); cell < begin(at + 1); ++cell) {
        if (is_kept(cell, at)) places_[static_cast<std::size_t>(cell)] = std::exchange(kept_, kept_ + widths_[static_cast<std::size_t>(cell)]);
      }
    }
    for (std::int32_t at = 0; at < this->blocks(); ++at) {
      std::int64_t own = 0;
      for (Cell cell = begin(at); cell < begin(at + 1); ++cell) {
        if (!is_kept(cell, at)) places_[static_cast<std::size_t>(cell)] = kept_ + std::exchange(own, own + widths_[static_cast<std::size_t>(cell)]);
      }
      passing_ = std::max(passing_, own);
    }
  }
  bool is_kept(Cell cell, std::int32_t block) const { return last_use_[static_cast<std::size_t>(cell)] >= begin(block + 1); }

  std::vector<std::int64_t> widths_, places_;
  std::vector<Cell> last_use_, begins_;
  std::int64_t kept_ = 0, passing_ = 0;
};

// `Scores` has scores[edge], `Costs` costs[edge]; both must outlive the answers.
template <NumberedProgram P, class Real, class Scores, class Costs>
class Strata {
 public:
  // Throws std::length_error, with a sentence, where the rows take more than `most` bytes.
  Strata(const P& program, Scores scores, Costs costs, std::int64_t little = StrataRoom::kLittle,
         std::int64_t most = std::numeric_limits<std::int64_t>::max())
      : program_(&program), scores_(scores), costs_(costs) {
    room_.plan(program, costs_, sizeof(Real), little);
    if (room_.numbers() > most / static_cast<std::int64_t>(sizeof(Real))) {
      throw std::length_error("The best output at each of " + std::to_string(room_.most(program.goal()) + 1) + " totals takes " +
                              std::to_string((room_.numbers() >> 20) * static_cast<std::int64_t>(sizeof(Real))) + " MiB, and " + std::to_string(most >> 20) +
                              " MiB is the most: count in larger units, or fewer kinds.");
    }
    rows_.resize(static_cast<std::size_t>(room_.numbers()));
    limit_ = room_.most(program.goal());
    for (std::int32_t block = 0; block <= room_.block(program.goal()); ++block) fill(block);
    const Real* goal = row(program.goal());
    values_.assign(goal, goal + limit_ + 1);
  }

  // The best score at each total 0, 1, ...; minus infinity where no derivation has it.
  std::span<const Real> values() const { return values_; }
  const StrataRoom& room() const { return room_; }

  // The edges of the best derivation at a total that has one; each edge before those of its tails.
  void derivation(std::int64_t total, std::vector<Edge>& edges) {
    edges.clear();
    std::priority_queue<std::pair<Cell, std::int64_t>> open;  // the last cell first, so that every block is filled at most once
    open.emplace(program_->goal(), total);
    while (!open.empty()) {
      const auto [cell, left] = open.top();
      open.pop();
      if (const std::int32_t block = room_.block(cell); block != block_ || total > limit_) limit_ = total, fill(block);
      const Split split = explain(cell, left);
      edges.push_back(split.edge);
      const Tails from = program_->tails(cell, split.edge);
      if (from.first != kNoTail) open.emplace(from.first, split.first);
      if (from.second != kNoTail) open.emplace(from.second, split.second);
    }
  }

 private:
  struct Split {
    Edge edge = -1;
    std::int64_t first = 0, second = 0;
  };
  Real* row(Cell cell) { return rows_.data() + room_.place(cell); }
  const Real* row_or_one(Cell cell) { return cell == kNoTail ? &kNothing : row(cell); }
  std::int64_t width(Cell cell) const { return std::min(room_.most(cell), limit_) + 1; }  // totals above the limit are not needed

  void fill(std::int32_t block) {
    block_ = block;
    for (Cell cell = room_.begin(block); cell < room_.begin(block + 1); ++cell) {
      if (!room_.is_used(cell)) continue;
      Real* into = row(cell);
      const std::int64_t wide = width(cell);
      std::fill_n(into, wide, kImpossible<Real>);
      program_->incoming(cell, [&](Edge edge, Cell a, Cell b) {
        const Real score = scores_[edge];
        const std::int64_t shift = costs_[edge];
        if (score == kImpossible<Real> || shift >= wide) return;
        if constexpr (P::kTails == 1) {
          raise(into + shift, row_or_one(a), std::min(width(a), wide - shift), score);
        } else {
          const Real* left = row_or_one(a);
          for (std::int64_t u = 0; u < std::min(width(a), wide - shift); ++u) {
            if (left[u] != kImpossible<Real>) raise(into + shift + u, row_or_one(b), std::min(width(b), wide - shift - u), score + left[u]);
          }
        }
      });
    }
  }
  static void raise(Real* into, const Real* from, std::int64_t count, Real score) { kernels_for(into).raise(into, from, count, score); }

  Split explain(Cell cell, std::int64_t total) {
    const Real value = row(cell)[total];
    Split found;
    program_->incoming(cell, [&](Edge edge, Cell a, Cell b) {
      const Real score = scores_[edge];
      const std::int64_t left = total - costs_[edge];
      if (found.edge >= 0 || score == kImpossible<Real> || left < 0) return;
      if constexpr (P::kTails == 1) {
        if (left <= room_.most(a) && row_or_one(a)[left] + score == value) found = {edge, left, 0};
      } else {
        const Real *one = row_or_one(a), *other = row_or_one(b);
        for (std::int64_t u = std::max<std::int64_t>(0, left - room_.most(b)); u <= std::min(left, room_.most(a)) && found.edge < 0; ++u) {
          if (one[u] != kImpossible<Real> && other[left - u] + (score + one[u]) == value) found = {edge, u, left - u};
        }
      }
    });
    if (found.edge < 0) refuse_scores();
    return found;
  }

  static constexpr Real kNothing{0};
  const P* program_;
  Scores scores_;
  Costs costs_;
  StrataRoom room_;
  std::int64_t limit_ = 0;
  std::int32_t block_ = -1;
  std::vector<Real> rows_, values_;
};

}  // namespace maxmargin::programs
