#include "diff/lane.hpp"

#include "diff/digest.hpp"
#include "diff/shrink.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace toktier::diff {
namespace {

constexpr std::size_t kShownInput = 4096;  // bytes of a document carried in a divergence

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string name_of(std::uint32_t part) { return check_names(part); }

bool same(std::uint32_t part, const Answer& a, const Answer& b) {
  if (part == kIds) return a.id_count == b.id_count && a.id_digest == b.id_digest;
  if (part == kSpans) return a.id_count == b.id_count && a.span_digest == b.span_digest;
  return a.piece_count == b.piece_count && a.piece_digest == b.piece_digest;
}

/// The part of `text` shown around `byte`, cut at character borders.
std::string around(std::string_view text, std::size_t byte, bool* whole) {
  *whole = text.size() <= kShownInput;
  if (*whole) return std::string(text);
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  std::size_t begin = byte > kShownInput / 2 ? byte - kShownInput / 2 : 0;
  begin = std::min(begin, text.size() - kShownInput);
  std::size_t end = begin + kShownInput;
  while (inside(begin)) ++begin;
  while (inside(end)) --end;
  return std::string(text.substr(begin, end - begin));
}

}  // namespace

/// A block on its way through the lane.
struct Lane::Work {
  const Block& block;
  const std::map<std::string, std::uint64_t>& described;
  std::vector<std::string_view> texts;
  std::vector<Answer> ours, theirs;
  bool stored = false;  // theirs came from the store
  BlockResult result;
};

Lane::Lane(const CampaignPlan& plan)
    : plan_(plan), ours_(plan.ours()), theirs_(plan.theirs ? plan.theirs() : nullptr) {
  if (theirs_) shared_ = plan.parts & ours_->can(plan.options) & theirs_->can(plan.options);
  for (const CheckRow& row : check_table()) {
    if (!(plan.parts & row.part) || row.make == nullptr) continue;
    WayLane lane{&row, nullptr, "the engine under test is not this library"};
    if (plan.tokenizer) {
      lane.way = row.make({plan.tokenizer, plan.options});
      lane.refusal = lane.way->refusal();
      if (!lane.refusal.empty()) lane.way.reset();
    }
    ways_.push_back(std::move(lane));
  }
  ids_seen_.resize(ours_->identity().end_id);
}

