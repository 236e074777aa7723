#include "replay/outline.hpp"

namespace toktier::replay {
namespace {
constexpr std::size_t kMaxDepth = 6;       // deeper members are walked, not named
constexpr std::size_t kMaxNesting = 1000;  // deeper values are damage
constexpr std::size_t kMaxPaths = 4000;
constexpr std::size_t kMaxText = 200;
constexpr std::size_t kMaxValues = 64;
}  // namespace

/// One walk over the head. Every function returns false when the value is damaged or cut off.
class Outline::Scanner {
 public:
  explicit Scanner(Outline& outline) : outline_(outline), text_(outline.head_) {}

  void run() {
    while (outline_.values_ < kMaxValues) {
      skip_blanks();
      if (at_ >= text_.size()) return;
      const char c = text_[at_];
      if (c != '{' && c != '[') return;
      const bool whole = value("", 0);
      if (whole || at_ >= text_.size()) {
        ++outline_.values_;
      } else {
        const std::size_t next = text_.find('\n', at_);
        if (next == std::string_view::npos) return;
        at_ = next + 1;
      }
    }
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' ||
                                  text_[at_] == '\t' || text_[at_] == ','))
      ++at_;
  }

  void note(const std::string& path, std::string_view text) {
    if (path.empty() || outline_.paths_.size() >= kMaxPaths) return;
    std::string& seen = outline_.paths_[path];
    if (seen.empty()) seen = text.substr(0, kMaxText);
  }

  bool string(std::string_view& out) {
    const std::size_t begin = ++at_;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        out = text_.substr(begin, at_ - begin);
        ++at_;
        return true;
      } else if (text_[at_] == '\n') {
        return false;  // no JSON string holds one: the line is damaged
      }
    }
    at_ = text_.size();
    out = text_.substr(begin);
    return false;
  }

  bool value(const std::string& path, std::size_t depth) {
    skip_blanks();
    if (at_ >= text_.size() || depth > kMaxNesting) return false;
    switch (text_[at_]) {
      case '{':
        note(path, "");
        return object(path, depth);
      case '[':
        note(path, "");
        return array(path, depth);
      case '"': {
        std::string_view text;
        const bool whole = string(text);
        note(path, text);
        return whole;
      }
      default:
        return word(path);
    }
  }

  bool word(const std::string& path) {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view(",]} \n\r\t\"{[:").find(text_[at_]) == std::string_view::npos)
      ++at_;
    if (at_ == begin) return false;
    note(path, text_.substr(begin, at_ - begin));
    return true;
  }

  bool object(const std::string& path, std::size_t depth) {
    ++at_;
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size()) return false;
      if (text_[at_] == '}') {
        ++at_;
        return true;
      }
      std::string_view name;
      if (text_[at_] != '"' || !string(name)) return false;
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] != ':') return false;
      ++at_;
      std::string inner;
      if (depth < kMaxDepth && (depth == 0 || !path.empty())) {
        inner = path;
        if (!inner.empty()) inner += '.';
        inner += name;
      }
      if (!value(inner, depth + 1)) return false;
    }
  }

  bool array(const std::string& path, std::size_t depth) {
    ++at_;
    const std::string inner =
        depth < kMaxDepth && (depth == 0 || !path.empty()) ? path + "[]" : std::string();
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size()) return false;
      if (text_[at_] == ']') {
        ++at_;
        return true;
      }
      if (!value(inner, depth + 1)) return false;
    }
  }

  Outline& outline_;
  std::string_view text_;
  std::size_t at_ = 0;
};

Outline::Outline(std::string_view head) : head_(head.substr(0, std::size_t{1} << 20)) {
  if (head_.starts_with("\xEF\xBB\xBF")) head_.erase(0, 3);
  Scanner(*this).run();
}

std::string_view Outline::text(std::string_view path) const {
  const auto found = paths_.find(path);
  return found == paths_.end() ? std::string_view() : std::string_view(found->second);
}

bool Outline::line_starts(std::string_view start) const {
  const std::string_view head = head_;
  for (std::size_t at = head.find(start); at != std::string_view::npos;
       at = head.find(start, at + 1)) {
    if (at == 0 || head[at - 1] == '\n') return true;
  }
  return false;
}

}  // namespace toktier::replay
