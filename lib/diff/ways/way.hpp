#pragma once
// A way: another road to the ids of a text inside this library (in steps, in parts, on many
// threads, with another kernel), whose ids must be those of one plain call. The plain call is
// compared with the references by the other checks; a way is compared with it.
//
// A way object serves one thread. What it does to a text depends on the text and the seed alone.

#include "diff/compare.hpp"
#include "diff/engine.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::diff::ways {

/// A text and the ids of the plain call. Short texts are taken every way there is; of longer ones
/// `rounds` ways are drawn.
struct WayText {
  std::string_view text;
  std::span<const TokenId> ids;
  std::uint64_t seed = 0;
  unsigned rounds = 1;
};

struct WayDifference {
  std::string stage;      // what was done when the ids parted: "append", "fork"
  std::size_t index = 0;  // first differing id
  std::size_t byte = 0;   // of the text, where it was done
  Window window;          // ids of both sides, and the steps taken
};

struct WayFinding {
  std::uint64_t comparisons = 0;  // of ids (or bytes) with those expected
  std::optional<WayDifference> difference;
};

/// What a way is made from.
struct WayRequest {
  std::shared_ptr<const Tokenizer> tokenizer;
  AnswerOptions options;
};

class Way {
 public:
  virtual ~Way() = default;
  /// Why it cannot be gone with this tokenizer and these options; empty when it can.
  virtual std::string refusal() const { return {}; }
  /// The text is one that the plain call takes.
  virtual WayFinding run(const WayText& text) = 0;
};

using MakeWay = std::unique_ptr<Way> (*)(const WayRequest& request);

std::unique_ptr<Way> make_append_way(const WayRequest& request);
std::unique_ptr<Way> make_edit_way(const WayRequest& request);
std::unique_ptr<Way> make_parts_way(const WayRequest& request);
std::unique_ptr<Way> make_split_way(const WayRequest& request);
std::unique_ptr<Way> make_count_way(const WayRequest& request);
std::unique_ptr<Way> make_cold_way(const WayRequest& request);
std::unique_ptr<Way> make_thread_way(const WayRequest& request);
std::unique_ptr<Way> make_kernel_way(const WayRequest& request);
std::unique_ptr<Way> make_stream_way(const WayRequest& request);

}  // namespace toktier::diff::ways
