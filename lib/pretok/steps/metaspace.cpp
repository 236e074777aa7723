// Metaspace: blanks become the replacement, one more may be put in front, then cuts before each
// replacement.

#include "pretok/steps/step.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

namespace toktier::pretok {

namespace {

class MetaspaceStep final : public Step {
 public:
  explicit MetaspaceStep(const model::PreMetaspace& spec)
      : spec_(spec), inside_{' ', unicode::decode(spec_.replacement.data()).code_point} {}

  const InsideRewrite* inside() const override { return &inside_; }

  bool needs_sources() const override {
    return spec_.prepend_scheme == model::PrependScheme::first;
  }

  void apply(ChainState& state) const override {
    const std::string_view text = state.text.text();
    const auto length = static_cast<std::uint32_t>(spec_.replacement.size());
    unicode::AlignedText::Rewrite rewrite(state.text);
    const auto put = [&](std::uint32_t source) {
      rewrite.put(spec_.replacement, state.text.tracked() ? state.text.source(source) : Span{});
    };
    std::uint32_t shift = 0;  // grows by more than it shrinks: the replacement is at least one byte
    for (Piece& piece : state.pieces) {
      rewrite.keep(piece.begin - rewrite.position());
      const std::uint32_t begin = piece.begin + shift;
      const char first = text[piece.begin];
      const bool starts = first == ' ' || text.substr(piece.begin).starts_with(spec_.replacement);
      const bool open = state.open_left && piece.begin == 0;
      if (!starts && !open && prepends(state.text, piece.begin)) {
        put(piece.begin);
        shift += length;
      }
      for (std::uint32_t at = piece.begin; at < piece.end; ++at) {
        if (text[at] != ' ') continue;
        rewrite.keep(at - rewrite.position());
        put(at);
        rewrite.drop(1);
        shift += length - 1;
      }
      rewrite.keep(piece.end - rewrite.position());
      piece = {begin, piece.end + shift};
    }
    rewrite.keep(static_cast<std::uint32_t>(text.size()) - rewrite.position());
    rewrite.finish();
  }

 private:
  model::PreMetaspace spec_;
  InsideRewrite inside_;

  bool prepends(const unicode::AlignedText& text, std::uint32_t at) const {
    switch (spec_.prepend_scheme) {
      case model::PrependScheme::always:
        return true;
      case model::PrependScheme::never:
        return false;
      case model::PrependScheme::first:
        break;
    }
    // Only where the document itself begins.
    if (text.identity() || !text.tracked()) return text.base() + at == 0;
    return text.source(at).begin == 0;
  }
};

}  // namespace

void add_step(const model::PreMetaspace& spec, const Dialect&, StepList& steps) {
  if (unicode::count_code_points(spec.replacement) != 1) {
    throw Error(ErrorCode::input, "pre_tokenizer Metaspace: replacement is not one character");
  }
  steps.push_back(std::make_unique<MetaspaceStep>(spec));
  if (spec.split) {
    const char32_t c = unicode::decode(spec.replacement.data()).code_point;
    steps.push_back(std::make_unique<PatternStep>(match_set(unicode::CodePointSet::of(c, c)),
                                                  model::SplitBehavior::merged_with_next, false));
  }
}

}  // namespace toktier::pretok
