// Questions about all examples of a binary problem at one fixed w; the counterpart of classes/oracle.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/engine/cut.hpp"
#include "maxmargin/measures/binary_rows.hpp"

namespace maxmargin {

// slack[m] = max(0, b - <a, w>).
void signed_slacks(const SignedData& data, const double* weights, std::span<double> slack, int threads);

// sum_i weight_i * (plane of example i, where it is violated); for squared slack the plane of 1/2 slack^2.
Cut signed_cut(const SignedData& data, const double* weights, const double* sample_weight, bool squared, std::span<double> slack, int threads);

// As multiclass_accumulate.
std::int64_t signed_accumulate(const SignedData& data, double* v, double* late, std::span<const std::int32_t> examples,
                               const double* sample_weight, bool squared, std::int64_t first, std::int64_t done, double numerator);

}  // namespace maxmargin
