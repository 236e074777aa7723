// Runs a chain of normalizers on texts from stdin, so that another program can compare it with a
// reference engine.
//
// usage: normalize_probe STEP...        (steps in order)
//   nfc nfd nfkc nfkd nmt strip_accents lowercase byte_level strip:left|right|both
//   prepend:HEX append:HEX replace:HEX:HEX replace_runs:MIN:SET:HEX  (SET: hex code points joined
//   by ',') precompiled:FILE bert:CHAR4 (clean, chinese, accents 0|1|n, lowercase)
//   sentencepiece:FILE|-:FLAGS4 (dummy prefix, squeeze, escape, suffix)  literal:HEX (kept by
//   sentencepiece)
// stdin: frames of u32 length and bytes. stdout: per frame u32 length, text, u32 pairs (begin, end)
// per byte; length 0xFFFFFFFF when the run failed. Each text is run twice, tracked and not; a
// difference ends the program with 3.

#include "normalize/normalizer.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace toktier;

std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

std::string file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Stands in for a regex engine: runs of at least `least` characters of a set, longest first.
class RunFinder final : public normalize::RegexFinder {
 public:
  RunFinder(std::size_t least, std::set<char32_t> members)
      : least_(least), members_(std::move(members)) {}
  bool find(std::string_view text, std::uint32_t from, Span* match) const override {
    std::uint32_t at = from;
    while (at < text.size()) {
      std::uint32_t end = at;
      std::size_t count = 0;
      while (end < text.size()) {
        const unicode::Decoded d = unicode::decode(text.data() + end);
        if (members_.count(d.code_point) == 0) break;
        end += d.length;
        ++count;
      }
      if (count >= least_) {
        *match = {at, end};
        return true;
      }
      at =
          end +
          (end < text.size() ? unicode::sequence_length(static_cast<unsigned char>(text[end])) : 0);
    }
    return false;
  }

 private:
  std::size_t least_;
  std::set<char32_t> members_;
};

std::vector<std::string> fields(const std::string& argument) {
  std::vector<std::string> out(1);
  for (const char c : argument) {
    if (c == ':') {
      out.emplace_back();
    } else {
      out.back().push_back(c);
    }
  }
  return out;
}

/// The pattern text of a replace_runs step carries its two fields.
std::unique_ptr<const normalize::RegexFinder> run_finder(const std::string& pattern) {
  const std::vector<std::string> f = fields(pattern);
  std::set<char32_t> members;
  std::string number;
  for (const char c : f.at(1) + ",") {
    if (c != ',') {
      number.push_back(c);
      continue;
    }
    members.insert(static_cast<char32_t>(std::stoul(number, nullptr, 16)));
    number.clear();
  }
  return std::make_unique<RunFinder>(std::stoul(f.at(0)), std::move(members));
}

void add_step(const std::string& argument, std::vector<model::Normalizer>& steps,
              std::vector<std::string>& literals) {
  const std::vector<std::string> f = fields(argument);
  const std::string& name = f[0];
  if (name == "nfc") return steps.emplace_back(model::NormNfc{}), void();
  if (name == "nfd") return steps.emplace_back(model::NormNfd{}), void();
  if (name == "nfkc") return steps.emplace_back(model::NormNfkc{}), void();
  if (name == "nfkd") return steps.emplace_back(model::NormNfkd{}), void();
  if (name == "nmt") return steps.emplace_back(model::NormNmt{}), void();
  if (name == "strip_accents") return steps.emplace_back(model::NormStripAccents{}), void();
  if (name == "lowercase") return steps.emplace_back(model::NormLowercase{}), void();
  if (name == "byte_level") return steps.emplace_back(model::NormByteLevel{}), void();
  if (name == "strip") {
    return steps.emplace_back(model::NormStrip{f.at(1) != "right", f.at(1) != "left"}), void();
  }
  if (name == "prepend") return steps.emplace_back(model::NormPrepend{from_hex(f.at(1))}), void();
  if (name == "append") return steps.emplace_back(model::NormAppend{from_hex(f.at(1))}), void();
  if (name == "replace") {
    return steps.emplace_back(model::NormReplace{{false, from_hex(f.at(1))}, from_hex(f.at(2))}),
           void();
  }
  if (name == "replace_runs") {
    return steps.emplace_back(
               model::NormReplace{{true, f.at(1) + ":" + f.at(2)}, from_hex(f.at(3))}),
           void();
  }
  if (name == "precompiled")
    return steps.emplace_back(model::NormPrecompiled{file(f.at(1))}), void();
  if (name == "bert") {
    model::NormBert bert;
    bert.clean_text = f.at(1).at(0) == '1';
    bert.handle_chinese_chars = f.at(1).at(1) == '1';
    if (f.at(1).at(2) != 'n') bert.strip_accents = f.at(1).at(2) == '1';
    bert.lowercase = f.at(1).at(3) == '1';
    return steps.emplace_back(bert), void();
  }
  if (name == "sentencepiece") {
    const std::string& flags = f.at(2);
    return steps.emplace_back(model::NormSentencePiece{
               f.at(1) == "-" ? std::string() : file(f.at(1)), flags.at(0) == '1',
               flags.at(1) == '1', flags.at(2) == '1', flags.at(3) == '1'}),
           void();
  }
  if (name == "literal") return literals.push_back(from_hex(f.at(1)));
  throw Error(ErrorCode::usage, "unknown step " + argument);
}

void write_u32(std::uint32_t n) { std::fwrite(&n, 4, 1, stdout); }

int run(int argc, char** argv) {
  std::vector<model::Normalizer> steps;
  normalize::CompileOptions options;
  options.regex = run_finder;
  for (int i = 1; i < argc; ++i) add_step(argv[i], steps, options.kept_literals);
  const auto normalizer =
      normalize::Normalizer::compile(steps, model::Reference::hf_tokenizers, options);
  unicode::AlignedText tracked;
  unicode::AlignedText free;
  std::uint32_t length = 0;
  std::string input;
  while (std::fread(&length, 4, 1, stdin) == 1) {
    input.resize(length);
    if (std::fread(input.data(), 1, length, stdin) != length) return 2;
    bool failed = false;
    bool free_failed = false;
    tracked.reset(input, 0, true);
    free.reset(input, 0, false);
    try {
      normalizer.run(tracked);
    } catch (const Error&) {
      failed = true;
    }
    try {
      normalizer.run(free);
    } catch (const Error&) {
      free_failed = true;
    }
    if (failed != free_failed || (!failed && tracked.text() != free.text())) return 3;
    if (failed) {
      write_u32(0xFFFFFFFF);
      continue;
    }
    const std::string_view text = tracked.text();
    write_u32(static_cast<std::uint32_t>(text.size()));
    std::fwrite(text.data(), 1, text.size(), stdout);
    for (std::uint32_t i = 0; i < text.size(); ++i) {
      const Span span = tracked.source(i);
      write_u32(span.begin);
      write_u32(span.end);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "normalize_probe: %s\n", error.what());
    return 1;
  }
}
