// The same text on several threads at once, with the scratch spaces that the tokenizer lends.

#include "diff/ways/way_parts.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <array>
#include <barrier>
#include <thread>

namespace toktier::diff::ways {
namespace {

constexpr std::size_t kThreads = 4;

class ThreadWay final : public Way {
 public:
  explicit ThreadWay(const WayRequest& request) : tokenizer_(request.tokenizer), plain_(request) {}

  WayFinding run(const WayText& text) override {
    std::array<std::vector<TokenId>, kThreads> ids;
    std::array<std::string, kThreads> errors;
    std::barrier together(kThreads);
    const auto work = [&](std::size_t i) {
      together.arrive_and_wait();
      try {
        ids[i] = tokenizer_->encode(text.text, plain_.options()).ids;
      } catch (const std::exception& error) {
        errors[i] = error.what();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
    }
    WayFinding finding;
    for (std::size_t i = 0; i < kThreads && !finding.difference; ++i) {
      ++finding.comparisons;
      finding.difference = difference_of("thread", 0,
                                         fmt::format("thread {} of {}{}{}", i + 1, kThreads,
                                                     errors[i].empty() ? "" : ": ", errors[i]),
                                         ids[i], text.ids);
    }
    return finding;
  }

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  PlainCall plain_;
};

}  // namespace

std::unique_ptr<Way> make_thread_way(const WayRequest& request) {
  return std::make_unique<ThreadWay>(request);
}

}  // namespace toktier::diff::ways
