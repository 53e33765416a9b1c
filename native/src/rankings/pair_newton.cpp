#include "maxmargin/rankings/pair_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "maxmargin/simd/kernels.hpp"
#include "maxmargin/engine/newton.hpp"
#include "maxmargin/rows/products.hpp"

namespace maxmargin {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t kStartRows = 64;    // per column, in the sample of groups that the start is made of
constexpr std::int64_t kStartGroups = 2;   // at least
constexpr double kTooRough = 0.6;        // of the gap allowed: where smoothing adds more the band is narrowed
constexpr double kSmooth = 0.25;         // to where it adds this
constexpr double kNarrowing = 0.4;       // at most so much at a time
constexpr double kNarrowingNear = 0.01;  // or so much, where the start is near a solution
constexpr double kNarrowest = 1e-7;
constexpr double kSteepest = 0.5;        // slope at the end of a step, beside that at its beginning
constexpr int kTries = 8;                // lengths of a step

double dot(const std::vector<double>& x, const std::vector<double>& y) { return kernels().dot(x.data(), y.data(), std::ssize(x)); }

}  // namespace

PairNewton::PairNewton(const PairRows& data, std::vector<double> weight, double C, int threads)
    : data_(data), pairs_(data, threads), weight_(std::move(weight)), threads_(threads), C_(C), scores_(data.grade.size()),
      primal_(kInfinite), bound_(-kInfinite) {
  for (double& s : weight_) s *= C;
}

double PairNewton::dual_square() const { return 0.5 * dot(normal_, normal_); }

std::vector<double> PairNewton::combined() const {
  std::vector<double> coefficient(losses_.coefficient);
  for (std::int64_t g = 0; g < data_.groups(); ++g) {
    for (std::int64_t m = data_.offsets[g]; m < data_.offsets[g + 1]; ++m) coefficient[m] *= weight_[g];
  }
  return combine_rows(data_.rows, coefficient, data_.members, threads_);
}

void PairNewton::move_to(std::vector<double> w, Point& out) {
  out.w = std::move(w);
  row_products(data_.rows, out.w.data(), data_.members, scores_, threads_);
  pairs_.sort(scores_);
  finish(out);
}

void PairNewton::finish(Point& out) {
  pairs_.assess(1.0, band_, 1, losses_);
  conclude(out);
}

void PairNewton::conclude(Point& out) {
  ++passes_;
  out.a = combined();
  out.b = dot(weight_, losses_.slope);
  out.primal = 0.5 * dot(out.w, out.w) + dot(weight_, losses_.hinge);
  out.gradient = out.w;
  kernels().axpy(-1.0, out.a.data(), out.gradient.data(), std::ssize(out.gradient));
  keep(out);
}

// The best point, and the best dual between the one so far and the slopes of this point.
void PairNewton::keep(const Point& point) {
  if (point.primal < primal_) {
    primal_ = point.primal;
    best_ = point.w;
    slack_ = losses_.hinge;
  }
  double share = 1.0;
  if (normal_.empty()) normal_.assign(point.a.size(), 0.0);
  std::vector<double> change(point.a);
  kernels().axpy(-1.0, normal_.data(), change.data(), std::ssize(change));
  if (std::isfinite(bound_)) {
    const double square = dot(change, change), slope = (point.b - offset_) - dot(normal_, change);
    share = square > 0.0 ? std::clamp(slope / square, 0.0, 1.0) : slope > 0.0 ? 1.0 : 0.0;
  }
  kernels().axpy(share, change.data(), normal_.data(), std::ssize(change));
  offset_ += share * (point.b - offset_);
  bound_ = offset_ - 0.5 * dot(normal_, normal_);
}

// Replaces rhs by the solution of (1 + Hessian) x = rhs, with the pairs in a band; those of all pairs where it is infinite.
bool PairNewton::direction(double band, std::int64_t stride, std::vector<double>& rhs) const {
  const std::size_t d = rhs.size();
  std::vector<double> hessian(d * d);
  pairs_.add_gram(band, weight_, stride, hessian);
  const double factor = std::isfinite(band) ? 1.0 / band : static_cast<double>(stride);
  for (double& entry : hessian) entry *= factor;
  for (std::size_t j = 0; j < d; ++j) hessian[j * d + j] += 1.0;
  return solve_positive(hessian, rhs) && std::all_of(rhs.begin(), rhs.end(), [](double x) { return std::isfinite(x); });
}

