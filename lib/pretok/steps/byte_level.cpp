// ByteLevel: a blank before each piece that does not begin with one, the GPT-2 pattern, the byte
// alphabet.
//
// The alphabet itself is applied by the model; here it only changes what later steps see
// (ChainState::byte_mapped).

#include "pretok/steps/step.hpp"

namespace toktier::pretok {

namespace {

constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// The new blank stands for what the first character of the piece stands for.
class PrefixSpaceStep final : public Step {
 public:
  const InsideRewrite* inside() const override {
    static constexpr InsideRewrite kNothing{};
    return &kNothing;
  }
  void apply(ChainState& state) const override {
    const std::string_view text = state.text.text();
    const auto prefixed = [&](const Piece& piece) {
      return text[piece.begin] != ' ' && !(state.open_left && piece.begin == 0);
    };
    bool any = false;
    for (const Piece& piece : state.pieces) any = any || prefixed(piece);
    if (!any) return;
    unicode::AlignedText::Rewrite rewrite(state.text);
    std::uint32_t shift = 0;
    for (Piece& piece : state.pieces) {
      const bool prefix = prefixed(piece);
      rewrite.keep(piece.begin - rewrite.position());
      if (prefix) {
        rewrite.put(" ", state.text.tracked() ? state.text.source(piece.begin) : Span{});
      }
      rewrite.keep(piece.end - rewrite.position());
      piece.begin += shift;
      shift += prefix ? 1 : 0;
      piece.end += shift;
    }
    rewrite.keep(static_cast<std::uint32_t>(text.size()) - rewrite.position());
    rewrite.finish();
  }
};

class ByteMapStep final : public Step {
 public:
  void apply(ChainState& state) const override { state.byte_mapped = true; }
  bool does_nothing() const override { return true; }
  bool maps_bytes() const override { return true; }
};

}  // namespace

void add_step(const model::PreByteLevel& spec, const Dialect& dialect, StepList& steps) {
  if (spec.add_prefix_space) steps.push_back(std::make_unique<PrefixSpaceStep>());
  if (spec.use_regex) {
    steps.push_back(std::make_unique<PatternStep>(Matcher::compile(kGpt2Pattern, dialect),
                                                  model::SplitBehavior::isolated, false));
  }
  steps.push_back(std::make_unique<ByteMapStep>());
}

}  // namespace toktier::pretok
