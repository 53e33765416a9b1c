#include "maxmargin/programs/strata.hpp"

#include <memory>
#include <mutex>
#include <variant>

#include "programs/programs.hpp"
#include "programs/topology.hpp"

namespace maxmargin::bindings {
namespace {

using programs::Cell;
using programs::Edge;
using programs::kNoTail;
using programs::Topology;

template <int kTails>
using StrataOf = programs::Strata<programs::Edges<kTails>, double, const double*, const std::int64_t*>;

// The largest total of one kind in a derivation of the goal.
template <class P>
std::int64_t largest_total(const P& program, const std::int64_t* counts) {
  std::vector<std::int64_t> most(static_cast<std::size_t>(program.cells()) + 1, 0);
  for (Cell cell = 0; cell <= program.goal(); ++cell) {
    std::int64_t highest = 0;
    program.incoming(cell, [&](Edge edge, Cell a, Cell b) {
      highest = std::max(highest, counts[edge] + most[static_cast<std::size_t>(a + 1)] + most[static_cast<std::size_t>(b + 1)]);
    });
    most[static_cast<std::size_t>(cell) + 1] = highest;
  }
  return most[static_cast<std::size_t>(program.goal()) + 1];
}

// The best output at each vector of totals of several counts, as one number: the kinds are digits, the first the lowest.
class PyStrata {
 public:
  PyStrata(const Topology& topology, const In1<double>& scores, const In2<std::int32_t>& counts, const EdgeList& forbidden, const EdgeList& required,
           std::int64_t little)
      : topology_(&topology), question_(topology, scores, forbidden, required) {
    const auto edges = static_cast<std::size_t>(topology.edges());
    const std::size_t kinds = counts.shape(1);
    check_count(counts.shape(0), topology.edges(), "rows of counts");
    costs_.assign(edges, 0);
    std::vector<std::int64_t> own(edges);
    std::int64_t stride = 1;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      for (std::size_t place = 0; place < edges; ++place) {
        const auto number = static_cast<std::size_t>(topology.number(static_cast<Edge>(place)));
        own[place] = counts.data()[number * kinds + kind];
        if (own[place] < 0) throw nb::value_error(("Edge " + std::to_string(number) + " counts " + std::to_string(own[place]) + "; counts are not negative.").c_str());
      }
      for (std::size_t place = 0; place < edges; ++place) costs_[place] += stride * own[place];
      const std::int64_t size = topology.with_edges([&](const auto& program) { return largest_total(program, own.data()); }) + 1;
      sizes_.push_back(size);
      if (size > kMostTotals / stride) {
        throw nb::value_error(("Outputs have more than " + std::to_string(kMostTotals) + " different totals; count in larger units, or fewer kinds.").c_str());
      }
      stride *= size;
    }
    topology.with_edges([&]<int kTails>(const programs::Edges<kTails>& program) { begin(program, little); });
  }

  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  std::int64_t bytes() const {
    return std::visit([](const auto& asked) { return asked->search.room().numbers() * static_cast<std::int64_t>(sizeof(double)); }, asked_);
  }
  std::vector<double> values() const {
    return std::visit([](const auto& asked) { return std::vector<double>(asked->search.values().begin(), asked->search.values().end()); }, asked_);
  }
  // May be called without the GIL, by several threads.
  std::vector<Edge> edges(std::int64_t total) {
    const std::lock_guard lock(busy_);
    std::vector<Edge> found;
    std::visit(
        [&](auto& asked) {
          const auto values = asked->search.values();
          if (total < 0 || total >= static_cast<std::int64_t>(values.size()) || values[static_cast<std::size_t>(total)] == programs::kImpossible<double>) {
            throw nb::value_error("no output has these totals");
          }
          asked->search.derivation(total, found);
        },
        asked_);
    to_numbers(*topology_, found);
    return found;
  }

 private:
  static constexpr std::int64_t kMostTotals = std::int64_t{1} << 31;
  static constexpr std::int64_t kMostBytes = std::int64_t{2} << 30;

  template <int kTails>
  struct Search {
    programs::Edges<kTails> program;
    StrataOf<kTails> search;
    Search(const programs::Edges<kTails>& edges, const double* scores, const std::int64_t* costs, std::int64_t little)
        : program(edges), search(program, scores, costs, little, kMostBytes) {}
  };
  template <int kTails>
  void begin(const programs::Edges<kTails>& program, std::int64_t little) {
    asked_ = std::make_unique<Search<kTails>>(program, question_.scores(), costs_.data(), little);
  }

  std::mutex busy_;  // an answer fills rows again
  const Topology* topology_;
  Question question_;
  std::vector<std::int64_t> costs_, sizes_;
  std::variant<std::unique_ptr<Search<1>>, std::unique_ptr<Search<2>>> asked_;
};

}  // namespace

void bind_strata(nb::module_& module) {
  nb::class_<PyStrata>(module, "Strata", "The best output at each vector of totals of whole-number counts; see programs/strata.hpp.")
      .def(
          "__init__",
          [](PyStrata* self, const Topology& topology, In1<double> scores, In2<std::int32_t> counts, EdgeList forbidden, EdgeList required, std::int64_t little) {
            nb::gil_scoped_release release;
            new (self) PyStrata(topology, scores, counts, forbidden, required, little);
          },
          nb::arg("topology"), nb::arg("scores").noconvert(), nb::arg("counts").noconvert(), nb::arg("forbidden").noconvert().none(),
          nb::arg("required").noconvert().none(), nb::arg("little") = programs::StrataRoom::kLittle, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          "`little`: the bytes up to which everything is kept, instead of computed again.")
      .def("sizes", [](const PyStrata& self) { return take(std::vector<std::int64_t>(self.sizes())); },
           "One more than the largest total of each kind.")
      .def_prop_ro("bytes", &PyStrata::bytes, "Memory of the values.")
      .def("values", [](const PyStrata& self) { return take(self.values()); }, "The best score at each total, -inf where there is none.")
      .def(
          "edges",
          [](PyStrata& self, std::int64_t total) {
            std::vector<Edge> found;
            {
              nb::gil_scoped_release release;
              found = self.edges(total);
            }
            return take(std::move(found));
          },
          nb::arg("total"), "The edges of the best output at a total.");
}

}  // namespace maxmargin::bindings
