#include "maxmargin/text/svmhmm.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace maxmargin {
namespace {

constexpr double kTens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool ends_field(char c) { return is_blank(c) || c == '\n' || c == '#' || c == '\0'; }

// The fields of one line.
class Cursor {
 public:
  Cursor(const char* from, const char* end) : at_(from), end_(end) {}

  // False at the end of the line or of its part before a comment.
  bool to_field() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    return at_ != end_ && *at_ != '#';
  }
  bool done_field() const { return at_ == end_ || ends_field(*at_); }
  bool take(std::string_view word) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool integer(std::int64_t& number) {
    if (at_ != end_ && *at_ == '+' && at_ + 1 != end_ && is_digit(at_[1])) ++at_;
    const auto [stop, error] = std::from_chars(at_, end_, number);
    at_ = stop;
    return error == std::errc{};
  }

  // Few digits without exponent are exact as a quotient of two exact numbers; the library does the rest.
  bool real(double& number) {
    const char* at = at_;
    const bool negative = at != end_ && *at == '-';
    if (at != end_ && (*at == '-' || *at == '+')) ++at;
    std::uint64_t digits = 0;
    int count = 0, after_point = 0;
    bool point = false;
    for (; at != end_ && count <= 15 && (is_digit(*at) || (*at == '.' && !point)); ++at) {
      if (*at == '.') {
        point = true;
      } else {
        digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
        ++count;
        after_point += point;
      }
    }
    if (count > 0 && count <= 15 && (at == end_ || ends_field(*at))) {
      number = static_cast<double>(digits) / kTens[after_point];
      if (negative) number = -number;
      at_ = at;
      return true;
    }
    for (const char* c = at_; c != end_ && !ends_field(*c); ++c) {
      if (!is_digit(*c) && *c != '.' && *c != '-' && *c != '+' && *c != 'e' && *c != 'E') return false;
    }
    char* stop = nullptr;
    number = std::strtod(at_, &stop);
    if (stop == at_) return false;
    at_ = stop;
    return std::isfinite(number);
  }

 private:
  const char* at_;
  const char* end_;
};

bool read_line(Cursor& line, SvmhmmText& found) {
  std::int64_t tag = 0, number = 0, previous = 0;
  if (!line.integer(tag) || !line.done_field()) return false;
  if (!line.to_field() || !line.take("qid:") || !line.integer(number) || !line.done_field()) return false;
  while (line.to_field()) {
    std::int64_t index = 0;
    double value = 0.0;
    if (!line.integer(index) || index <= previous || index > std::numeric_limits<std::int32_t>::max()) return false;
    if (!line.take(":") || !line.real(value) || !line.done_field()) return false;
    if (value != 0.0) found.rows.add(static_cast<std::int32_t>(index - 1), value);
    previous = index;
  }
  found.rows.close();
  found.tags.push_back(tag);
  found.numbers.push_back(number);
  return true;
}

}  // namespace

SvmhmmText read_svmhmm(std::string_view text) {
  SvmhmmText found;
  std::int64_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++number;
    Cursor line(text.data() + begin, text.data() + end);
    if (line.to_field()) {
      if (!read_line(line, found)) {
        found.fault = number;
        break;
      }
      found.lines.push_back(number);
    }
    begin = end + 1;
  }
  return found;
}

}  // namespace maxmargin
