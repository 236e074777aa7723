// tiktoken rank files: one "base64 rank" a line. Pattern and special tokens are not in the file;
// they come from the table of published encodings (by hash) or from an encoding.json beside the
// file. Nothing is guessed.

#include "model/base64.hpp"
#include "model/loaders.hpp"
#include "model/published_encodings.hpp"
#include "model/rank_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace toktier::model {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

std::string_view trim(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
}

std::string shorten(std::string_view line) {
  std::string out;
  for (const char c : line.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (line.size() > 40 ? "..." : "");
}

void read_ranks(std::string_view bytes, LoadContext& context, RankTable& table) {
  const auto lines = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) + 1;
  table.reserve(lines, bytes.size() / 2);
  std::string token;
  std::size_t number = 0;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = trim(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    ++number;
    if (line.empty()) continue;
    const auto place = [&] { return fmt::format("line {}", number); };
    const std::size_t gap = line.find_first_of(kBlanks);
    const std::string_view word = line.substr(0, gap);
    const std::string_view digits = gap == std::string_view::npos ? "" : trim(line.substr(gap));
    TokenId rank = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    token.clear();
    // A lone "=" is how one published file writes the empty token; the reference's decoder reads it
    // so.
    const bool good = word == "=" || decode_base64(word, token);
    if (!good || error != std::errc() || rest != digits.data() + digits.size()) {
      fail_input(context, place(),
                 fmt::format("\"{}\" found, a base64 token and its rank expected", shorten(line)));
    }
    table.add(rank, token, place);
  }
}

std::string available(const std::string& sha256) {
  std::string out;
  for (const PublishedEncoding& e : published_encodings()) {
    if (e.sha256 == sha256) out += (out.empty() ? "" : ", ") + std::string(e.name);
  }
  return out;
}

void apply_published(const PublishedEncoding& encoding, RankTable& table, LoadContext& context,
                     TokenizerSpec& spec) {
  for (const auto& [name, id] : encoding.specials) table.add_special(name, id, "special tokens");
  for (TokenId id = encoding.reserved_begin; id < encoding.reserved_end; ++id) {
    table.add_special(fmt::format("<|reserved_{}|>", id), id, "special tokens");
  }
  table.finish(std::string(encoding.pattern), fmt::format("pattern of {}", encoding.name), 0);
  spec.kind = FileKind::tiktoken;
  context.notes.push_back(fmt::format(
      "pattern and special tokens of the published encoding {}, known by the hash of the ranks",
      encoding.name));
}

void read_specials(Fields& f, RankTable& table, LoadContext& context) {
  const std::string field = f.path("special_tokens");
  Fields tokens(f.need("special_tokens"), context, field);
  for (const auto [name, id] : tokens.object()) {
    table.add_special(name, to_unsigned(id, context, tokens.path(name)), tokens.path(name));
  }
}

void apply_side_file(std::string_view side, const LoadOptions& options, RankTable& table,
                     LoadContext& context, TokenizerSpec& spec) {
  simdjson::dom::parser parser;
  LoadContext beside{context.file + " (encoding.json beside it)", {}, {}};
  Fields f(parse_json(parser, side, false, beside), beside, "");
  std::string pattern = f.need_string("pat_str");
  if (options.encoding.empty()) {
    read_specials(f, table, beside);
  } else {
    std::optional<Json> chosen;
    if (const auto also = f.find("also")) {
      Fields others(*also, beside, "also");
      chosen = others.find(options.encoding);
    }
    if (!chosen) {
      fail_input(beside, "also", fmt::format("no encoding named \"{}\"", options.encoding));
    }
    Fields other(*chosen, beside, fmt::format("also.{}", options.encoding));
    if (other.find("pat_str")) pattern = other.need_string("pat_str");
    read_specials(other, table, beside);
  }
  table.finish(std::move(pattern), "pat_str of the encoding.json beside it", 0);
  spec.kind = FileKind::tiktoken;
  context.notes.push_back("pattern and special tokens from the encoding.json beside the file");
}

}  // namespace

void load_rank_file(std::string_view bytes, std::string_view side, const std::string& sha256,
                    const LoadOptions& options, LoadContext& context, TokenizerSpec& spec) {
  RankTable table(context, spec);
  read_ranks(bytes, context, table);
  const std::string known = available(sha256);
  for (const PublishedEncoding& e : published_encodings()) {
    if (e.sha256 == sha256 && (options.encoding.empty() || options.encoding == e.name)) {
      if (!side.empty()) context.notes.push_back("the encoding.json beside the file is not used");
      if (known != e.name) context.notes.push_back("encodings with these ranks: " + known);
      apply_published(e, table, context, spec);
      return;
    }
  }
  if (!known.empty()) {
    throw Error(
        ErrorCode::usage,
        fmt::format("encoding \"{}\" does not have these ranks; {} do", options.encoding, known),
        context.file);
  }
  if (!side.empty()) {
    apply_side_file(side, options, table, context, spec);
    return;
  }
  fail_unsupported(
      context, "",
      "a tiktoken rank file with ranks of no published encoding; its pattern and special "
      "tokens are needed, in an encoding.json beside it ({\"pat_str\": ..., "
      "\"special_tokens\": {...}})");
}

void load_packed_ranks(Json document, LoadContext& context, TokenizerSpec& spec) {
  Fields f(document, context, "");
  RankTable table(context, spec);
  const std::string packed = f.need_string("bpe_ranks");
  const auto place = [] { return std::string("bpe_ranks"); };
  // "! START token token ...": the tokens get the ranks START, START + 1, ...; any number of such
  // lines.
  std::string_view rest = packed;
  std::string token;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto next_word = [&line] {
      line.remove_prefix(std::min(line.find_first_not_of(" \r"), line.size()));
      const std::string_view word = line.substr(0, line.find_first_of(" \r"));
      line.remove_prefix(word.size());
      return word;
    };
    std::string_view word = next_word();
    if (word.empty()) continue;
    const std::string_view start = next_word();
    TokenId rank = 0;
    const auto [stop, error] = std::from_chars(start.data(), start.data() + start.size(), rank);
    if (word != "!" || error != std::errc() || stop != start.data() + start.size()) {
      fail_input(context, place(), "\"! START token token ...\" expected");
    }
    for (word = next_word(); !word.empty(); word = next_word()) {
      token.clear();
      if (!decode_base64(word, token)) {
        fail_input(context, place(), fmt::format("\"{}\" is not base64", shorten(word)));
      }
      table.add(rank, token, place);
      if (rank <= kMaxTokenId) ++rank;
    }
  }
  read_specials(f, table, context);
  table.finish(f.need_string("pat_str"), "pat_str", 0);
  spec.kind = FileKind::tiktoken;
  if (const auto total = f.find_value("explicit_n_vocab")) {
    const std::uint64_t stated = to_unsigned(*total, context, "explicit_n_vocab");
    if (stated != spec.vocab.size() + spec.added_tokens.size()) {
      context.notes.push_back(
          fmt::format("explicit_n_vocab is {}, but ranks and special tokens are {}", stated,
                      spec.vocab.size() + spec.added_tokens.size()));
    }
  }
  f.note_unused();
}

}  // namespace toktier::model
