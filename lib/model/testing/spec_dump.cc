// Prints what the loaders made of tokenizer files, for scripts that compare it with the reference
// engines.
//
//   spec_dump FILE...           one JSON line each: verdict, kind, counts, fingerprint, notes or
//   the error spec_dump --full FILE       tokens, merges, scores and added tokens too, one JSON
//   object a line

#include "model/spec.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace toktier;         // NOLINT(google-build-using-namespace)
using namespace toktier::model;  // NOLINT(google-build-using-namespace)

// Token bytes as hexadecimal digits: rank files hold bytes that are no text.
std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string kind_name(FileKind kind) {
  constexpr const char* kNames[] = {"tokenizer.json", "tiktoken", "tekken", "sentencepiece",
                                    "wordpiece"};
  return kNames[static_cast<int>(kind)];
}

std::size_t merge_count(const TokenizerSpec& spec) {
  const auto* bpe = std::get_if<Bpe>(&spec.model);
  return bpe == nullptr ? 0 : bpe->merges.size();
}

void print_full(const TokenizerSpec& spec) {
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id) {
    if (spec.vocab.has(id)) fmt::print("{{\"id\":{},\"hex\":\"{}\"}}\n", id, hex(spec.vocab[id]));
  }
  if (const auto* bpe = std::get_if<Bpe>(&spec.model)) {
    for (const Merge& m : bpe->merges)
      fmt::print("{{\"merge\":[{},{},{}]}}\n", m.left, m.right, m.result);
    for (std::size_t i = 0; i < bpe->rank.size(); ++i)
      fmt::print("{{\"rank\":[{},{}]}}\n", i, bpe->rank[i]);
    for (std::size_t i = 0; i < bpe->score.size(); ++i)
      fmt::print("{{\"score\":[{},{}]}}\n", i, bpe->score[i]);
  }
  if (const auto* unigram = std::get_if<Unigram>(&spec.model)) {
    for (std::size_t i = 0; i < unigram->score.size(); ++i) {
      fmt::print("{{\"score\":[{},{}]}}\n", i, unigram->score[i]);
    }
  }
  for (std::size_t i = 0; i < spec.piece_types.size(); ++i) {
    fmt::print("{{\"type\":[{},{}]}}\n", i, static_cast<int>(spec.piece_types[i]));
  }
  for (const PreTokenizer& step : spec.pre_tokenizers) {
    if (const auto* split = std::get_if<PreSplit>(&step)) {
      fmt::print("{{\"pattern\":\"{}\"}}\n", hex(split->pattern.text));
    }
  }
  for (const AddedToken& t : spec.added_tokens) {
    fmt::print("{{\"added\":{},\"hex\":\"{}\",\"flags\":[{},{},{},{},{}]}}\n", t.id, hex(t.content),
               t.special ? 1 : 0, t.lstrip ? 1 : 0, t.rstrip ? 1 : 0, t.single_word ? 1 : 0,
               t.normalized ? 1 : 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  const bool full = !files.empty() && files.front() == "--full";
  if (full) files.erase(files.begin());
  for (const std::string& file : files) {
    const auto start = std::chrono::steady_clock::now();
    try {
      const TokenizerSpec spec = load(file);
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - start;
      std::string notes;
      for (std::size_t i = 0; i < spec.notes.size(); ++i)
        notes += (i == 0 ? "" : ",") + quote(spec.notes[i]);
      fmt::print(
          "{{\"file\":{},\"verdict\":\"loaded\",\"kind\":\"{}\",\"tokens\":{},\"end_id\":{},"
          "\"merges\":{},"
          "\"added\":{},\"normalizers\":{},\"pre_tokenizers\":{},\"post_processors\":{},"
          "\"decoders\":{},"
          "\"ms\":{:.1f},\"fingerprint\":\"{}\",\"notes\":[{}]}}\n",
          quote(file), kind_name(spec.kind), spec.vocab.size(), spec.vocab.end_id(),
          merge_count(spec), spec.added_tokens.size(), spec.normalizers.size(),
          spec.pre_tokenizers.size(), spec.post_processors.size(), spec.decoders.size(),
          took.count(), spec.fingerprint, notes);
      if (full) print_full(spec);
    } catch (const Error& error) {
      fmt::print("{{\"file\":{},\"verdict\":\"{}\",\"error\":{}}}\n", quote(file),
                 error.code() == ErrorCode::unsupported ? "unsupported" : "input",
                 quote(error.what()));
    }
  }
  return 0;
}
