#include "maxmargin/alignments/planes.hpp"

#include <algorithm>

namespace maxmargin::alignments {

std::vector<std::int32_t> written(const AlignmentOutput& output) {
  std::vector<std::int32_t> numbers{output.candidate, static_cast<std::int32_t>(output.pairs.size())};
  numbers.reserve(2 + 2 * output.pairs.size());
  for (const Pair& pair : output.pairs) numbers.push_back(pair.i), numbers.push_back(pair.j);
  return numbers;
}

AlignmentOutput read_output(const std::int32_t* numbers) {
  AlignmentOutput output{numbers[0], {}};
  output.pairs.reserve(static_cast<std::size_t>(numbers[1]));
  for (std::int32_t k = 0; k < numbers[1]; ++k) output.pairs.push_back({numbers[2 + 2 * k], numbers[3 + 2 * k]});
  return output;
}

AlignmentPlane PlaneMaker::make(std::int64_t i, const AlignmentOutput& output) {
  const AlignmentSet& set = *problem_.targets->set;
  const Rescaled plane = problem_.rescaled(i, output.candidate, output.pairs);
  const std::span<const std::int32_t> candidates = set.candidates_of(i);
  const std::int32_t x = set.x[static_cast<std::size_t>(i)];
  set.add(x, candidates.front(), problem_.targets->truth(i), plane.scale, sum_.data());
  set.add(x, candidates[static_cast<std::size_t>(output.candidate)], output.pairs, -plane.scale, sum_.data());
  AlignmentPlane made;
  made.b = made.row.b = plane.b;
  made.output = written(output);
  std::size_t used = 0;
  for (const double value : sum_) used += value != 0.0;
  made.row.dense = 3 * used > sum_.size();
  if (made.row.dense) {
    made.row.value = sum_;
  } else {
    made.row.index.reserve(used);
    made.row.value.reserve(used);
    for (std::size_t j = 0; j < sum_.size(); ++j) {
      if (sum_[j] == 0.0) continue;
      made.row.index.push_back(static_cast<std::int32_t>(j));
      made.row.value.push_back(sum_[j]);
    }
  }
  std::fill(sum_.begin(), sum_.end(), 0.0);
  return made;
}

}  // namespace maxmargin::alignments
