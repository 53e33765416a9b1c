// Templates: attributes made of the strings around a token, such as "w[-1]|w[0]=the|dog".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/text/vectorise.hpp"

namespace maxmargin {

// A column of the tokens, or something made of it: for each token the number of a string, or -1 where there is none.
struct View {
  std::vector<std::int32_t> numbers;
  std::vector<std::string_view> strings;
};

// The string of `view` at `offset` tokens from the current one.
struct Field {
  std::int32_t view;
  std::int32_t offset;
};

// literals[0] field[0] literals[1] field[1] ... literals[k].
struct Template {
  std::vector<std::string> literals;
  std::vector<Field> fields;
  bool marks;  // beyond the ends of a sequence: "_B-1", "_B+1", ...; otherwise the token lacks the attribute
};

// The attributes of all tokens; sequence i has the tokens offsets[i] .. offsets[i + 1].
void apply_templates(std::span<const std::int64_t> offsets, std::span<const View> views,
                     std::span<const Template> templates, Attributes& attributes, bool learn, TokenRows& rows);

}  // namespace maxmargin
