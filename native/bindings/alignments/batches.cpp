#include "alignments/alignments.hpp"
#include "maxmargin/alignments/batch.hpp"
#include "maxmargin/programs/program.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::bindings {
namespace {

using alignments::Letters;

Letters checked_letters(const In1<std::int32_t>& letters, const In1<std::int64_t>& first, std::size_t most) {
  const Letters found{as_span(letters), as_span(first)};
  if (first.size() == 0 || first.data()[0] != 0 || found.first.back() != static_cast<std::int64_t>(letters.size()))
    throw nb::value_error("offsets must go from 0 to the number of letters");
  for (std::int64_t k = 0; k < found.count(); ++k)
    if (found.first[static_cast<std::size_t>(k)] >= found.first[static_cast<std::size_t>(k) + 1]) throw nb::value_error("every sequence must have a letter");
  for (const std::int32_t letter : found.letters)
    if (letter < 0 || static_cast<std::size_t>(letter) >= most) throw nb::index_error("no such letter");
  return found;
}

}  // namespace

void bind_batches_of_grids(nb::module_& module) {
  module.def(
      "best_alignments",
      [](In2<double> table, const std::array<double, 4>& gaps, In1<std::int32_t> x, In1<std::int64_t> first_x, In1<std::int32_t> y,
         In1<std::int64_t> first_y, const std::string& mode, const std::array<bool, 4>& free_ends, std::int32_t band, int threads) {
        const alignments::LetterScores scores{table.data(), static_cast<std::int32_t>(table.shape(0)), static_cast<std::int32_t>(table.shape(1)),
                                              gaps[0], gaps[1], gaps[2], gaps[3]};
        for (const auto& [numbers, count] : {std::pair{table.data(), table.size()}, std::pair{gaps.data(), gaps.size()}})
          if (!kernels().all_within(numbers, static_cast<std::int64_t>(count), programs::kLargestScore))
            throw nb::value_error("scores must be numbers of a size up to 1e300, or -inf");
        const alignments::GridShape shape = shape_of(mode, free_ends, band);
        const Letters left = checked_letters(x, first_x, table.shape(0)), right = checked_letters(y, first_y, table.shape(1));
        if (left.count() != right.count()) throw nb::value_error("there must be as many sequences x as y");
        nb::gil_scoped_release release;
        alignments::Aligned found = alignments::best_alignments(scores, shape, left, right, threads);
        nb::gil_scoped_acquire acquire;
        return nb::make_tuple(take(std::move(found.scores)), take(std::move(found.first)), taken_pairs(std::move(found.pairs)));
      },
      nb::arg("table").noconvert(), nb::arg("gaps"), nb::arg("x").noconvert(), nb::arg("first_x").noconvert(), nb::arg("y").noconvert(),
      nb::arg("first_y").noconvert(), nb::arg("mode"), nb::arg("free_ends"), nb::arg("band"), nb::arg("threads") = 1,
      "(scores, offsets into the pairs, pairs) of the best alignments of sequences of letters, pair by pair; gaps are (open, extend) of x and of y.");
}

}  // namespace maxmargin::bindings
