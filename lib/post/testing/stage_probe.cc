// Runs added-token splitting, decoding and post-processing alone, on request, for comparison with
// another engine.
//
// Reads commands, one a line, fields separated by tabs, texts in hex; answers one line each:
//   load PATH | load-bytes HEX     -> "ok END_ID"            (the normalizer is taken as given by
//   `normalizer`) normalizer none|lower          -> "ok"                   (before load; lower =
//   ASCII lower case) split default|none|all HEX     -> "ok BEGIN:END:ID ..."  (ID "-" for plain
//   text; both passes) decode SKIP UNKNOWN ID,ID,...  -> "ok HEX"               (SKIP 0|1, UNKNOWN
//   error|drop; streams are checked too) post ADD LIMITS HEX IDS SPANS  -> "ok IDS SPANS TRUNCATED
//   PADDED"   (SPANS as B:E,B:E)
// A failure is "error CODE MESSAGE".

#include "added/added_tokens.hpp"
#include "decode/decoder.hpp"
#include "model/spec.hpp"
#include "post/post_processor.hpp"
#include "toktier/error.hpp"

#include <cstdint>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace toktier;

std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

std::string to_hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::vector<std::string> cut(const std::string& line, char at) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, at);) fields.push_back(field);
  return fields;
}

std::vector<TokenId> ids_of(const std::string& field) {
  std::vector<TokenId> ids;
  for (const std::string& id : cut(field, ',')) ids.push_back(static_cast<TokenId>(std::stoul(id)));
  return ids;
}

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// Messages quote texts, which may hold line ends.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

struct Loaded {
  added::AddedTokens added;
  decode::Decoder decoder;
  post::PostProcessor post;
};

class Probe {
 public:
  std::string answer(const std::vector<std::string>& f) {
    const std::string& command = f.at(0);
    if (command == "normalizer") {
      lower_ = f.at(1) == "lower";
      return "ok";
    }
    if (command == "load") return take(model::load(f.at(1)));
    if (command == "load-bytes") return take(model::load_bytes(from_hex(f.at(1)), "probe.json"));
    if (!loaded_) throw Error(ErrorCode::usage, "nothing loaded");
    if (command == "split") return split(f.at(1), from_hex(f.size() > 2 ? f[2] : ""));
    if (command == "decode") return decode(f);
    if (command == "post") return post(f);
    throw Error(ErrorCode::usage, "unknown command " + command);
  }

 private:
  std::string take(const model::TokenizerSpec& spec) {
    added::NormalizeFunction normalize;
    if (lower_) normalize = ascii_lower;
    auto added = added::AddedTokens::compile(spec, normalize);
    auto decoder = decode::Decoder::compile(spec, added.table());
    auto post = post::PostProcessor::compile(spec, added.table());
    const TokenId end = decoder.end_id();
    loaded_.emplace(Loaded{std::move(added), std::move(decoder), std::move(post)});
    return "ok " + std::to_string(end);
  }

  std::string split(const std::string& mode, const std::string& text) const {
    const SpecialMode special = mode == "all"    ? SpecialMode::all
                                : mode == "none" ? SpecialMode::none
                                                 : SpecialMode::file_default;
    const auto filter = loaded_->added.filter(special);
    std::vector<added::Segment> raw, all;
    loaded_->added.split_raw(text, filter, raw);
    for (const added::Segment& segment : raw) {
      if (segment.is_literal()) {
        all.push_back(segment);
        continue;
      }
      std::string part = text.substr(segment.begin, segment.end - segment.begin);
      if (lower_) part = ascii_lower(part);
      std::vector<added::Segment> inner;
      loaded_->added.split_normalized(part, filter, inner);
      for (added::Segment s : inner)
        all.push_back({s.begin + segment.begin, s.end + segment.begin, s.id});
    }
    std::string out = "ok";
    for (const added::Segment& s : all) {
      out += ' ' + std::to_string(s.begin) + ':' + std::to_string(s.end) + ':' +
             (s.is_literal() ? std::to_string(s.id) : "-");
    }
    return out;
  }

  std::string decode(const std::vector<std::string>& f) {
    decode::DecodeOptions options;
    options.skip_special = f.at(1) == "1";
    options.unknown = f.at(2) == "drop" ? decode::DecodeOptions::UnknownId::drop
                                        : decode::DecodeOptions::UnknownId::error;
    const std::vector<TokenId> ids = ids_of(f.size() > 3 ? f[3] : "");
    const std::string text = loaded_->decoder.decode(ids, options);
    for (int cuts = 0; cuts < 2; ++cuts) {  // one by one, then in random parts
      decode::Stream stream(loaded_->decoder, options);
      std::string joined;
      for (std::size_t at = 0; at < ids.size();) {
        const std::size_t n =
            cuts == 0 ? 1 : std::min<std::size_t>(1 + random_() % 5, ids.size() - at);
        joined += stream.push(std::span(ids).subspan(at, n));
        if (text.compare(0, joined.size(), joined) != 0)
          throw Error(ErrorCode::internal, "a stream took bytes back");
        at += n;
      }
      joined += stream.finish();
      if (joined != text) throw Error(ErrorCode::internal, "a stream differs from the batch");
    }
    return "ok " + to_hex(text);
  }

  std::string post(const std::vector<std::string>& f) const {
    const post::PostOptions options{f.at(1) == "1", f.at(2) == "1"};
    const std::string document = from_hex(f.at(3));
    std::vector<TokenId> ids = ids_of(f.size() > 4 ? f[4] : "");
    std::vector<Span> spans;
    for (const std::string& span : cut(f.size() > 5 ? f[5] : "", ',')) {
      const auto ends = cut(span, ':');
      spans.push_back({static_cast<std::uint32_t>(std::stoul(ends.at(0))),
                       static_cast<std::uint32_t>(std::stoul(ends.at(1)))});
    }
    const post::PostResult result = loaded_->post.run(document, {}, options, ids, &spans);
    std::string out = "ok ";
    for (const TokenId id : ids) out += std::to_string(id) + ',';
    out += ' ';
    for (const Span& span : spans)
      out += std::to_string(span.begin) + ':' + std::to_string(span.end) + ',';
    return out + ' ' + std::to_string(result.truncated) + ' ' + std::to_string(result.padded);
  }

  bool lower_ = false;
  std::optional<Loaded> loaded_;
  std::mt19937_64 random_{1};
};

}  // namespace

int main() {
  Probe probe;
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      std::cout << probe.answer(cut(line, '\t')) << std::endl;
    } catch (const Error& error) {
      std::cout << "error " << static_cast<int>(error.code()) << ' ' << one_line(error.what())
                << std::endl;
    } catch (const std::exception& error) {
      std::cout << "error 9 " << one_line(error.what()) << std::endl;
    }
  }
  return 0;
}
