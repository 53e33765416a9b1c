// How much outputs can be worth at most, where that depends on their score and on two counts of them.
//
// An output with the counts (h, g) is worth  margin(h, g) - scale(h, g) * (own - score).  It is worth more than `least` only if
//
//     score + t(h, g) > own,    t = (margin - least) / scale,
//
// and for any two prices a and b the left side is at most  max_y [score + a h + b g] + max_(h, g) [t(h, g) - a h - b g].  The first maximum is a plain
// search for the best output with prices among its scores, the second one goes over a table. Where the sum exceeds `own`, prices move
// against the difference of the counts at the two maxima, by as much as would end it if both stayed (Polyak, 1969).
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace maxmargin::programs {

struct Counts {
  std::int64_t hits = 0, guesses = 0;
};

// Margins and scales by hits and guesses. Where guesses are counted (`columns` of them, from 0 on) an output has no more hits than guesses; a single
// column means that they are not.
struct CountTable {
  std::span<const double> margin, scale;
  std::int64_t rows, columns;           // numbers of hits and of guesses
  std::int64_t hit_step, guess_step;    // from one number to the next

  bool counts_guesses() const { return columns > 1; }
  std::size_t place(Counts counts) const { return static_cast<std::size_t>(counts.hits * hit_step + counts.guesses * guess_step); }
};

class CountPrices {
 public:
  // `own` is the score of the truth.
  CountPrices(const CountTable& table, double own) : table_(table), own_(own) {
    // What a hit takes at most guesses is the least that it takes: with small scores, outputs without any hit are best, and proved to be.
    const Counts all{table.rows - 1, table.columns - 1}, none{0, table.columns - 1};
    if (all.hits > 0 && first_guess(all.hits) <= all.guesses && scale_at(all) > 0.0 && scale_at(none) > 0.0) hit_ = (threshold(all) - threshold(none)) / static_cast<double>(all.hits);
  }

  void set(double hit, double guess) { hit_ = hit, guess_ = guess; }
  double hit() const { return hit_; }
  double guess() const { return guess_; }
  double least() const { return least_; }

  double of(Counts counts) const { return hit_ * static_cast<double>(counts.hits) + guess_ * static_cast<double>(counts.guesses); }
  double worth(double score, Counts counts) const { return table_.margin[table_.place(counts)] - scale_at(counts) * (own_ - score); }

  // Notes an output that is worth as much; whether that is more than any before.
  bool raise(double worth) {
    if (!(worth > least_)) return false;
    least_ = worth;
    return true;
  }

  // Of the best output by score and prices its `priced` score has to be above this, or no output is worth more than `least`.
  double enough() {
    double most = -std::numeric_limits<double>::infinity();
    for (std::int64_t hits = 0; hits < table_.rows; ++hits) {
      for (std::int64_t guesses = first_guess(hits); guesses < table_.columns; ++guesses) {
        const Counts counts{hits, guesses};
        if (!(scale_at(counts) > 0.0)) continue;
        if (const double value = threshold(counts) - of(counts); value > most) most = value, at_ = counts;
      }
    }
    return own_ - most;
  }

  // New prices after an output with these counts was the best, with its priced score above `enough` by the excess.
  void move(Counts counts, double excess) {
    const auto hits = static_cast<double>(counts.hits - at_.hits), guesses = static_cast<double>(counts.guesses - at_.guesses);
    const double length = hits * hits + guesses * guesses;
    if (length == 0.0) return;
    hit_ -= excess / length * hits;
    guess_ -= excess / length * guesses;
  }

 private:
  std::int64_t first_guess(std::int64_t hits) const { return table_.counts_guesses() ? hits : 0; }
  double scale_at(Counts counts) const { return table_.scale[table_.place(counts)]; }
  double threshold(Counts counts) const { return (table_.margin[table_.place(counts)] - least_) / scale_at(counts); }

  CountTable table_;
  double own_, least_ = 0.0, hit_ = 0.0, guess_ = 0.0;
  Counts at_;  // of the second maximum
};

}  // namespace maxmargin::programs
