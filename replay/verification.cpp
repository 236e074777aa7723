#include "replay/verification.hpp"

#include "replay/seeded.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <charconv>

namespace toktier::replay {
namespace {

/// Without the folders of the file it stands in: another machine keeps them elsewhere. What forks
/// add to a session's name ("/fork3") stays.
std::string_view plain_name(std::string_view session) {
  std::size_t begin = session.rfind('/') + 1;
  while (begin > 1 && session.substr(begin).starts_with("fork"))
    begin = session.rfind('/', begin - 2) + 1;
  return session.substr(begin);
}

double bounded(std::uint64_t bytes, std::uint64_t text_bytes) {
  if (text_bytes <= bytes) return 1;
  return static_cast<double>(bytes) / static_cast<double>(text_bytes);
}

template <class T>
bool number(std::string_view text, T& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool Verification::wants(std::string_view session, std::uint64_t step, std::uint64_t text_bytes,
                         bool last) const {
  switch (kind) {
    case Kind::none:
      return false;
    case Kind::all:
      return true;
    case Kind::sample:
      return chosen(seed, plain_name(session), step, share);
    default:
      return last || chosen(seed, plain_name(session), step, bounded(bytes, text_bytes));
  }
}

bool Verification::wants_reference(std::string_view session, std::uint64_t step,
                                   std::uint64_t text_bytes) const {
  if (reference <= 0) return false;
  const double part = kind == Kind::within ? bounded(bytes, text_bytes) : 1;
  return chosen(seed + 1, plain_name(session), step, reference * part);
}

std::string Verification::text() const {
  switch (kind) {
    case Kind::none:
      return "none";
    case Kind::all:
      return "all";
    case Kind::sample:
      return fmt::format("sample:{}", share);
    default:
      return fmt::format("within:{}", bytes);
  }
}

Verification parse_verification(const std::string& text) {
  Verification out;
  const auto refuse = [&] {
    throw Error(ErrorCode::usage,
                fmt::format("--verify: '{}' (known: none, all, sample:SHARE with a share from 0 "
                            "to 1, within:BYTES)",
                            text));
  };
  if (text == "all") return out;
  if (text == "none") {
    out.kind = Verification::Kind::none;
  } else if (text.starts_with("sample:")) {
    out.kind = Verification::Kind::sample;
    if (!number(std::string_view(text).substr(7), out.share) || !(out.share >= 0 && out.share <= 1))
      refuse();
  } else if (text.starts_with("within:")) {
    out.kind = Verification::Kind::within;
    std::string_view digits = std::string_view(text).substr(7);
    std::uint64_t unit = 1;
    if (digits.ends_with('k')) unit = std::uint64_t{1} << 10;
    if (digits.ends_with('m')) unit = std::uint64_t{1} << 20;
    if (unit > 1) digits.remove_suffix(1);
    if (!number(digits, out.bytes) || out.bytes == 0 || out.bytes > (std::uint64_t{1} << 40))
      refuse();
    out.bytes *= unit;
  } else {
    refuse();
  }
  return out;
}

}  // namespace toktier::replay
