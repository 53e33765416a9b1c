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
  touched_.clear();
  auto take = [&](std::int32_t weight, double value) {
    double& sum = sum_[static_cast<std::size_t>(weight)];
    if (sum == 0.0) touched_.push_back(weight);  // more than once where it was zero again in between
    sum += value;
  };
  set.visit_features(x, candidates.front(), problem_.targets->truth(i), plane.scale, take);
  set.visit_features(x, candidates[static_cast<std::size_t>(output.candidate)], output.pairs, -plane.scale, take);
  std::ranges::sort(touched_);
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  std::erase_if(touched_, [&](std::int32_t weight) { return sum_[static_cast<std::size_t>(weight)] == 0.0; });
  AlignmentPlane made;
  made.b = made.row.b = plane.b;
  made.output = written(output);
  made.row.dense = 3 * touched_.size() > sum_.size();
  if (made.row.dense) {
    made.row.value = sum_;
  } else {
    made.row.index = touched_;
    made.row.value.reserve(touched_.size());
    for (const std::int32_t weight : touched_) made.row.value.push_back(sum_[static_cast<std::size_t>(weight)]);
  }
  for (const std::int32_t weight : touched_) sum_[static_cast<std::size_t>(weight)] = 0.0;
  return made;
}

}  // namespace maxmargin::alignments
