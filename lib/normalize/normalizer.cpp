#include "normalize/normalizer.hpp"

#include "normalize/step.hpp"
#include "toktier/error.hpp"

#include <utility>

namespace toktier::normalize {

using unicode::NormalForm;

struct Normalizer::Impl {
  std::vector<StepPointer> steps;
  bool parts = true;  // borders can be apart at all
};

namespace {

/// Appends the compiled form of one specified step; steps that can never change a text give
/// nothing.
struct Compiler {
  std::vector<StepPointer>& out;
  const CompileOptions& options;

  void operator()(const model::NormNfc&) const { out.push_back(make_form(NormalForm::nfc)); }
  void operator()(const model::NormNfd&) const { out.push_back(make_form(NormalForm::nfd)); }
  void operator()(const model::NormNfkc&) const { out.push_back(make_form(NormalForm::nfkc)); }
  void operator()(const model::NormNfkd&) const { out.push_back(make_form(NormalForm::nfkd)); }
  void operator()(const model::NormNmt&) const { out.push_back(make_nmt()); }
  void operator()(const model::NormStripAccents&) const { out.push_back(make_strip_accents()); }
  void operator()(const model::NormLowercase&) const { out.push_back(make_lowercase()); }
  void operator()(const model::NormPrepend& n) const { out.push_back(make_prepend(n.text)); }
  void operator()(const model::NormAppend& n) const {
    if (!n.text.empty()) out.push_back(make_append(n.text));
  }
  void operator()(const model::NormReplace& n) const {
    if (!n.pattern.is_regex) {
      out.push_back(make_replace_string(n.pattern.text, n.content));
      return;
    }
    if (!options.regex) {
      throw Error(ErrorCode::unsupported,
                  "no regex engine for the pattern \"" + n.pattern.text + "\"", "Replace");
    }
    try {
      out.push_back(make_replace_regex(options.regex(n.pattern.text), n.content));
    } catch (const Error& error) {
      if (n.pattern.field.empty()) throw;
      throw Error(error.code(), error.what(), n.pattern.field);
    }
  }
  void operator()(const model::NormStrip& n) const {
    if (n.left || n.right) out.push_back(make_strip(n.left, n.right));
  }
  void operator()(const model::NormPrecompiled& n) const {
    if (!n.charsmap.empty()) out.push_back(make_precompiled(n.charsmap));
  }
  void operator()(const model::NormBert& n) const {
    if (n.clean_text) out.push_back(make_bert_clean());
    if (n.handle_chinese_chars) out.push_back(make_bert_chinese());
    if (n.strip_accents.value_or(n.lowercase)) {
      out.push_back(make_form(NormalForm::nfd));
      out.push_back(make_drop_nonspacing());
    }
    if (n.lowercase) out.push_back(make_lowercase());
  }
  void operator()(const model::NormByteLevel&) const { out.push_back(make_byte_level()); }
  void operator()(const model::NormSentencePiece& n) const {
    out.push_back(make_sentencepiece(n, options.kept_literals));
  }
};

}  // namespace

Normalizer Normalizer::compile(const std::vector<model::Normalizer>& steps,
                               model::Reference /*reference*/, const CompileOptions& options) {
  auto impl = std::make_unique<Impl>();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    try {
      std::visit(Compiler{impl->steps, options}, steps[i]);
    } catch (const Error& error) {
      if (error.where().starts_with("normalizer")) throw;  // names its field already
      throw Error(error.code(), error.what(), "normalizer[" + std::to_string(i) + "]");
    }
  }
  // After an edit at the begin of the text a transformation follows another stream than its
  // characters (AlignedText::Transform); no argument about parts is made for that.
  bool extended = false;
  for (const StepPointer& step : impl->steps) {
    if (extended && step->transforms()) impl->parts = false;
    extended = extended || step->extends();
  }
  return Normalizer(std::move(impl));
}

Normalizer::Normalizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Normalizer::Normalizer(Normalizer&&) noexcept = default;
Normalizer& Normalizer::operator=(Normalizer&&) noexcept = default;
Normalizer::~Normalizer() = default;

bool Normalizer::identity() const { return impl_->steps.empty(); }

void Normalizer::run(unicode::AlignedText& text) const {
  for (const StepPointer& step : impl_->steps) step->run(text);
}

void Normalizer::run_open(unicode::AlignedText& text, Open open) const {
  for (const StepPointer& step : impl_->steps) step->run_open(text, open);
}

bool Normalizer::apart(Border& border) const {
  if (!impl_->parts) return false;
  for (const StepPointer& step : impl_->steps)
    if (!step->apart(border)) return false;
  return true;
}

}  // namespace toktier::normalize
