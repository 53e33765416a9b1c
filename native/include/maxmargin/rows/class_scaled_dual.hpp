// A lower bound of the minimum of
//
//   f(w) = 1/2 sum_j p_j w_j^2 + C sum_i c_i loss(y_i <w, x_i>)
//
// from any w. a_i = -C c_i loss'(y_i <w, x_i>) are feasible in the dual problem, and so they are where those of the positive rows are
// multiplied by s and the others by t as long as they stay in range. At s = t = 1 the dual is f(w) - 1/2 sum_j g_j^2 / p_j, which
// a small error in the offset or the length of w makes useless; the best s and t correct just these.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/rows/smooth_data.hpp"

namespace maxmargin {

// `first` are the derivatives by the scores of the members, `negative` and `positive` their sums times the rows of each class.
double class_scaled_dual(const SmoothData& data, SmoothLoss loss, double C, std::span<const std::int32_t> members, std::span<const double> first,
                         const std::vector<double>& negative, const std::vector<double>& positive);

}  // namespace maxmargin
