#include "alignments/alignments.hpp"

namespace maxmargin::bindings {

using alignments::Pair;

alignments::GridShape shape_of(const std::string& mode, const std::array<bool, 4>& free_ends, std::int32_t band) {
  alignments::GridShape shape;
  if (mode == "global") shape.mode = alignments::Mode::global;
  else if (mode == "local") shape.mode = alignments::Mode::local;
  else if (mode == "semi-global") shape.mode = alignments::Mode::semi_global;
  else throw nb::value_error("the mode must be 'global', 'local' or 'semi-global'");
  shape.free_x_begin = free_ends[0];
  shape.free_x_end = free_ends[1];
  shape.free_y_begin = free_ends[2];
  shape.free_y_end = free_ends[3];
  shape.band = band;
  return shape;
}

PairArray taken_pairs(std::vector<Pair>&& pairs) {
  static_assert(sizeof(Pair) == 2 * sizeof(std::int32_t));
  auto* kept = new std::vector<Pair>(std::move(pairs));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Pair>*>(p); });
  return {reinterpret_cast<std::int32_t*>(kept->data()), {kept->size(), 2}, owner};
}

std::vector<Pair> checked_pairs(const In2<std::int32_t>& pairs, std::int32_t m, std::int32_t n) {
  if (pairs.shape(1) != 2) throw nb::value_error("pairs must have two columns");
  std::vector<Pair> found;
  Pair before{-1, -1};
  for (std::size_t k = 0; k < pairs.shape(0); ++k) {
    const Pair pair{pairs.data()[2 * k], pairs.data()[2 * k + 1]};
    const std::string named = "Pair (" + std::to_string(pair.i) + ", " + std::to_string(pair.j) + ")";
    if (pair.i < 0 || pair.j < 0 || pair.i >= m || pair.j >= n) {
      throw nb::value_error((named + " lies outside sequences of " + std::to_string(m) + " and " + std::to_string(n) + " positions.").c_str());
    }
    if (pair.i <= before.i || pair.j <= before.j) {
      throw nb::value_error((named + " follows (" + std::to_string(before.i) + ", " + std::to_string(before.j) + "): both positions must rise.").c_str());
    }
    found.push_back(before = pair);
  }
  return found;
}

void bind_alignments(nb::module_& module) {
  bind_grid(module);
  bind_batches_of_grids(module);
  bind_alignment_set(module);
  bind_alignment_oracle(module);
}

}  // namespace maxmargin::bindings
