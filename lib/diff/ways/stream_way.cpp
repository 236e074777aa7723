// The ids decoded one after another, in groups of any size: what comes out, put together, is what
// decode() gives, and no character comes in two halves.

#include "diff/ways/way_parts.hpp"
#include "report/escape.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

namespace toktier::diff::ways {
namespace {

class StreamWay final : public Way {
 public:
  explicit StreamWay(const WayRequest& request) : tokenizer_(request.tokenizer) {}

  WayFinding run(const WayText& text) override {
    WayFinding finding;
    std::string whole;
    try {
      whole = tokenizer_->decode(text.ids, false);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
      return finding;  // a file without a decoder that takes these ids
    }
    const bool characters = !unicode::find_invalid_utf8(whole);
    for (unsigned round = 0; round < text.rounds && !finding.difference; ++round) {
      CaseRandom random(text.seed, round);
      StreamDecoder decoder(*tokenizer_, false);
      std::string out;
      bool halves = false;
      const auto take = [&](const std::string& given) {
        halves = halves || (characters && unicode::find_invalid_utf8(given));
        out += given;
      };
      const std::uint64_t most = 1 + random.below(4);
      for (std::size_t at = 0; at < text.ids.size();) {
        const std::size_t n = std::min<std::size_t>(1 + random.below(most), text.ids.size() - at);
        take(decoder.push(text.ids.subspan(at, n)));
        at += n;
      }
      take(decoder.finish());
      ++finding.comparisons;
      if (out == whole && !halves) continue;
      WayDifference difference;
      difference.stage = halves ? "halves" : "bytes";
      difference.window = {'"' + report::escape_preview(out, 200) + '"',
                           '"' + report::escape_preview(whole, 200) + '"'};
      finding.difference = std::move(difference);
    }
    return finding;
  }

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
};

}  // namespace

std::unique_ptr<Way> make_stream_way(const WayRequest& request) {
  return std::make_unique<StreamWay>(request);
}

}  // namespace toktier::diff::ways
