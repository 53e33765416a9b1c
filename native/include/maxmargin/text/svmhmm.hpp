// The text format of SVM-HMM: lines of `TAG qid:NUMBER INDEX:VALUE ... # comment`, one per token.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "maxmargin/text/vectorise.hpp"

namespace maxmargin {

struct SvmhmmText {
  TokenRows rows;
  std::vector<std::int64_t> tags, numbers, lines;  // of each token: its tag, the number after qid:, its line from 1
  std::int64_t fault = 0;                          // the first line that breaks the format, 0 if none does
};

// Reads until the end or the first fault. `text` is followed by a zero byte. Indices ascend from 1, values are finite.
SvmhmmText read_svmhmm(std::string_view text);

}  // namespace maxmargin
