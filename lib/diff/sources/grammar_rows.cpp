// Texts with the structure of code, JSON, logs and markdown, made by small grammars: real corpora
// have such texts, but no rare combination of their parts.

#include "diff/case_random.hpp"
#include "diff/sources/generator_rows.hpp"
#include "diff/sources/indexed.hpp"
#include "diff/sources/text_pools.hpp"

#include <fmt/format.h>

#include <iterator>

namespace toktier::diff::sources {
namespace {

class Writer {
 public:
  explicit Writer(CaseRandom& random) : random_(random) {}

  std::string code() {
    for (std::uint64_t n = 1 + at_most(6); n > 0; --n) statement(0);
    return std::move(out_);
  }
  std::string json() {
    value(0);
    return std::move(out_);
  }
  std::string log() {
    static constexpr std::string_view kLevels[] = {"INFO", "WARN ", "[error]", "DEBUG:"};
    for (std::uint64_t n = 1 + at_most(8); n > 0; --n) {
      out_ += fmt::format("2026-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z {} ", 1 + at_most(12),
                          1 + at_most(28), at_most(24), at_most(60), at_most(60), at_most(1000),
                          kLevels[at_most(std::size(kLevels))]);
      for (std::uint64_t k = 1 + at_most(6); k > 0; --k) {
        const std::uint64_t kind = at_most(4);
        if (kind == 0)
          out_ += fmt::format("{}={} ", name(), number());
        else if (kind == 1)
          out_ += fmt::format("/{}/{}:{} ", name(), name(), number());
        else if (kind == 2)
          out_ += fmt::format("0x{:x} ", random_.next() >> at_most(60));
        else
          out_ += word() + ' ';
      }
      out_ += at_most(5) == 0 ? "\r\n" : "\n";
    }
    return std::move(out_);
  }
  std::string markdown() {
    for (std::uint64_t n = 1 + at_most(6); n > 0; --n) {
      switch (at_most(6)) {
        case 0:
          out_ += std::string(1 + at_most(4), '#') + ' ' + words() + "\n\n";
          break;
        case 1:
          out_ += std::string(2 * at_most(4), ' ') + "- " + words() + '\n';
          break;
        case 2:
          out_ += fmt::format("| {} | {} |\n|---|---|\n| {} | {} |\n", word(), word(), number(),
                              word());
          break;
        case 3:
          out_ += "```" + name() + '\n';
          statement(0);
          out_ += "```\n";
          break;
        case 4:
          out_ += fmt::format("{} [{}](http://{}.org/{}?q={}#x) **{}**\n", words(), word(), name(),
                              name(), number(), word());
          break;
        default:
          out_ += words() + (at_most(2) == 0 ? ".\n\n" : "  \n");
      }
    }
    return std::move(out_);
  }

 private:
  std::uint64_t at_most(std::uint64_t n) { return random_.below(n); }  // below n
  std::string name() {
    static constexpr std::string_view kNames[] = {"x",
                                                  "index",
                                                  "getValue",
                                                  "MAX_SIZE",
                                                  "_tmp",
                                                  "i18n",
                                                  "foo_bar2",
                                                  "Node",
                                                  "__init__",
                                                  "\xC3\xBC"
                                                  "ber"};
    return std::string(kNames[at_most(std::size(kNames))]);
  }
  std::string word() {
    if (at_most(4) != 0) return std::string(plain_texts()[at_most(plain_texts().size())]);
    const auto pool = text_pools()[at_most(text_pools().size())].texts;
    return std::string(pool[at_most(pool.size())]);
  }
  std::string words() {
    std::string out;
    for (std::uint64_t n = 1 + at_most(7); n > 0; --n) out += word() + (n > 1 ? " " : "");
    return out;
  }
  std::string number() {
    const std::uint64_t n = random_.next() >> at_most(64);
    return at_most(3) == 0 ? fmt::format("{}.{}", n % 1000, n % 97) : fmt::format("{}", n);
  }
  std::string expression() {
    static constexpr std::string_view kOperators[] = {" + ", "-",  " == ", "&&", "->",
                                                      ".",   "::", "<<",   " % "};
    std::string out = at_most(2) == 0 ? name() : number();
    for (std::uint64_t n = at_most(3); n > 0; --n)
      out += std::string(kOperators[at_most(std::size(kOperators))]) + name();
    if (at_most(3) == 0) out += '(' + word() + ", \"" + word() + "\")";
    return out;
  }
  void statement(int depth) {
    const bool tabs = at_most(5) == 0;
    const std::string indent = tabs ? std::string(depth, '\t') : std::string(depth * 4, ' ');
    out_ += indent;
    switch (at_most(depth < 4 ? 5 : 3)) {
      case 0:
        out_ += name() + " = " + expression() + ";\n";
        break;
      case 1:
        out_ += "# " + words() + '\n';
        break;
      case 2:
        out_ += "return " + expression() + '\n';
        break;
      case 3:
        out_ += "if (" + expression() + ") {\n";
        statement(depth + 1);
        out_ += indent + "}\n";
        break;
      default:
        out_ += "def " + name() + "(self, " + name() + "):\n";
        statement(depth + 1);
        out_ += at_most(3) == 0 ? "\n\n" : "\n";
    }
  }
  void value(int depth) {
    switch (at_most(depth < 4 ? 6 : 4)) {
      case 0:
        out_ += number();
        break;
      case 1:
        out_ += at_most(2) == 0 ? "null" : "true";
        break;
      case 2:
      case 3:
        out_ += '"' + words() + (at_most(3) == 0 ? "\\n\\u00e9\\\"" : "") + '"';
        break;
      case 4:
        out_ += '[';
        for (std::uint64_t n = at_most(4); n > 0; --n) {
          value(depth + 1);
          out_ += n > 1 ? ", " : "";
        }
        out_ += ']';
        break;
      default: {
        const bool lines = at_most(2) == 0;
        out_ += lines ? "{\n" : "{";
        for (std::uint64_t n = 1 + at_most(4); n > 0; --n) {
          if (lines) out_ += std::string(2 * (depth + 1), ' ');
          out_ += '"' + name() + (lines ? "\": " : "\":");
          value(depth + 1);
          if (n > 1) out_ += ',';
          if (lines) out_ += '\n';
        }
        if (lines) out_ += std::string(2 * depth, ' ');
        out_ += '}';
      }
    }
  }

  CaseRandom& random_;
  std::string out_;
};

GeneratorRow row(const char* name, std::string_view what, std::string (Writer::*write)()) {
  return {name, what, 20'000, [name, write](const GeneratorRequest& request) {
            return std::make_unique<Indexed>(
                name, request.count,
                [write, seed = request.seed](std::uint64_t index, Document& document) {
                  CaseRandom random(seed, index);
                  document.text = (Writer(random).*write)();
                  document.id = fmt::format("seed {}, case {}", seed, index);
                  return true;
                });
          }};
}

}  // namespace

void add_grammar_rows(std::vector<GeneratorRow>& rows) {
  rows.push_back(row("code", "statements of a made-up language", &Writer::code));
  rows.push_back(row("json", "nested JSON, on one line and on many", &Writer::json));
  rows.push_back(row("log", "lines of logs", &Writer::log));
  rows.push_back(row("markdown", "headings, lists, tables, links, code", &Writer::markdown));
}

}  // namespace toktier::diff::sources
