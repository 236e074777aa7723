// UnicodeScripts: cuts where the script changes. What stands before the first cut (signs of no
// script at the start) is dropped, as the reference does.

#include "pretok/steps/step.hpp"
#include "unicode/rust_tables.hpp"
#include "unicode/utf8.hpp"

namespace toktier::pretok {

namespace {

class UnicodeScriptsStep final : public SplitStep {
 public:
  void split(std::string_view text, std::vector<Piece>& parts, SplitScratch&) const override {
    const auto size = static_cast<std::uint32_t>(text.size());
    std::uint8_t last = 0;
    bool open = false;
    std::uint32_t begin = 0;
    for (std::uint32_t at = 0; at < size;) {
      const unicode::Decoded d = unicode::decode(text.data() + at);
      const std::uint8_t script = unicode::rust::script(d.code_point);
      if (script != 0 && script != last) {
        if (open) parts.push_back({begin, at});
        open = true;
        begin = at;
        last = script;
      }
      at += d.length;
    }
    if (open) parts.push_back({begin, size});
  }
};

}  // namespace

void add_step(const model::PreUnicodeScripts&, const Dialect&, StepList& steps) {
  steps.push_back(std::make_unique<UnicodeScriptsStep>());
}

}  // namespace toktier::pretok
