#include "maxmargin/grammars/sentences.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "grammars/grammars.hpp"
#include "hashing.hpp"

namespace maxmargin::bindings {
namespace {

using grammars::Place;
using grammars::PlacePart;
using grammars::Rules;

using Ints = In1<std::int32_t>;

void make_rules(Rules* self, std::int32_t symbols, std::int32_t start, In2<std::int32_t> binary, In2<std::int32_t> unary, std::int32_t lexical,
                Ints chain_first, Ints chain_rules, Ints word_first, Ints word_symbols, Ints word_rules, Ints bracket) {
  if (binary.shape(1) != 3 || unary.shape(1) != 2) throw nb::value_error("rules have three or two symbols");
  grammars::RuleArrays given;
  given.symbols = symbols, given.start = start, given.lexical = lexical;
  given.binary = {binary.data(), binary.size()};
  given.unary = {unary.data(), unary.size()};
  given.chain_first = as_span(chain_first), given.chain_rules = as_span(chain_rules);
  given.word_first = as_span(word_first), given.word_symbols = as_span(word_symbols), given.word_rules = as_span(word_rules);
  given.bracket = as_span(bracket);
  new (self) Rules(given);
}

Place place_named(const std::string& name) {
  if (name == "start") return Place::start;
  if (name == "end") return Place::end;
  if (name == "length") return Place::length;
  if (name == "span") return Place::span;
  if (name == "split") return Place::split;
  throw nb::value_error("place must be 'start', 'end', 'length', 'span' or 'split'");
}

void make_sentences(PySentences* self, nb::object rules, In1<std::int64_t> first, In1<std::int32_t> words) {
  grammars::Sentences sentences;
  sentences.rules = &nb::cast<const Rules&>(rules);
  sentences.first = checked_offsets(first, static_cast<std::int64_t>(first.size()) - 1, words.size(), "first words");
  sentences.words.assign(words.data(), words.data() + words.size());
  for (const std::int32_t word : sentences.words) {
    if (word < 0 || word >= sentences.rules->terminals()) throw nb::value_error("a sentence has a terminal that is not there");
  }
  for (std::int64_t i = 0; i < sentences.n(); ++i) {
    if (sentences.words_of(i).empty()) throw nb::value_error(("Sentence " + std::to_string(i) + " has no words.").c_str());
  }
  sentences.weights = sentences.rules->rules();
  new (self) PySentences{std::move(sentences), {rules}};
}

void add_place_part(PySentences& self, const std::string& place, std::int64_t columns, std::int64_t blocks, In1<std::int32_t> block,
                    In1<std::int64_t> starts, In1<std::int32_t> indices, std::optional<In1<double>> values) {
  grammars::Sentences& sentences = self.sentences;
  const Rules& rules = *sentences.rules;
  PlacePart part;
  part.place = place_named(place), part.columns = columns, part.blocks = blocks, part.base = sentences.weights;
  if (columns < 0 || blocks < 1 || static_cast<std::int32_t>(block.size()) != rules.rules()) throw nb::value_error("a part has columns, and a block per rule");
  part.block.assign(block.data(), block.data() + block.size());
  if (!std::ranges::all_of(part.block, [&](std::int32_t b) { return b >= -1 && b < blocks; })) throw nb::value_error("no such block");
  for (std::int32_t position = 0; position < rules.binary(); ++position) part.block_at.push_back(part.block[static_cast<std::size_t>(rules.rule_at(position))]);
  part.first_row.push_back(0);
  for (std::int64_t i = 0; i < self.n(); ++i) part.first_row.push_back(part.first_row.back() + grammars::place_rows(part.place, std::ssize(sentences.words_of(i))));
  checked_offsets(starts, part.first_row.back(), indices.size(), "starts of rows");
  for (const std::int32_t at : as_span(indices)) {
    if (at < 0 || at >= columns) throw nb::value_error("no such column");
  }
  if (values && values->size() != indices.size()) throw nb::value_error("one value per index is needed");
  if (std::ranges::count(sentences.parts, part.place == Place::split, [](const PlacePart& p) { return p.place == Place::split; }) >= kMostFields) {
    throw nb::value_error("there are too many parts of features");
  }
  part.starts = starts.data(), part.indices = indices.data(), part.values = optional_data(values);
  sentences.weights += part.weight_count();
  sentences.parts.push_back(std::move(part));
  for (nb::object each : {nb::cast(starts), nb::cast(indices), values ? nb::cast(*values) : nb::none()}) self.kept.push_back(each);
}

void set_prior(PySentences& self, In1<double> values) {
  grammars::Sentences& sentences = self.sentences;
  if (static_cast<std::int32_t>(values.size()) != sentences.rules->rules()) throw nb::value_error("a prior has one value per rule");
  if (!sentences.prior.empty()) throw nb::value_error("there is a prior already");
  sentences.prior.assign(values.data(), values.data() + values.size());
  sentences.prior_weight = sentences.weights++;
}

void set_limits(PySentences& self, In1<std::int64_t> first, In2<std::int32_t> rows) {
  grammars::Sentences& sentences = self.sentences;
  std::vector<std::int64_t> offsets = checked_offsets(first, self.n(), rows.shape(0), "limits");
  if (rows.shape(1) != 4) throw nb::value_error("a limit is (label, start, end, required)");
  std::vector<grammars::BracketLimit> limits;
  for (std::int64_t i = 0; i < self.n(); ++i) {
    const auto n = std::ssize(sentences.words_of(i));
    for (std::int64_t at = offsets[static_cast<std::size_t>(i)]; at < offsets[static_cast<std::size_t>(i) + 1]; ++at) {
      const std::int32_t* row = rows.data() + 4 * at;
      if (row[1] < 0 || row[1] >= row[2] || row[2] > n) throw nb::index_error("no such span");
      limits.push_back({row[0], row[1], row[2], row[3] != 0});
    }
  }
  sentences.first_limit = std::move(offsets), sentences.limits = std::move(limits);
}

std::uint64_t fingerprint(const PySentences& self) {
  const grammars::Sentences& own = self.sentences;
  std::uint64_t hash = mix(mix(mix(0, own.first), own.words), own.prior);
  for (const PlacePart& part : own.parts) {
    hash = mix(mix(hash, part.block), &part.place, sizeof(part.place));
    const std::int64_t rows = part.first_row.back(), entries = part.starts[rows];
    hash = mix(hash, part.starts, static_cast<std::size_t>(rows) * sizeof(std::int64_t));
    hash = mix(hash, part.indices, static_cast<std::size_t>(entries) * sizeof(std::int32_t));
    if (part.values != nullptr) hash = mix(hash, part.values, static_cast<std::size_t>(entries) * sizeof(double));
  }
  return hash;
}

}  // namespace

nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>> take_rules(std::vector<grammars::Anchored>&& rules) {
  static_assert(sizeof(grammars::Anchored) == 4 * sizeof(std::int32_t));
  auto* kept = new std::vector<grammars::Anchored>(std::move(rules));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<grammars::Anchored>*>(p); });
  return {reinterpret_cast<std::int32_t*>(kept->data()), {kept->size(), 4}, owner};
}

