#include "apps/bench/append.hpp"

#include "apps/common/signals.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace toktier::bench {
namespace {

// The context comes in parts, as a transcript does.
constexpr std::uint64_t kFillCharacters = 64 * 1024;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Change {
  std::string text;
  Patch patch;
};

std::optional<AppendDifference> compare(const std::vector<TokenId>& ids,
                                        const std::vector<TokenId>& expected, unsigned sample) {
  if (ids == expected) return std::nullopt;
  const auto at = std::mismatch(ids.begin(), ids.end(), expected.begin(), expected.end()).first;
  return AppendDifference{sample, static_cast<std::size_t>(at - ids.begin())};
}

}  // namespace

const char* name_of(Interface interface) {
  return interface == Interface::delta ? "delta" : "full";
}

std::string CharacterStream::take(std::uint64_t characters) {
  std::string taken;
  while (characters > 0) {
    if (at_ == text_.size()) {
      at_ = 0;
      ++begun_again_;
    }
    const std::size_t begin = at_;
    for (; characters > 0 && at_ < text_.size(); --characters)
      at_ += unicode::sequence_length(static_cast<unsigned char>(text_[at_]));
    taken.append(text_, begin, at_ - begin);
  }
  return taken;
}

AppendMeasurement measure_append(const Tokenizer& tokenizer, std::string_view text,
                                 const AppendPlan& plan,
                                 const std::function<void(std::string_view)>& note) {
  AppendMeasurement out;
  CharacterStream stream(text);
  Tokenizer::Scratch scratch(tokenizer);
  Session session(tokenizer);
  std::string whole;
  std::vector<TokenId> base;
  note("building the context");
  for (std::uint64_t left = plan.context; left > 0 && !cli::stop_flag();) {
    const std::uint64_t n = std::min(left, kFillCharacters);
    const std::string part = stream.take(n);
    session.append(part, &scratch).apply(base);
    whole += part;
    left -= n;
  }
  out.context_bytes = whole.size();
  out.context_ids = base.size();
  out.session_bytes = session.memory();

  note("appending");
  std::vector<Change> changes;
  for (unsigned i = 0; i < plan.samples && !cli::stop_flag(); ++i) {
    Change& change = changes.emplace_back();
    change.text = stream.take(plan.append);
    const SessionStatistics before = session.statistics();
    if (plan.interface == Interface::full) {
      whole += change.text;
      const auto start = std::chrono::steady_clock::now();
      change.patch = session.update(whole, &scratch);
      out.seconds.push_back(seconds_since(start));
      whole.resize(out.context_bytes);
    } else {
      const auto start = std::chrono::steady_clock::now();
      change.patch = session.append(change.text, &scratch);
      out.seconds.push_back(seconds_since(start));
    }
    const SessionStatistics& after = session.statistics();
    out.given_bytes += change.text.size();
    out.encoded_bytes += after.bytes_encoded - before.bytes_encoded;
    out.no_seam += after.no_seam_before - before.no_seam_before;
    session.rewind(out.context_bytes, &scratch);
  }

  note("verifying");
  Tokenizer::Scratch cold(tokenizer);
  Encoding expected;
  EncodeOptions plain;
  plain.truncate = false;
  tokenizer.encode(whole, plain, cold, expected);
  out.difference = compare(base, expected.ids, 0);
  for (unsigned i = 0; i < changes.size() && !out.difference && !cli::stop_flag(); ++i) {
    std::vector<TokenId> ids = base;
    changes[i].patch.apply(ids);
    whole += changes[i].text;
    tokenizer.encode(whole, plain, cold, expected);
    out.difference = compare(ids, expected.ids, i + 1);
    out.verified += !out.difference;
    if (i + 1 == changes.size()) {
      out.last_text = whole;
      out.last_ids = expected.ids;
    }
    whole.resize(out.context_bytes);
  }
  out.text_begun_again = stream.begun_again();
  out.stopped = cli::stop_flag();
  return out;
}

PeerAppend measure_peer(const Entry& entry, const AppendMeasurement& ours, unsigned samples) {
  PeerAppend out;
  out.name = entry.name;
  try {
    Contestant peer(entry);
    out.version = peer.load(entry).version;
    peer.give_texts({ours.last_text});
    const Digest expected = digest_of(ours.last_ids.data(), ours.last_ids.size());
    for (unsigned i = 0; i < samples && !cli::stop_flag(); ++i) {
      const PassReply pass = peer.pass(1);
      if (pass.documents.at(0) != expected) {
        out.differs = true;
        out.reason = fmt::format("{} ids, ours {}", pass.ids, ours.last_ids.size());
        out.seconds.clear();
        return out;
      }
      out.seconds.push_back(pass.time.wall);
    }
  } catch (const Error& error) {
    out.reason = error.what();
    out.seconds.clear();
  }
  return out;
}

double percentile(std::vector<double> values, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const std::size_t at = rank == 0 ? 0 : rank - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

}  // namespace toktier::bench
