// The most violated labelling of rows for a loss of the contingency table (tp, fp, fn, tn).
//
// Of all labellings with tp true and fp false positives the best takes the best positives and the best negatives, so its value is
//
//   margin(loss) - scale(loss) (S_P - positive_sums[tp] - negative_sums[fp]) / n
//
// with the sums of the best scores of each side and S_P that of all positives. Tables are searched along lines on which the value has
// a single peak, which is found by halving.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace maxmargin {

// Some rows, best score first (equal ones as given), and the sums of the best k scores, k = 0, 1, ...
struct SortedRows {
  std::vector<std::int64_t> rows;
  std::vector<double> sums;
};
SortedRows sort_by_score(std::span<const double> scores, std::span<const std::int64_t> rows);

// What falling cuts take of the rows of each part: rows with a score of at least the cut, positive and others, by weight (none: 1), and
// the highest score of all rows that is below the cut (minus infinity where there is none).
struct CutTables {
  std::vector<double> tp, fp;                // (parts, cuts)
  std::vector<double> positives, negatives;  // of each part
  std::vector<double> below;                 // of each cut
};
CutTables cut_tables(std::span<const double> scores, std::span<const bool> positive, std::span<const double> weight,
                     std::span<const std::int64_t> part, std::int64_t parts, std::span<const double> cuts);

enum class TableLoss : std::uint8_t { error_rate, f_beta, balanced_error, matthews };

struct Tables {
  std::span<const double> positive_sums, negative_sums;  // of (P + 1) and (N + 1)
  double n = 1.0;
  TableLoss kind = TableLoss::error_rate;
  double beta = 1.0;
  bool scaled = false, rooted = false, constant = false, mistakes = false;  // slack rescaling, squared slack, zero-one loss, perceptron
};

struct FoundTable {
  std::int64_t tp = 0, fp = 0;
  double value = 0.0;
};

// The table of highest value other than the truth. The loss must not rise in tp, and be concave and not fall in fp where tp is given:
// a range of lines tp is bounded by the loss of its first line and the highest sum of all, and left out if that is below the best.
FoundTable search_by_true_positives(const Tables& tables);
// The same for a loss that is concave and does not fall in fp where tp + fp is given.
FoundTable search_by_predicted(const Tables& tables);

}  // namespace maxmargin