void bind_rules(nb::module_& module) {
  nb::class_<Rules>(module, "GrammarRules", "The rules of a grammar, indexed for charts; see grammars/rules.hpp.")
      .def("__init__", &make_rules, nb::arg("symbols"), nb::arg("start"), nb::arg("binary").noconvert(), nb::arg("unary").noconvert(), nb::arg("lexical"),
           nb::arg("chain_first").noconvert(), nb::arg("chain_rules").noconvert(), nb::arg("word_first").noconvert(), nb::arg("word_symbols").noconvert(),
           nb::arg("word_rules").noconvert(), nb::arg("bracket").noconvert());
}

void bind_sentences(nb::module_& module) {
  nb::class_<PySentences> type(module, "Sentences", "Sentences of a grammar and the features of rules in them; see grammars/sentences.hpp.");
  type.def("__init__", &make_sentences, nb::arg("rules"), nb::arg("first").noconvert(), nb::arg("words").noconvert())
      .def("add_part", &add_place_part, nb::arg("place"), nb::arg("columns"), nb::arg("blocks"), nb::arg("block").noconvert(), nb::arg("starts").noconvert(),
           nb::arg("indices").noconvert(), nb::arg("values").noconvert().none(),
           "Features of the starts, ends, lengths, spans or splits of all sentences: rows of a CSR matrix, and the block of each rule, -1 for none.")
      .def("set_prior", &set_prior, nb::arg("values").noconvert(), "A value of each rule whose factor is the next weight.")
      .def("set_limits", &set_limits, nb::arg("first").noconvert(), nb::arg("rows").noconvert(),
           "Brackets (label, start, end, whether required or forbidden) for the predictions of each sentence.")
      .def_prop_ro("weight_count", [](const PySentences& self) { return self.sentences.weights; })
      .def_prop_ro("span_count",
                   [](const PySentences& self) {
                     std::int64_t spans = 0;
                     for (std::int64_t i = 0; i < self.n(); ++i) spans += grammars::span_count(std::ssize(self.sentences.words_of(i)));
                     return spans;
                   },
                   "Spans of all sentences together.")
      .def_prop_ro("bracket_columns",
                   [](const PySentences& self) {
                     const std::span<const std::int32_t> labels = self.sentences.rules->column_labels();
                     return take(std::vector<std::int32_t>(labels.begin(), labels.end()));
                   },
                   nb::rv_policy::move, "The label of each column of a table of brackets: one for the first bracket of each label over a span, then those for further ones.")
      .def("fingerprint", &fingerprint);
  add_tree_predictions(type);
}

}  // namespace maxmargin::bindings
