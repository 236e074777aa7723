#include "replay/replay_totals.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace toktier::replay {
namespace {

bool is_repair(std::size_t op) {
  return op != static_cast<std::size_t>(WorkOp::open) &&
         op != static_cast<std::size_t>(WorkOp::close);
}

/// floor(2 * log2(bytes)), of bytes > 0: exact, for its square is compared.
unsigned half_octave(std::uint64_t bytes) {
  const auto whole = static_cast<unsigned>(std::bit_width(bytes)) - 1;
  const double scaled = std::ldexp(static_cast<double>(bytes), -static_cast<int>(whole));
  return 2 * whole + (scaled * scaled >= 2 ? 1 : 0);
}

}  // namespace

std::size_t band_of(std::uint64_t bytes) {
  const auto* const at = std::upper_bound(kBandLimits.begin(), kBandLimits.end(), bytes);
  return static_cast<std::size_t>(at - kBandLimits.begin());
}

std::string_view band_name(std::size_t band) {
  static constexpr std::array<std::string_view, kBands> kNames = {
      "< 4 K", "< 16 K", "< 64 K", "< 256 K", "< 1 M", "< 4 M", "more"};
  return kNames[band];
}

void OpTotals::merge(const OpTotals& o) {
  steps += o.steps;
  verified += o.verified;
  referenced += o.referenced;
  given += o.given;
  encoded += o.encoded;
  patches += o.patches;
  told_ids += o.told_ids;
  no_seam_before += o.no_seam_before;
  no_seam_behind += o.no_seam_behind;
  score_moved += o.score_moved;
  for (std::size_t i = 0; i < kBands; ++i) nanoseconds[i].merge(o.nanoseconds[i]);
}

template <class Get>
std::uint64_t ReplayTotals::sum(Get get) const {
  std::uint64_t all = 0;
  for (std::size_t op = 0; op < kWorkOps; ++op) all += get(op, ops[op]);
  return all;
}

std::uint64_t ReplayTotals::repairs() const {
  return sum([](std::size_t op, const OpTotals& o) { return is_repair(op) ? o.steps : 0; });
}
std::uint64_t ReplayTotals::verified_repairs() const {
  return sum([](std::size_t op, const OpTotals& o) { return is_repair(op) ? o.verified : 0; });
}
std::uint64_t ReplayTotals::verified_edits() const {
  return verified_repairs() - ops[static_cast<std::size_t>(WorkOp::append)].verified;
}
std::uint64_t ReplayTotals::steps() const {
  return sum([](std::size_t, const OpTotals& o) { return o.steps; });
}
std::uint64_t ReplayTotals::verified() const {
  return sum([](std::size_t, const OpTotals& o) { return o.verified; });
}
std::uint64_t ReplayTotals::referenced() const {
  return sum([](std::size_t, const OpTotals& o) { return o.referenced; });
}
std::uint64_t ReplayTotals::given() const {
  return sum([](std::size_t, const OpTotals& o) { return o.given; });
}
std::uint64_t ReplayTotals::encoded() const {
  return sum([](std::size_t, const OpTotals& o) { return o.encoded; });
}

void ReplayTotals::add(const WorkOutcome& outcome) {
  lost += outcome.lost;
  differences += outcome.differences.size();
  stopped = stopped || outcome.stopped;
  for (const SessionEnd& end : outcome.ends) {
    memory.add(end.memory);
    ends.push_back(end);
    end_bytes += end.bytes;
    end_tokens += end.tokens;
  }
  for (const StepMeasure& m : outcome.steps) {
    OpTotals& to = ops[static_cast<std::size_t>(m.op)];
    ++to.steps;
    sessions += m.op == WorkOp::open || m.op == WorkOp::fork;
    refused += m.refused;
    if (m.op == WorkOp::close || m.refused) continue;
    to.verified += m.verified;
    to.referenced += m.referenced;
    to.given += m.given;
    to.encoded += m.encoded;
    text_bytes += m.after;
    to.patches += m.patches;
    to.told_ids += m.told_ids;
    to.no_seam_before += m.no_seam_before;
    to.no_seam_behind += m.no_seam_behind;
    to.score_moved += m.score_moved;
    const std::size_t band = band_of(m.before);
    to.nanoseconds[band].add(m.nanoseconds);
    if (m.op != WorkOp::open) {
      ++changes_by_band[band];
      verified_by_band[band] += m.verified;
    }
    if (m.op != WorkOp::append || m.given == 0 || m.before == 0) continue;
    ++appends;
    append_bytes.add(m.given);
    append_nanoseconds[half_octave(m.before)].add(m.nanoseconds);
    if (m.no_seam_before) {
      ++appends_without_seam;
      without_seam_text.add(m.before);
    } else {
      append_extra.add(m.encoded - std::min(m.encoded, m.given));
    }
  }
}

void ReplayTotals::merge(const ReplayTotals& o) {
  sessions += o.sessions;
  refused += o.refused;
  lost += o.lost;
  differences += o.differences;
  stopped = stopped || o.stopped;
  for (std::size_t op = 0; op < kWorkOps; ++op) ops[op].merge(o.ops[op]);
  appends += o.appends;
  appends_without_seam += o.appends_without_seam;
  append_bytes.merge(o.append_bytes);
  append_extra.merge(o.append_extra);
  without_seam_text.merge(o.without_seam_text);
  for (std::size_t i = 0; i < kBands; ++i) {
    changes_by_band[i] += o.changes_by_band[i];
    verified_by_band[i] += o.verified_by_band[i];
  }
  for (const auto& [key, values] : o.append_nanoseconds) append_nanoseconds[key].merge(values);
  ends.insert(ends.end(), o.ends.begin(), o.ends.end());
  memory.merge(o.memory);
  end_bytes += o.end_bytes;
  text_bytes += o.text_bytes;
  end_tokens += o.end_tokens;
}

}  // namespace toktier::replay