BlockResult Lane::run(const Block& block, const std::map<std::string, std::uint64_t>& described) {
  Work work{block, described, {}, {}, {}, false, {}};
  Verdict& sums = work.result.sums;
  for (const Document& document : block.documents) {
    work.texts.push_back(document.text);
    sums.bytes += document.text.size();
    sums.code_points += static_cast<std::uint64_t>(
        std::count_if(document.text.begin(), document.text.end(),
                      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  }
  sums.documents = block.documents.size();
  for (const CheckRow& row : check_table()) {
    if (!(plan_.parts & row.part) || (shared_ & row.part) || row.make != nullptr) continue;
    const char* who = ours_->can(plan_.options) & row.part ? "the reference" : "the engine";
    sums.skipped[fmt::format("{}: {} does not report it under these options", row.name, who)] +=
        sums.documents;
  }
  if (shared_ == 0 && ways_.empty()) return std::move(work.result);

  ask(work);
  for (std::size_t i = 0; shared_ != 0 && i < work.texts.size(); ++i) compare(work, i);
  if (shared_ & kDecode) compare_decoded(work);
  go_ways(work);
  std::vector<std::uint64_t> given;
  for (const Answer& answer : work.ours)
    given.push_back(answer.status == AnswerStatus::ok ? answer.id_digest : 0);
  sums.answer_digest = digest_bytes(
      {reinterpret_cast<const char*>(given.data()), given.size() * sizeof(std::uint64_t)});
  return std::move(work.result);
}

void Lane::ask(Work& work) {
  Verdict& sums = work.result.sums;
  Question question;
  question.options = plan_.options;
  question.parts = (shared_ & (kIds | kSpans | kPieces)) | kIds;
  Question digests = question;
  digests.digest_only = true;
  const Key128 key = key_of(work.texts);
  const bool alone = shared_ == 0;  // ways only: nobody else is asked
  work.stored = !alone && plan_.store != nullptr &&
                plan_.store->find(key, work.texts.size(), question.parts, work.theirs);

  // The reference works in its own process while we do: it is asked first and read last.
  if (!alone && !work.stored) theirs_->ask(work.texts, digests);
  const auto start = std::chrono::steady_clock::now();
  ours_->ask(work.texts, question);
  ours_->receive(work.ours);
  sums.ours_seconds += seconds_since(start);
  if (alone) return;
  if (!work.stored) {
    const auto begin = std::chrono::steady_clock::now();
    theirs_->receive(work.theirs);
    sums.theirs_seconds += seconds_since(begin);
  }
  if (plan_.store != nullptr) {
    ++(work.stored ? sums.store_hits : sums.store_misses);
    if (!work.stored) plan_.store->add(key, question.parts, work.theirs);
  }
}

void Lane::compare(Work& work, std::size_t i) {
  Verdict& sums = work.result.sums;
  const Answer& a = work.ours[i];
  const Answer& b = work.theirs[i];
  const auto skip = [&](const char* reason) {
    for (const CheckRow& row : check_table()) {
      if (shared_ & row.part) ++sums.skipped[fmt::format("{}: {}", row.name, reason)];
    }
  };
  if (a.status == AnswerStatus::died || b.status == AnswerStatus::died) {
    skip(b.status == AnswerStatus::died ? "the reference died" : "the engine died");
    return;
  }
  if (a.status == AnswerStatus::not_covered || b.status == AnswerStatus::not_covered) {
    skip("a slow twin does not cover the document");
    return;
  }
  if (a.status != AnswerStatus::ok && b.status != AnswerStatus::ok) {
    ++sums.both_refused;
    skip("both refuse the document");
    return;
  }
  note_ids(work, a.ids);
  bool reported = false;
  for (const std::uint32_t part : {kIds, kSpans, kPieces}) {
    if (!(shared_ & part)) continue;
    ++sums.checked[name_of(part)];
    const bool refused = a.status != AnswerStatus::ok || b.status != AnswerStatus::ok;
    if (!refused && same(part, a, b)) continue;
    // One description for a document; a refusal is one difference, not one for each check.
    if (reported && refused) continue;
    report(work, i, part);
    reported = true;
  }
  if (reported) ++sums.different_documents;
  if (plan_.groups_of) note_groups(work, i, reported);
  if (!reported && a.status == AnswerStatus::ok) note_quoted(work, i);
}

void Lane::note_ids(Work& work, const std::vector<TokenId>& ids) {
  work.result.sums.ids += ids.size();
  for (const TokenId id : ids) {
    if (id < ids_seen_.size()) ids_seen_[id] = true;
  }
}

void Lane::note_groups(Work& work, std::size_t i, bool different) {
  const Document& document = work.block.documents[i];
  const Answer &a = work.ours[i], &b = work.theirs[i];
  const bool both = a.status == AnswerStatus::ok && b.status == AnswerStatus::ok;
  for (const std::string& name : plan_.groups_of(document)) {
    GroupCounts& group = work.result.sums.groups[name];
    ++group.documents;
    group.different += different ? 1 : 0;
    group.bytes += document.text.size();
    if (!both) continue;
    group.ours += a.id_count;
    group.theirs += b.id_count;
  }
}

void Lane::note_quoted(Work& work, std::size_t i) {
  const Document& document = work.block.documents[i];
  if (!document.has_quoted) return;
  Verdict& sums = work.result.sums;
  if (document.quoted == work.ours[i].ids) {
    ++sums.quoted_agree;
  } else {
    ++sums.quoted_differ;
    if (sums.quoted_differing.size() < 50) sums.quoted_differing.push_back(document.id);
  }
}

Answer Lane::full_answer(Engine& engine, std::string_view text) {
  Question question;
  question.options = plan_.options;
  question.parts = (engine.can(plan_.options) & (kIds | kSpans | kPieces)) | kIds;
  return answer_one(engine, text, question);
}

std::optional<Difference> Lane::difference_of(std::string_view text, std::uint32_t part,
                                              Window* window) {
  if (part == kDecode) return decode_difference(text, window);
  if (part >= kFirstWay) return way_difference(text, part, window);
  const Answer a = full_answer(*ours_, text);
  const Answer b = full_answer(*theirs_, text);
  for (const AnswerStatus status : {a.status, b.status}) {
    if (status == AnswerStatus::died || status == AnswerStatus::not_covered) return std::nullopt;
  }
  const auto difference = first_difference(part, a, b);
  if (difference && window != nullptr) *window = show_window(text, *difference, a, b);
  return difference;
}

std::optional<Difference> Lane::decode_difference(std::string_view text, Window* window) {
  const Answer a = full_answer(*ours_, text);
  if (a.status != AnswerStatus::ok || a.ids.empty()) return std::nullopt;
  const std::vector<TokenId> lists[] = {a.ids};
  std::vector<Decoded> ours, theirs;
  ours_->decode(lists, ours);
  theirs_->decode(lists, theirs);
  const auto difference = first_difference(ours.at(0), theirs.at(0));
  if (difference && window != nullptr) *window = show_window(*difference, ours[0], theirs[0]);
  return difference;
}

void Lane::report(Work& work, std::size_t i, std::uint32_t part) {
  auto difference = difference_of(work.texts[i], part, nullptr);
  if (!difference) {
    if (work.stored) {
      // The stored digest was wrong; the engine itself agrees with us.
      ++work.result.sums.store_damaged;
      return;
    }
    difference = Difference{};
    difference->check = name_of(part);
    difference->stage = "batch";  // alone both agree: an answer depends on its neighbours
  }
  ++work.result.sums.differences[difference->cls()];
  describe(work, i, part, *difference);
}

void Lane::describe(Work& work, std::size_t i, std::uint32_t part, const Difference& difference,
                    const Window* seen) {
  const std::string cls = difference.cls();
  const auto before = work.described.find(cls);
  std::uint64_t& here = work.result.described[cls];
  if ((before == work.described.end() ? 0 : before->second) + here >= plan_.described_per_class)
    return;
  ++here;
  const Document& document = work.block.documents[i];
  Divergence divergence;
  divergence.difference = difference;
  divergence.cls = cls;
  divergence.document = document.id;
  divergence.origin = document.origin;
  divergence.bytes = document.text.size();
  divergence.document_byte = difference.byte;
  divergence.line = document.line;
  divergence.record_begin = document.record_begin;
  divergence.text_begin = document.text_begin;
  divergence.input = around(document.text, difference.byte, &divergence.input_whole);
  std::string_view shown = document.text;
  // A way drawn for the whole document may be none that is drawn again: then it stays as it is.
  const bool again_alone = part < kFirstWay || [&] {
    const auto found = difference_of(document.text, part, nullptr);
    return found && found->cls() == cls;
  }();
  if (plan_.shrink_steps > 0 && difference.stage != "batch" && again_alone) {
    const auto still = [&](std::string_view text) {
      const auto found = difference_of(text, part, nullptr);
      return found && found->cls() == cls;
    };
    Shrunk shrunk = shrink(document.text, difference.byte, still, plan_.shrink_steps);
    divergence.minimal = std::move(shrunk.text);
    divergence.shrink_steps = shrunk.steps;
    divergence.shrink_finished = shrunk.finished;
    shown = divergence.minimal;
  }
  if (difference.stage == "batch") {
    divergence.window = {"(in a batch only)", "(in a batch only)"};
  } else if (const auto again = difference_of(shown, part, &divergence.window)) {
    divergence.difference = *again;
  } else if (seen != nullptr) {
    divergence.window = *seen;
  }
  work.result.divergences.push_back(std::move(divergence));
}

// The ids of our plain call are what each way must give. They are compared with the reference
// elsewhere.
void Lane::go_ways(Work& work) {
  Verdict& sums = work.result.sums;
  for (const Answer& answer : work.ours)
    if (shared_ == 0) note_ids(work, answer.ids);
  for (const WayLane& lane : ways_) {
    const std::string name(lane.row->name);
    if (!lane.way) {
      sums.skipped[fmt::format("{}: {}", name, lane.refusal)] += work.texts.size();
      continue;
    }
    for (std::size_t i = 0; i < work.texts.size(); ++i) {
      if (work.ours[i].status != AnswerStatus::ok) {
        ++sums.skipped[fmt::format("{}: the plain call refuses the document", name)];
        continue;
      }
      const ways::WayFinding found =
          lane.way->run({work.texts[i], work.ours[i].ids, seed_of(work.texts[i]), plan_.rounds});
      if (found.comparisons == 0) {
        ++sums.skipped[fmt::format("{}: nothing to compare in the document", name)];
        continue;
      }
      sums.checked[name] += found.comparisons;
      if (!found.difference) continue;
      ++sums.different_documents;
      Difference difference;
      difference.check = name;
      difference.stage = found.difference->stage;
      difference.index = found.difference->index;
      difference.byte = found.difference->byte;
      ++sums.differences[difference.cls()];
      describe(work, i, lane.row->part, difference, &found.difference->window);
    }
  }
}

std::uint64_t Lane::seed_of(std::string_view text) const { return plan_.seed ^ digest_bytes(text); }

// As go_ways() for one text, which may be part of a document: more ways are drawn, because the one
// that showed the difference in the document is none of this text.
std::optional<Difference> Lane::way_difference(std::string_view text, std::uint32_t part,
                                               Window* window) {
  for (const WayLane& lane : ways_) {
    if (lane.row->part != part || !lane.way) continue;
    Question question;
    question.options = plan_.options;
    const Answer answer = answer_one(*ours_, text, question);
    if (answer.status != AnswerStatus::ok) return std::nullopt;
    const ways::WayFinding found =
        lane.way->run({text, answer.ids, seed_of(text), std::max(plan_.rounds, kShrinkRounds)});
    if (!found.difference) return std::nullopt;
    if (window != nullptr) *window = found.difference->window;
    return Difference{std::string(lane.row->name), found.difference->stage, found.difference->index,
                      found.difference->byte};
  }
  return std::nullopt;
}

void Lane::compare_decoded(Work& work) {
  Verdict& sums = work.result.sums;
  std::vector<std::vector<TokenId>> lists;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < work.texts.size(); ++i) {
    const bool ok =
        work.ours[i].status == AnswerStatus::ok && work.theirs[i].status == AnswerStatus::ok;
    if (!ok) {
      const bool died =
          work.ours[i].status == AnswerStatus::died || work.theirs[i].status == AnswerStatus::died;
      const bool both =
          work.ours[i].status != AnswerStatus::ok && work.theirs[i].status != AnswerStatus::ok;
      if (!died && !both) ++sums.skipped["decode: one side refuses the document"];
    } else if (!same(kIds, work.ours[i], work.theirs[i])) {
      ++sums.skipped["decode: the ids differ"];
    } else {
      lists.push_back(work.ours[i].ids);
      places.push_back(i);
    }
  }
  if (lists.empty()) return;
  std::vector<Decoded> ours, theirs;
  ours_->decode(lists, ours);
  theirs_->decode(lists, theirs);
  for (std::size_t k = 0; k < lists.size(); ++k) {
    ++sums.checked["decode"];
    const auto difference = first_difference(ours[k], theirs[k]);
    if (!difference) continue;
    ++sums.differences[difference->cls()];
    ++sums.different_documents;
    describe(work, places[k], kDecode, *difference);
  }
}

}  // namespace toktier::diff
