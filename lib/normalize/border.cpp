#include "normalize/border.hpp"

#include "normalize/step.hpp"
#include "unicode/utf8.hpp"

namespace toktier::normalize {
namespace {

std::u32string rewritten(const Step& step, char32_t c) {
  std::string bytes;
  unicode::append_utf8(bytes, c);
  unicode::AlignedText text;
  text.reset(bytes, 0, false);
  step.run(text);
  std::u32string out;
  for (std::size_t at = 0; at < text.text().size();) {
    const unicode::Decoded d = unicode::decode(text.text().data() + at);
    out.push_back(d.code_point);
    at += d.length;
  }
  return out;
}

/// What stands beside the border on one side, the nearer character first.
void one_side(const Step& step, char32_t& near, char32_t& far, bool before) {
  std::u32string out;
  for (const char32_t c : {near, far}) {
    if (c == kUnknownCharacter) break;
    std::u32string part = rewritten(step, c);
    if (before) part.assign(part.rbegin(), part.rend());
    out += part;
    if (part.empty()) break;  // what then stands there is not known further on either
  }
  near = out.empty() ? kUnknownCharacter : out[0];
  far = out.size() < 2 ? kUnknownCharacter : out[1];
}

}  // namespace

bool apart_by_character(const Step& step, Border& border) {
  one_side(step, border.x, border.w, true);
  one_side(step, border.y, border.z, false);
  return true;
}

}  // namespace toktier::normalize
