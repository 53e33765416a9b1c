#include "maxmargin/text/templates.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace maxmargin {
namespace {

constexpr std::int32_t kUnseen = -2;
constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

// Columns found before, by a key below `range`: an array where that is small, else an open-addressing table.
class Known {
 public:
  Known(std::uint64_t range, std::uint64_t affordable) : direct_(range <= affordable) {
    if (direct_) {
      columns_.assign(range, kUnseen);
    } else {
      slots_.assign(kFewest, Slot{kNoKey, kUnseen});
    }
  }

  // Where the column of a key is, or is to be written; it counts as known from now on.
  std::int32_t& operator[](std::uint64_t key) {
    if (direct_) return columns_[key];
    Slot* slot = slot_of(key);
    if (slot->key == kNoKey) {
      if (2 * ++count_ > slots_.size()) {
        grow();
        slot = slot_of(key);
      }
      slot->key = key;
    }
    return slot->column;
  }

 private:
  struct Slot {
    std::uint64_t key;
    std::int32_t column;
  };
  static constexpr std::size_t kFewest = 256;

  Slot* slot_of(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t hash = key * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29) * 0xd6e8feb86659fd93u;
    std::size_t place = (hash >> 32) & mask;
    while (slots_[place].key != kNoKey && slots_[place].key != key) place = (place + 1) & mask;
    return &slots_[place];
  }

  void grow() {
    std::vector<Slot> fewer(4 * slots_.size(), Slot{kNoKey, kUnseen});
    fewer.swap(slots_);
    for (const Slot& slot : fewer) {
      if (slot.key != kNoKey) *slot_of(slot.key) = slot;
    }
  }

  bool direct_;
  std::size_t count_ = 0;
  std::vector<std::int32_t> columns_;
  std::vector<Slot> slots_;
};

// A field with the range of the numbers that it may have: the strings, then the marks before and after a sequence.
struct Reader {
  const View* view;
  std::int64_t offset;
  std::uint64_t range;

  Reader(const View& source, std::int64_t at) : view(&source), offset(at), range(source.strings.size()) {
    range += static_cast<std::uint64_t>(at < 0 ? -at : at);
  }
};

class Evaluator {
 public:
  Evaluator(const Template& form, std::span<const View> views, std::uint64_t tokens) : form_(&form), known_(0, 0) {
    std::uint64_t range = 1;
    for (const Field& field : form.fields) {
      const Reader& reader = readers_.emplace_back(views[static_cast<std::size_t>(field.view)], field.offset);
      if (reader.range != 0 && range > std::numeric_limits<std::uint64_t>::max() / 2 / reader.range) keyed_ = false;
      range *= reader.range;
    }
    if (keyed_) known_ = Known(range, 4 * tokens + 64);
  }

  std::int32_t column(std::int64_t begin, std::int64_t token, std::int64_t end, Attributes& attributes, bool learn) {
    std::uint64_t key = 0;
    for (const Reader& reader : readers_) {
      const std::int64_t number = number_at(reader, begin, token, end);
      if (number < 0) return StringTable::kAbsent;
      key = key * reader.range + static_cast<std::uint64_t>(number);
    }
    if (!keyed_) return attributes.column(text(begin, token, end), learn);
    std::int32_t& found = known_[key];
    if (found == kUnseen) found = attributes.column(text(begin, token, end), learn);
    return found;
  }

 private:
  std::int64_t number_at(const Reader& reader, std::int64_t begin, std::int64_t token, std::int64_t end) const {
    const std::int64_t place = token + reader.offset;
    if (place >= begin && place < end) return reader.view->numbers[static_cast<std::size_t>(place)];
    if (!form_->marks) return -1;
    // A field looks beyond one of the two ends only, by at most |offset| tokens.
    return static_cast<std::int64_t>(reader.view->strings.size()) + (place < begin ? begin - place : place - end + 1) -
           1;
  }

  std::string_view text(std::int64_t begin, std::int64_t token, std::int64_t end) {
    text_ = form_->literals[0];
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      const std::vector<std::string_view>& strings = readers_[i].view->strings;
      const auto number = static_cast<std::size_t>(number_at(readers_[i], begin, token, end));
      if (number < strings.size()) {
        text_ += strings[number];
      } else {
        text_ += readers_[i].offset < 0 ? "_B-" : "_B+";
        text_ += std::to_string(number - strings.size() + 1);
      }
      text_ += form_->literals[i + 1];
    }
    return text_;
  }

  const Template* form_;
  std::vector<Reader> readers_;
  Known known_;
  bool keyed_ = true;  // whether the numbers of the fields fit into one key
  std::string text_;
};

}  // namespace

void apply_templates(std::span<const std::int64_t> offsets, std::span<const View> views,
                     std::span<const Template> templates, Attributes& attributes, bool learn, TokenRows& rows) {
  const auto tokens = static_cast<std::uint64_t>(offsets.back());
  std::vector<Evaluator> evaluators;
  for (const Template& form : templates) evaluators.emplace_back(form, views, tokens);
  rows.offsets.reserve(tokens + 1);
  rows.columns.reserve(tokens * templates.size());
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (std::int64_t token = offsets[i]; token < offsets[i + 1]; ++token) {
      for (Evaluator& evaluator : evaluators) {
        const std::int32_t column = evaluator.column(offsets[i], token, offsets[i + 1], attributes, learn);
        if (column != StringTable::kAbsent) rows.add(column);
      }
      rows.close();
    }
  }
}

}  // namespace maxmargin
