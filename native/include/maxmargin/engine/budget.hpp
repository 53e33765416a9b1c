// What a block may spend. Dual of the three slacks, with s_i the weight of example i:
//   linear    sum of the block's alpha at most C s_i
//   squared   no cap, but (sum alpha)^2 / (2 C s_i) is subtracted from the dual
//   hard      neither
#pragma once

#include <cstdint>
#include <limits>

namespace maxmargin {

enum class Slack : std::uint8_t { linear, squared, hard };

struct Budget {
  Slack slack = Slack::linear;
  double C = 1.0;
  const double* weight = nullptr;  // one per block, or null for ones

  double total(std::int64_t i) const { return weight == nullptr ? C : C * weight[i]; }
  bool capped() const { return slack == Slack::linear; }
  double cap(std::int64_t i) const { return capped() ? total(i) : std::numeric_limits<double>::infinity(); }
  double ridge(std::int64_t i) const { return slack == Slack::squared ? 1.0 / total(i) : 0.0; }

  // The block's share of the primal at slack xi >= 0, and of the gap when the planes in use have
  // `spent` = sum alpha and `value` = sum alpha (b - <a, w>).
  double risk(std::int64_t i, double xi) const {
    if (slack == Slack::linear) return total(i) * xi;
    return slack == Slack::squared ? 0.5 * total(i) * xi * xi : 0.0;
  }
  double gap(std::int64_t i, double xi, double spent, double value) const {
    if (slack == Slack::hard) return xi;
    const double conjugate = slack == Slack::squared ? 0.5 * spent * spent / total(i) : 0.0;
    return risk(i, xi) - value + conjugate;
  }
};

}  // namespace maxmargin
