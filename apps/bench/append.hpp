#pragma once
// The workload of a coding agent: a short text is appended to a long one, again and again.
//
// A session is brought to `context` characters. Each sample appends the next `append` characters of
// the text, which is timed, and takes them away again, which is not; so every sample meets the same
// context with a text of its own. Afterwards every sample is verified: its ids must be those of a
// cold encode of the whole text. A peer, which keeps no state, encodes the whole text.

#include "apps/bench/contestant.hpp"
#include "toktier/session.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::bench {

/// What the caller of a session gives: the new part alone, or the whole text again.
enum class Interface : std::uint8_t { delta, full };
const char* name_of(Interface interface);

struct AppendPlan {
  std::uint64_t context = 0, append = 0;  // characters
  Interface interface = Interface::delta;
  unsigned samples = 0;
};

/// Characters in order, from the beginning again when they end; counted, for a text that comes
/// again is one that caches know.
class CharacterStream {
 public:
  /// `text` is well-formed, not empty and outlives this.
  explicit CharacterStream(std::string_view text) : text_(text) {}
  std::string take(std::uint64_t characters);
  unsigned begun_again() const { return begun_again_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  unsigned begun_again_ = 0;
};

struct AppendDifference {
  unsigned sample = 0;
  std::size_t position = 0;  // first differing id
};

struct AppendMeasurement {
  std::vector<double> seconds;  // of each sample, in the order they were taken
  std::uint64_t verified = 0;
  std::optional<AppendDifference> difference;
  std::uint64_t context_bytes = 0, context_ids = 0, session_bytes = 0;
  std::uint64_t given_bytes = 0, encoded_bytes = 0;  // over all samples
  std::uint64_t no_seam = 0;  // samples in which no seam stood before the end
  unsigned text_begun_again = 0;
  std::string last_text;          // context and last append: what peers encode
  std::vector<TokenId> last_ids;  // its ids
  bool stopped = false;
};

/// `note` hears what is being done; the stop flag is looked at between samples.
AppendMeasurement measure_append(const Tokenizer& tokenizer, std::string_view text,
                                 const AppendPlan& plan,
                                 const std::function<void(std::string_view)>& note);

struct PeerAppend {
  std::string name, version, reason;  // reason: why there are no times
  bool differs = false;
  std::vector<double> seconds;  // whole encodes of last_text
};
/// A process of the peer, loaded once; `samples` encodes, each with ids compared.
PeerAppend measure_peer(const Entry& entry, const AppendMeasurement& ours, unsigned samples);

/// The value below which `share` of the values lie (nearest rank); values are not empty.
double percentile(std::vector<double> values, double share);

}  // namespace toktier::bench
