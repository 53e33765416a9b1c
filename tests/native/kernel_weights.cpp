// A second policy of weights for the dual engine: classes with a kernel. w is beta[row, class], sum over rows of
// beta[row, class] phi(x_row), and nothing but products K[r, s] = <phi(x_r), phi(x_s)> is known of phi.
//
// Reads "n classes C", n labels and the n x n numbers of K from stdin; trains margin rescaling with the zero-one loss and linear slack; writes
// the dual, |w|^2 as the moves kept it, and the same from beta, then beta.
#include <iomanip>
#include <iostream>
#include <numeric>
#include <optional>
#include <vector>

#include "maxmargin/engine/engine.hpp"
#include "maxmargin/engine/plane_block.hpp"

namespace {

using maxmargin::BlockEngine;
using maxmargin::WorkingSetBlock;

struct Problem {
  std::int64_t n = 0, classes = 0;
  std::vector<int> labels;
  std::vector<double> kernel;
  double K(std::int64_t r, std::int64_t s) const { return kernel[static_cast<std::size_t>(r * n + s)]; }
};

class KernelWeights {
 public:
  using Point = KernelWeights*;
  using CoarsePoint = KernelWeights*;

  explicit KernelWeights(const Problem& problem) : problem_(&problem) {}

  void clear() {
    beta_.assign(static_cast<std::size_t>(problem_->n * problem_->classes), 0.0);
    square_ = 0.0;
  }
  Point point() { return this; }
  CoarsePoint coarse_point() { return this; }
  bool is_fine() const { return !beta_.empty(); }
  bool is_coarse() const { return false; }
  double square() const { return square_; }

  double score(std::int64_t row, std::int64_t k) const {
    double sum = 0.0;
    for (std::int64_t s = 0; s < problem_->n; ++s) sum += problem_->K(row, s) * beta_[static_cast<std::size_t>(s * problem_->classes + k)];
    return sum;
  }
  void move(std::int64_t row, std::int64_t k, double c) {
    square_ += 2.0 * c * score(row, k) + c * c * problem_->K(row, row);
    beta_[static_cast<std::size_t>(row * problem_->classes + k)] += c;
  }
  const std::vector<double>& beta() const { return beta_; }

 private:
  const Problem* problem_;
  std::vector<double> beta_;
  double square_ = 0.0;
};

// A plane is sum_k counts[k] Psi(x, k) of its example, with b.
struct CountedPlane {
  std::vector<double> counts;
  double b = 0.0;
};

class KernelPlanes {
 public:
  using Plane = CountedPlane;
  static constexpr bool kCoarse = false;

  explicit KernelPlanes(const Problem& problem) : problem_(&problem) {}

  void prefetch(std::int64_t) const {}
  void prefetch_early(std::int64_t) const {}
  void open(std::int64_t i, const KernelWeights* weights) {
    example_ = i;
    scores_.clear();
    for (std::int64_t k = 0; k < problem_->classes; ++k) scores_.push_back(weights->score(i, k));
  }
  double value(const Plane& plane) const { return plane.b - dot(plane.counts, scores_); }
  std::optional<Plane> ask(const std::vector<Plane>& working_set) const {
    const auto truth = static_cast<std::size_t>(problem_->labels[static_cast<std::size_t>(example_)]);
    std::optional<Plane> best;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      if (k == truth) continue;
      Plane plane{std::vector<double>(scores_.size()), 1.0};
      plane.counts[truth] = 1.0, plane.counts[k] = -1.0;
      if (value(plane) > (best ? value(*best) : 0.0)) best = std::move(plane);
    }
    for (const Plane& other : working_set) {
      if (best && same(*best, other)) return std::nullopt;
    }
    return best;
  }
  bool same(const Plane& p, const Plane& q) const { return p.counts == q.counts && p.b == q.b; }
  bool nearly_same(const Plane&, const Plane&, double, double) const { return false; }
  void products(const Plane& plane, const std::vector<Plane>& others, double* out) const {
    for (const Plane& other : others) *out++ = problem_->K(example_, example_) * dot(plane.counts, other.counts);
    *out = problem_->K(example_, example_) * dot(plane.counts, plane.counts);
  }
  Plane mix(const Plane& p, const Plane& q, double share) const {
    Plane mixed{p.counts, share * p.b + (1.0 - share) * q.b};
    for (std::size_t k = 0; k < mixed.counts.size(); ++k) mixed.counts[k] = share * p.counts[k] + (1.0 - share) * q.counts[k];
    return mixed;
  }
  void collect(std::int64_t, const Plane& plane, double c) {
    sum_.resize(plane.counts.size());
    for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] += c * plane.counts[k];
  }
  void flush(std::int64_t i, KernelWeights* weights) {
    for (std::size_t k = 0; k < sum_.size(); ++k) {
      if (sum_[k] != 0.0) weights->move(i, static_cast<std::int64_t>(k), sum_[k]);
    }
    sum_.clear();
  }

 private:
  static double dot(const std::vector<double>& p, const std::vector<double>& q) { return std::inner_product(p.begin(), p.end(), q.begin(), 0.0); }

  const Problem* problem_;
  std::int64_t example_ = 0;
  std::vector<double> scores_, sum_;
};

static_assert(maxmargin::WeightsPolicy<KernelWeights>);
static_assert(maxmargin::PlaneStore<KernelPlanes, KernelWeights*>);
static_assert(!maxmargin::PlaneStore<KernelPlanes, double*>);

}  // namespace

int main() {
  Problem problem;
  double C = 0.0;
  std::cin >> problem.n >> problem.classes >> C;
  problem.labels.resize(static_cast<std::size_t>(problem.n));
  problem.kernel.resize(static_cast<std::size_t>(problem.n * problem.n));
  for (int& label : problem.labels) std::cin >> label;
  for (double& number : problem.kernel) std::cin >> number;
  if (!std::cin) return 1;

  BlockEngine<WorkingSetBlock<KernelPlanes>, KernelWeights> engine(WorkingSetBlock<KernelPlanes>(KernelPlanes(problem), problem.n), problem.n,
                                                                   maxmargin::Budget{maxmargin::Slack::linear, C, nullptr},
                                                                   KernelWeights(problem));
  std::vector<std::int32_t> order(static_cast<std::size_t>(problem.n));
  std::iota(order.begin(), order.end(), 0);
  maxmargin::VisitSettings settings;
  settings.keep_idle = 10;
  for (int pass = 0; pass < 3000; ++pass) {
    if (pass % 3 == 0) engine.mark();
    engine.visit(order, settings);
    if (pass % 3 == 2) engine.extrapolate(0.5);
  }
  engine.settle(settings, 1e-9, 1000);

  const KernelWeights& weights = engine.weights();
  double square = 0.0;
  for (std::int64_t r = 0; r < problem.n; ++r) {
    for (std::int64_t k = 0; k < problem.classes; ++k) square += weights.beta()[static_cast<std::size_t>(r * problem.classes + k)] * weights.score(r, k);
  }
  std::cout << std::setprecision(17) << engine.dual() << "\n" << weights.square() << "\n" << square << "\n";
  for (double number : weights.beta()) std::cout << number << " ";
  std::cout << "\n";
}
