#include "maxmargin/classes/output_scores.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

// Calls use(m, scores of the classes) for the example examples[m] of each m < count, or for example m where `examples` is empty.
template <class Use>
void for_each_example(const Rows& rows, const double* weights, const OutputMap& map, std::span<const std::int32_t> examples,
                      std::int64_t count, int threads, Use&& use) {
  in_parallel(count, threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<double> nodes(static_cast<std::size_t>(map.node_stride())), passed(nodes.size());
    std::vector<double> scores(static_cast<std::size_t>(map.class_stride()));
    for (std::int64_t m = begin; m < end; ++m) {
      const std::int64_t i = examples.empty() ? m : examples[static_cast<std::size_t>(m)];
      row_scores(rows[i], weights, map.node_stride(), nodes.data());
      map.class_scores(nodes.data(), passed.data(), scores.data());
      use(m, scores.data());
    }
  });
}

}  // namespace

void output_scores(const Rows& rows, const double* weights, const OutputMap& map, std::span<const std::int32_t> examples,
                   std::span<double> out, int threads) {
  for_each_example(rows, weights, map, examples, std::ssize(out) / map.classes, threads,
                   [&](std::int64_t m, const double* scores) { std::copy_n(scores, map.classes, out.data() + m * map.classes); });
}

void output_best(const Rows& rows, const double* weights, const OutputMap& map, std::int32_t* out, int threads) {
  for_each_example(rows, weights, map, {}, rows.n, threads, [&](std::int64_t i, const double* scores) {
    out[i] = static_cast<std::int32_t>(std::max_element(scores, scores + map.classes) - scores);
  });
}

}  // namespace maxmargin
