#include "maxmargin/programs/decode.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "maxmargin/engine/thread_ranges.hpp"
#include "maxmargin/programs/best.hpp"
#include "maxmargin/programs/kbest.hpp"
#include "maxmargin/programs/required.hpp"
#include "maxmargin/programs/samples.hpp"
#include "maxmargin/programs/sums.hpp"
#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::programs {
namespace {

// Scores of the edges of one program after the other, by place, within the limits.
class LimitedScores {
 public:
  LimitedScores(const ProgramSet& set, const EdgeWorth& worth, const EdgeLimits& limits) : set_(set), worth_(worth), limits_(limits) {}

  // Null where the limits leave no output.
  const std::vector<double>* of(std::int64_t i) {
    const Topology& topology = set_.topology(i);
    if (worth_.flat == nullptr) {
      set_.scores(i, worth_.weights, 1.0 / worth_.temperature, scores_, room_);
    } else {
      const double* own = topology.by_place(worth_.flat + worth_.first[static_cast<std::size_t>(i)], room_);
      scores_.assign(own, own + topology.edges());
    }
    if (!kernels().all_within(scores_.data(), std::ssize(scores_), kLargestScore)) {
      throw std::invalid_argument("The scores of the edges of example " + std::to_string(i) +
                                  " are NaN or larger than 1e300: the weights or the features are not finite, or too large.");
    }
    for (const Edge edge : limits_.forbidden[i]) scores_[static_cast<std::size_t>(edge)] = kImpossible<double>;
    if (limits_.required[i].empty()) return &scores_;
    const Required met = topology.with_edges([&](const auto& program) { return require(program, limits_.required[i], scores_.data()); });
    if (met.outcome == Requirement::repeated) {
      throw std::invalid_argument("Edge " + std::to_string(topology.number(met.edge)) + " of example " + std::to_string(i) +
                                  " cannot be required: an output may have it several times.");
    }
    return met.outcome == Requirement::met ? &scores_ : nullptr;
  }

 private:
  const ProgramSet& set_;
  const EdgeWorth& worth_;
  const EdgeLimits& limits_;
  std::vector<double> scores_, room_;
};

// Calls each(share, example, scores), scores being null or a vector, for all examples, in shares.
template <class Each>
void for_each_program(const ProgramSet& set, const EdgeWorth& worth, const EdgeLimits& limits, int threads, Each&& each) {
  in_parallel(set.n(), threads, [&](int share, std::int64_t begin, std::int64_t end) {
    LimitedScores scores(set, worth, limits);
    for (std::int64_t i = begin; i < end; ++i) each(share, i, scores.of(i));
  });
}

// Appends the outputs of a further share.
void append(Outputs& all, Outputs&& part) {
  const std::int64_t edges = all.first.back(), outputs = all.ends.back();
  for (std::size_t k = 1; k < part.first.size(); ++k) all.first.push_back(edges + part.first[k]);
  for (std::size_t k = 1; k < part.ends.size(); ++k) all.ends.push_back(outputs + part.ends[k]);
  all.edges.insert(all.edges.end(), part.edges.begin(), part.edges.end());
  all.scores.insert(all.scores.end(), part.scores.begin(), part.scores.end());
  if (all.impossible < 0) all.impossible = part.impossible;
}

// Takes an output in, whose edges are places.
void add_output(Outputs& outputs, const Topology& topology, std::span<const Edge> places, double score) {
  for (const Edge edge : places) outputs.edges.push_back(topology.number(edge));
  outputs.first.push_back(std::ssize(outputs.edges));
  outputs.scores.push_back(score);
}

// Outputs of all examples: find(scratch, example, scores, outputs) takes in those of one, none where it has none.
template <class Scratch, class Find>
Outputs collect(const ProgramSet& set, const EdgeWorth& worth, const EdgeLimits& limits, int threads, Find&& find) {
  const auto shares = static_cast<std::size_t>(thread_count(set.n(), threads));
  std::vector<Outputs> parts(shares);
  std::vector<Scratch> scratches(shares);
  for_each_program(set, worth, limits, threads, [&](int share, std::int64_t i, const std::vector<double>* scores) {
    Outputs& part = parts[static_cast<std::size_t>(share)];
    const std::size_t before = part.scores.size();
    if (scores != nullptr) find(scratches[static_cast<std::size_t>(share)], i, *scores, part);
    if (part.scores.size() == before && part.impossible < 0) part.impossible = i;
    part.ends.push_back(std::ssize(part.scores));
  });
  Outputs all = std::move(parts.front());
  for (std::size_t k = 1; k < shares; ++k) append(all, std::move(parts[k]));
  return all;
}

}  // namespace

