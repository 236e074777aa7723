// FixedLength: pieces of so many code points.

#include "pretok/steps/step.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

namespace toktier::pretok {

namespace {

class FixedLengthStep final : public SplitStep {
 public:
  explicit FixedLengthStep(std::size_t length) : length_(length) {}

  void split(std::string_view text, std::vector<Piece>& parts, SplitScratch&) const override {
    const auto size = static_cast<std::uint32_t>(text.size());
    for (std::uint32_t at = 0; at < size;) {
      const std::uint32_t begin = at;
      for (std::size_t n = 0; n < length_ && at < size; ++n) {
        at += unicode::sequence_length(static_cast<unsigned char>(text[at]));
      }
      parts.push_back({begin, at});
    }
  }

 private:
  std::size_t length_;
};

}  // namespace

void add_step(const model::PreFixedLength& spec, const Dialect&, StepList& steps) {
  if (spec.length == 0) {
    throw Error(ErrorCode::unsupported,
                "pre_tokenizer FixedLength: length 0 (the reference fails)");
  }
  steps.push_back(std::make_unique<FixedLengthStep>(spec.length));
}

}  // namespace toktier::pretok
