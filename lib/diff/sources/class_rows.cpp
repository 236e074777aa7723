// Texts made from the classes that the model's patterns can tell apart, and from its automaton.

#include "diff/case_random.hpp"
#include "diff/sources/generator_rows.hpp"
#include "diff/sources/indexed.hpp"
#include "encode/tokenizer_impl.hpp"
#include "pretok/automaton.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <deque>
#include <optional>

namespace toktier::diff::sources {
namespace {

constexpr std::size_t kLongestRun = 3000;

/// Some characters of each class, as texts.
std::vector<std::string> class_texts(const Tokenizer& tokenizer) {
  std::vector<std::string> out;
  for (const char32_t c : tokenizer.impl().pipeline->pre_tokenizer().alphabet(3)) {
    out.emplace_back();
    unicode::append_utf8(out.back(), c);
  }
  return out;
}

std::unique_ptr<DocumentSource> classes(const GeneratorRequest& request) {
  need_tokenizer(request, "classes");
  return std::make_unique<Indexed>("classes", request.count,
                                   [texts = class_texts(*request.tokenizer), seed = request.seed](
                                       std::uint64_t index, Document& document) {
                                     CaseRandom random(seed, index);
                                     std::string last;
                                     for (std::uint64_t n = 1 + random.below(1 + random.below(40));
                                          n > 0; --n) {
                                       if (last.empty() || random.below(3) != 0)
                                         last = texts[random.below(texts.size())];
                                       document.text += last;
                                     }
                                     document.id = fmt::format("seed {}, case {}", seed, index);
                                     return true;
                                   });
}

std::unique_ptr<DocumentSource> runs(const GeneratorRequest& request) {
  need_tokenizer(request, "runs");
  return std::make_unique<Indexed>("runs", request.count,
                                   [texts = class_texts(*request.tokenizer), seed = request.seed](
                                       std::uint64_t index, Document& document) {
                                     CaseRandom random(seed, index);
                                     for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
                                       const std::string& one = texts[random.below(texts.size())];
                                       const std::string& two = texts[random.below(texts.size())];
                                       const bool pair = random.below(3) == 0;
                                       const std::uint64_t length =
                                           1 + random.below(1 + random.below(kLongestRun));
                                       for (std::uint64_t i = 0; i < length; ++i)
                                         document.text += pair && i % 2 ? two : one;
                                     }
                                     document.id = fmt::format("seed {}, case {}", seed, index);
                                     return true;
                                   });
}

/// For each state of the automaton and each class: the shortest text that leads to the state, a
/// character of the class, then one of each class (or the end). So every transition is taken with
/// every symbol behind it, and every place where the automaton looks ahead is met with every
/// answer. Then each loop is taken many times.
std::vector<std::string> walks(const Tokenizer& tokenizer) {
  const pretok::Automaton* automaton = tokenizer.impl().pipeline->pre_tokenizer().automaton();
  std::vector<std::string> out;
  if (automaton == nullptr) return out;
  const std::uint32_t symbols = automaton->end_symbol();
  std::vector<std::string> text(symbols);  // by class
  for (std::uint32_t c = 0; c < symbols; ++c)
    for (const char32_t member : automaton->map().representatives(c)) {
      if (member >= 0xD800 && member <= 0xDFFF) continue;
      unicode::append_utf8(text[c], member);
      break;
    }
  std::vector<std::optional<std::string>> way(automaton->states());
  way[0] = "";
  for (std::deque<std::uint32_t> open = {0}; !open.empty(); open.pop_front()) {
    const std::uint32_t state = open.front();
    for (std::uint32_t c = 0; c < symbols; ++c) {
      if (!automaton->alive(state, c)) continue;
      const std::uint32_t next = automaton->next(state, c);
      if (way[next]) continue;
      way[next] = *way[state] + text[c];
      open.push_back(next);
    }
  }
  for (std::uint32_t state = 0; state < automaton->states(); ++state) {
    if (!way[state]) continue;
    for (std::uint32_t c = 0; c < symbols; ++c) {
      const std::string begin = *way[state] + text[c];
      out.push_back(begin);
      for (std::uint32_t d = 0; d < symbols; ++d) out.push_back(begin + text[d]);
      if (!automaton->alive(state, c) || automaton->next(state, c) != state) continue;
      std::string loop = begin;
      while (loop.size() < kLongestRun) loop += text[c];
      for (std::uint32_t d = 0; d < symbols; ++d) out.push_back(loop + text[d]);
    }
  }
  return out;
}

std::unique_ptr<DocumentSource> automaton(const GeneratorRequest& request) {
  need_tokenizer(request, "automaton");
  std::vector<std::string> texts = walks(*request.tokenizer);
  const std::size_t count = texts.size();
  return std::make_unique<Indexed>(
      "automaton", count, [texts = std::move(texts)](std::uint64_t index, Document& document) {
        document.text = texts[index];
        document.id = fmt::format("walk {}", index);
        return true;
      });
}

}  // namespace

void need_tokenizer(const GeneratorRequest& request, const char* name) {
  if (request.tokenizer) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("generator {} needs an engine that loads the file here, such as cpu", name));
}

void add_class_rows(std::vector<GeneratorRow>& rows) {
  rows.push_back({"classes", "strings over characters of each class of the model's patterns",
                  100'000, classes});
  rows.push_back({"runs", "long runs of one class, or of two in turn", 2'000, runs});
  rows.push_back({"automaton", "every transition of the pattern's automaton, every class behind it",
                  0, automaton});
}

}  // namespace toktier::diff::sources