// Where P is smallest along a line through 0, roughly, by a sample of the groups; `below` is the slope at 0.
double PairNewton::length_along(const std::vector<double>& direction, double below, std::int64_t stride) {
  row_products(data_.rows, direction.data(), data_.members, scores_, threads_);
  pairs_.sort(scores_);
  const double square = dot(direction, direction);
  auto slope = [&](double t) {
    pairs_.assess(t, band_, stride, losses_);
    double sum = t * square;
    for (std::int64_t g = 0; g < data_.groups(); g += stride) {
      double own = 0.0;
      for (std::int64_t m = data_.offsets[g]; m < data_.offsets[g + 1]; ++m) own += losses_.coefficient[m] * scores_[m];
      sum -= static_cast<double>(stride) * weight_[g] * own;
    }
    return sum;
  };
  double low = 0.0, high = 2.0, above = slope(high);
  for (; above < 0.0 && high < 1e3; above = slope(high)) low = high, below = above, high *= 2.0;
  for (int tries = 0; tries < 2 && above > 0.0 && below < 0.0; ++tries) {
    const double middle = low + (high - low) * std::clamp(below / (below - above), 0.1, 0.9), there = slope(middle);
    if (there < 0.0) low = middle, below = there;
    else high = middle, above = there;
    if (high - low < 0.2 * high) break;
  }
  return above > 0.0 ? low + (high - low) * std::clamp(below / (below - above), 0.0, 1.0) : high;
}

void PairNewton::start() {
  const auto rows = static_cast<std::int64_t>(data_.grade.size()), wanted = kStartRows * data_.rows.columns();
  const std::int64_t stride = std::max<std::int64_t>(1, std::min(rows / wanted, data_.groups() / kStartGroups));
  at_.w.assign(static_cast<std::size_t>(data_.rows.columns()), 0.0);
  pairs_.assess_equal(losses_);
  conclude(at_);  // all pairs below the margin: a is the gradient of the losses, negated
  std::vector<double> solved = at_.a;
  if (!direction(kInfinite, stride, solved) || !(dot(solved, at_.a) > 0.0)) return;
  const double length = length_along(solved, -dot(solved, at_.a), stride);
  for (double& x : solved) x *= length;
  band_ *= kNarrowing;  // what is enough for the start is too rough for any gap that is asked for
  move_to(std::move(solved), at_);
}

void PairNewton::resume(std::span<const double> w, std::span<const double> a, double b) {
  if (!a.empty()) {
    normal_.assign(a.begin(), a.end());
    for (double& x : normal_) x *= C_;
    offset_ = C_ * b;
    bound_ = offset_ - 0.5 * dot(normal_, normal_);
  }
  near_ = true;
  move_to(std::vector<double>(w.begin(), w.end()), at_);
}

// The band at which smoothing adds little enough to the gap, as far as it may be narrowed at a time.
double PairNewton::narrower(double allowed, double most) const {
  const double rough = at_.primal - (0.5 * dot(at_.w, at_.w) + at_.b - dot(at_.a, at_.w));
  if (!(rough > kTooRough * allowed) || band_ <= kNarrowest) return band_;
  return band_ * std::max(most, std::sqrt(kSmooth * allowed / rough));
}

bool PairNewton::step(double allowed) {
  if (near_ || (whole_ && !narrowed_)) {
    const double band = narrower(allowed, std::exchange(near_, false) ? kNarrowingNear : kNarrowing);
    if (band < std::exchange(band_, band)) finish(at_);  // the scores are still those at w
  }
  std::vector<double> change = at_.gradient;
  for (double& x : change) x = -x;
  if (!direction(band_, 1, change)) return false;
  const double slope = dot(change, at_.gradient), wide = band_, narrow = whole_ ? narrower(allowed, kNarrowing) : wide;
  if (!(slope < 0.0)) return false;
  Point next;
  double length = 1.0;
  for (int tries = 0; tries < kTries; ++tries) {
    band_ = tries == 0 ? narrow : wide;  // narrowed on the way: a pass at the end of the step, none at the beginning of the next
    std::vector<double> w = at_.w;
    kernels().axpy(length, change.data(), w.data(), std::ssize(w));
    if (w == at_.w) return false;
    move_to(std::move(w), next);
    const double there = dot(change, next.gradient);
    if (there <= -kSteepest * slope) break;
    length *= std::clamp(slope / (slope - there), 0.1, 0.6);
  }
  whole_ = length == 1.0;
  narrowed_ = band_ < wide;
  std::swap(at_, next);
  return std::isfinite(at_.primal);
}

}  // namespace maxmargin