Outputs best_outputs(const ProgramSet& set, const EdgeWorth& worth, const EdgeLimits& limits, int threads) {
  struct Scratch {
    Best<double> best;
    std::vector<Edge> edges;
  };
  return collect<Scratch>(set, worth, limits, threads, [&](Scratch& own, std::int64_t i, const std::vector<double>& scores, Outputs& outputs) {
    set.topology(i).with_edges([&](const auto& program) {
      const double score = own.best.run(program, scores.data());
      if (score == kImpossible<double>) return;
      own.best.derivation(program, scores.data(), own.edges);
      add_output(outputs, set.topology(i), own.edges, score);
    });
  });
}

Outputs best_lists(const ProgramSet& set, const EdgeWorth& worth, int k, const EdgeLimits& limits, int threads) {
  struct Scratch {
    Best<double> best;
    std::vector<Edge> edges;
  };
  return collect<Scratch>(set, worth, limits, threads, [&](Scratch& own, std::int64_t i, const std::vector<double>& scores, Outputs& outputs) {
    set.topology(i).with_edges([&]<class P>(const P& program) {
      own.best.run(program, scores.data());
      KBest<P, double, EdgeScores<double>> list;
      list.start(program, {scores.data()}, own.best.values());
      for (std::int32_t rank = 0; rank < k && list.find(rank); ++rank) {
        list.derivation(rank, own.edges);
        add_output(outputs, set.topology(i), own.edges, list.value(rank));
      }
    });
  });
}

Outputs sampled_outputs(const ProgramSet& set, const EdgeWorth& worth, int count, std::uint64_t seed, const EdgeLimits& limits, int threads) {
  struct Scratch {
    Sums sums;
    std::vector<Edge> edges;
  };
  return collect<Scratch>(set, worth, limits, threads, [&](Scratch& own, std::int64_t i, const std::vector<double>& scores, Outputs& outputs) {
    set.topology(i).with_edges([&]<class P>(const P& program) {
      const double log_sum = own.sums.run(program, scores.data());
      if (log_sum == kImpossible<double>) return;
      Sampler<P> sampler(program, own.sums.chances(), seed ^ (0x9E3779B97F4A7C15ull * static_cast<std::uint64_t>(i + 1)));
      for (int k = 0; k < count; ++k) {
        own.edges.clear();
        sampler.draw(own.edges);
        double score = 0.0;
        for (const Edge edge : own.edges) score += scores[static_cast<std::size_t>(edge)];
        add_output(outputs, set.topology(i), own.edges, score);
      }
    });
  });
}

Marginals edge_marginals(const ProgramSet& set, const EdgeWorth& worth, const EdgeLimits& limits, int threads) {
  std::vector<std::int64_t> first{0};
  for (const Topology* each : set.topologies) first.push_back(first.back() + each->edges());
  const auto n = static_cast<std::size_t>(set.n());
  Marginals found{std::vector<double>(static_cast<std::size_t>(first.back())), std::vector<double>(n, kImpossible<double>), std::vector<double>(n)};
  struct Scratch {
    Sums sums;
    std::vector<double> used;
  };
  std::vector<Scratch> scratches(static_cast<std::size_t>(thread_count(set.n(), threads)));
  for_each_program(set, worth, limits, threads, [&](int share, std::int64_t i, const std::vector<double>* scores) {
    if (scores == nullptr) return;
    Scratch& own = scratches[static_cast<std::size_t>(share)];
    own.used.resize(scores->size());
    set.topology(i).with_edges([&](const auto& program) {
      found.log_sums[static_cast<std::size_t>(i)] = own.sums.run(program, scores->data());
      own.sums.marginals(program, own.used);
    });
    found.entropies[static_cast<std::size_t>(i)] = entropy(own.sums.chances(), own.used);
    set.topology(i).to_numbers(own.used);
    std::ranges::copy(own.used, found.used.begin() + first[static_cast<std::size_t>(i)]);
  });
  const auto none = std::ranges::find(found.log_sums, kImpossible<double>);
  if (none != found.log_sums.end()) found.impossible = none - found.log_sums.begin();
  return found;
}

}  // namespace maxmargin::programs
