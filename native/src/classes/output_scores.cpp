#include "maxmargin/classes/output_scores.hpp"

#include <algorithm>
#include <vector>

#include "maxmargin/engine/thread_ranges.hpp"

namespace maxmargin {
namespace {

// Calls use(i, scores of the classes) for every example.
template <class Use>
void for_each_example(const Rows& rows, const double* weights, const OutputMap& map, int threads, Use&& use) {
  in_parallel(rows.n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<double> nodes(static_cast<std::size_t>(map.node_stride())), passed(nodes.size());
    std::vector<double> scores(static_cast<std::size_t>(map.class_stride()));
    for (std::int64_t i = begin; i < end; ++i) {
      row_scores(rows[i], weights, map.node_stride(), nodes.data());
      map.class_scores(nodes.data(), passed.data(), scores.data());
      use(i, scores.data());
    }
  });
}

}  // namespace

void output_scores(const Rows& rows, const double* weights, const OutputMap& map, double* out, int threads) {
  for_each_example(rows, weights, map, threads,
                   [&](std::int64_t i, const double* scores) { std::copy_n(scores, map.classes, out + i * map.classes); });
}

void output_best(const Rows& rows, const double* weights, const OutputMap& map, std::int32_t* out, int threads) {
  for_each_example(rows, weights, map, threads, [&](std::int64_t i, const double* scores) {
    out[i] = static_cast<std::int32_t>(std::max_element(scores, scores + map.classes) - scores);
  });
}

}  // namespace maxmargin
