#include "diff/shrink.hpp"

#include "unicode/utf8.hpp"

#include <algorithm>
#include <vector>

namespace toktier::diff {
namespace {

std::vector<std::string> split_units(std::string_view text) {
  std::vector<std::string> units;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = unicode::sequence_length(static_cast<unsigned char>(text[at]));
    if (at + length > text.size() || unicode::find_invalid_utf8(text.substr(at, length)))
      length = 1;
    units.emplace_back(text.substr(at, length));
    at += length;
  }
  return units;
}

std::string join(const std::vector<std::string>& units) {
  std::string text;
  for (const std::string& unit : units) text += unit;
  return text;
}

class Shrinker {
 public:
  Shrinker(std::string text, const std::function<bool(std::string_view)>& still_fails,
           std::size_t max_steps)
      : units_(split_units(text)), still_fails_(still_fails), max_steps_(max_steps) {}

  void windows(std::size_t byte) {
    std::size_t center = 0;
    for (std::size_t at = 0; center < units_.size() && at + units_[center].size() <= byte;
         ++center) {
      at += units_[center].size();
    }
    for (std::size_t reach = 4; reach < units_.size() && !done(); reach *= 4) {
      const std::size_t begin = center > reach ? center - reach : 0;
      const std::size_t end = std::min(units_.size(), center + reach);
      if (try_units({units_.begin() + static_cast<std::ptrdiff_t>(begin),
                     units_.begin() + static_cast<std::ptrdiff_t>(end)})) {
        return;
      }
    }
  }

  void remove_chunks() {
    for (std::size_t chunk = std::max<std::size_t>(1, units_.size() / 2); !done();) {
      bool removed = false;
      for (std::size_t at = 0; at < units_.size() && !done();) {
        std::vector<std::string> candidate = units_;
        const auto begin = candidate.begin() + static_cast<std::ptrdiff_t>(at);
        candidate.erase(begin,
                        begin + static_cast<std::ptrdiff_t>(std::min(chunk, units_.size() - at)));
        if (try_units(std::move(candidate))) {
          removed = true;
        } else {
          at += chunk;
        }
      }
      if (chunk == 1 && !removed) return;
      if (chunk > 1) chunk /= 2;
    }
  }

  void simplify() {
    // From simple to odd; a unit is replaced only by one before its own place in the list.
    static const std::vector<std::string> kSimple = {
        "a", " ", "1", "A", "\n", ".", "\xC3\xA9", "\xE4\xB8\xAD", "\xCC\x81", "\xF0\x9F\x98\x80"};
    for (std::size_t at = 0; at < units_.size(); ++at) {
      for (const std::string& simple : kSimple) {
        if (units_[at] == simple || done()) break;
        std::vector<std::string> candidate = units_;
        candidate[at] = simple;
        if (try_units(std::move(candidate))) break;
      }
    }
  }

  Shrunk result() const { return {join(units_), steps_, !done()}; }

 private:
  bool done() const { return steps_ >= max_steps_; }

  bool try_units(std::vector<std::string> candidate) {
    ++steps_;
    if (!still_fails_(join(candidate))) return false;
    units_ = std::move(candidate);
    return true;
  }

  std::vector<std::string> units_;
  const std::function<bool(std::string_view)>& still_fails_;
  std::size_t max_steps_;
  std::size_t steps_ = 0;
};

}  // namespace

Shrunk shrink(std::string text, std::size_t byte,
              const std::function<bool(std::string_view)>& still_fails, std::size_t max_steps) {
  Shrinker shrinker(std::move(text), still_fails, max_steps);
  shrinker.windows(byte);
  shrinker.remove_chunks();
  shrinker.simplify();
  shrinker.remove_chunks();
  return shrinker.result();
}

}  // namespace toktier::diff
