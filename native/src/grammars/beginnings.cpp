#include "maxmargin/grammars/beginnings.hpp"

#include <algorithm>
#include <bit>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin::grammars {
namespace {

constexpr std::uint8_t kAll = 255;

}  // namespace

void Beginnings::shape(const Rules& rules, std::int32_t n, bool anywhere) {
  rules_ = &rules, anywhere_ = anywhere;
  const auto places = static_cast<std::size_t>(n), symbols = static_cast<std::size_t>(rules.symbols()), lists = static_cast<std::size_t>(rules.lists());
  symbols_.assign(places * symbols, anywhere ? kAll : 0);
  pairs_.assign(places * lists + 1, anywhere ? ~std::uint64_t{0} : 0);
  ended_.assign(lists, 0);
  allowed_.resize(lists);
  open_.resize(symbols + 1);
}

void Beginnings::begin(std::int32_t place, std::uint64_t tags, const SplitRows& rows) {
  if (anywhere_) return;
  std::uint8_t* own = symbols_.data() + static_cast<std::int64_t>(place) * rules_->symbols();
  std::uint64_t *pairs = pairs_.data() + static_cast<std::int64_t>(place) * rules_->lists(), *ended = ended_.data();
  Symbol* open = open_.data();
  std::size_t count = 0;
  const int first_tag = std::countr_zero(tags | std::uint64_t{1} << 63);  // of no tags the last one, whose corners are not read
  const auto add = [&](Symbol symbol) {  // once, without a branch
    open[count] = symbol;
    prefetch_line(rules_->corners(first_tag, symbol).data());
    count += static_cast<std::size_t>(~own[symbol] & 1);
    own[symbol] = kAll;
  };
  if (place == 0) add(rules_->start());
  const std::int64_t words = rows.words();
  const std::uint64_t* bits = rows.left_bits() + place / 64;
  for (std::int32_t start = 0; start < place; ++start) {
    const std::uint64_t* possible = pairs_.data() + static_cast<std::int64_t>(start) * rules_->lists();
    for (const LiveRow live : rows.live(start)) ended[live.list] |= possible[live.list] & -(bits[live.row * words] >> place % 64 & 1);
  }
  std::ranges::fill(allowed_, 0);
  for (std::uint64_t rest = tags; rest != 0; rest &= rest - 1) {
    const std::uint64_t* one = rules_->right_begins(std::countr_zero(rest));
    for (std::size_t list = 0; list < allowed_.size(); ++list) allowed_[list] |= one[list];
  }
  for (std::size_t list = 0; list < allowed_.size(); ++list) {
    const std::span<const Symbol> right = rules_->right_symbols(static_cast<std::int32_t>(list));
    for (std::uint64_t left = ended[list] & allowed_[list]; left != 0; left &= left - 1) add(right[static_cast<std::size_t>(std::countr_zero(left))]);
    ended[list] = 0;
  }
  for (std::size_t k = 0; k < count; ++k) {
    for (std::uint64_t rest = tags; rest != 0; rest &= rest - 1) {
      for (const Corner& corner : rules_->corners(std::countr_zero(rest), open[k])) {
        pairs[corner.list] |= corner.pairs;
        add(corner.symbol);
      }
    }
  }
}

}  // namespace maxmargin::grammars
