#include "replay/statistics.hpp"

#include <algorithm>

namespace toktier::replay {
namespace {

std::string joined_text(const Message& message) {
  std::string text;
  for (const Part& part : message.parts) {
    if (part.kind == PartKind::tools) continue;
    if (part.kind == PartKind::tool_call) text += part.name;
    text += part.text;
  }
  return text;
}

void add_gap(Gaps& gaps, std::int64_t gap) {
  if (gap < 0) {
    ++gaps.backwards;
    return;
  }
  std::size_t i = 0;
  while (i < Gaps::kLimitsMs.size() && gap > Gaps::kLimitsMs[i]) ++i;
  ++gaps.counts[i];
  ++gaps.total;
}

void add_round(Statistics& to, const std::optional<Round>& before, const Round& round) {
  ++to.rounds;
  to.round_prefix.add(round.prefix);
  to.round_append.add(round.append);
  if (!before) return;
  if (round.prefix < before->prefix) {
    ++to.round_drops;  // an earlier prefix again: rolled back, or gone from the provider's cache
  } else if (round.prefix < before->prefix + before->append) {
    ++to.round_short_prefixes;  // not all of the last prompt was still there
  }
}

}  // namespace

void Distribution::merge(const Distribution& other) {
  values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  sum_ += other.sum_;
}

std::uint64_t Distribution::quantile(double share) const {
  if (values_.empty()) return 0;
  if (sorted_ != values_.size()) {
    std::sort(values_.begin(), values_.end());
    sorted_ = values_.size();
  }
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values_.size()));
  return values_[std::min(at, values_.size() - 1)];
}

void Statistics::merge(const Statistics& o) {
  files += o.files;
  sessions += o.sessions;
  forks += o.forks;
  messages += o.messages;
  appends += o.appends;
  empty_appends += o.empty_appends;
  calls += o.calls;
  cold_calls += o.cold_calls;
  recorded_calls += o.recorded_calls;
  turns += o.turns;
  rewinds += o.rewinds;
  rewound_messages += o.rewound_messages;
  rewound_chars += o.rewound_chars;
  compactions += o.compactions;
  compacted_chars += o.compacted_chars;
  snapshots += o.snapshots;
  append_chars.merge(o.append_chars);
  append_bytes.merge(o.append_bytes);
  context_chars.merge(o.context_chars);
  all_chars.merge(o.all_chars);
  first_chars.merge(o.first_chars);
  appends_per_session.merge(o.appends_per_session);
  growth_per_call.merge(o.growth_per_call);
  prompt_chars += o.prompt_chars;
  new_chars += o.new_chars;
  counted = counted || o.counted;
  append_tokens.merge(o.append_tokens);
  context_tokens.merge(o.context_tokens);
  rounds += o.rounds;
  round_drops += o.round_drops;
  round_short_prefixes += o.round_short_prefixes;
  round_prefix.merge(o.round_prefix);
  round_append.merge(o.round_append);
  usages += o.usages;
  usage_input += o.usage_input;
  usage_cached += o.usage_cached;
  usage_output += o.usage_output;
  for (std::size_t i = 0; i < gaps.counts.size(); ++i) gaps.counts[i] += o.gaps.counts[i];
  gaps.total += o.gaps.total;
  gaps.backwards += o.gaps.backwards;
}

Statistics StatisticsSink::total() const {
  Statistics all;
  for (const auto& [format, statistics] : by_format_) all.merge(statistics);
  return all;
}

void StatisticsSink::open(const Session& session) {
  Open& open = open_[session.key];
  open = {};
  open.format = session.format;
  Statistics& to = by_format_[session.format];
  ++to.sessions;
  to.forks += !session.parent.empty();
}

void StatisticsSink::cut(Open& open, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) open.context_chars -= open.sizes[i].chars;
  const auto range = [&](auto& list) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(begin),
               list.begin() + static_cast<std::ptrdiff_t>(end));
  };
  range(open.sizes);
  if (counter_) range(open.texts);
}

void StatisticsSink::append(Open& open, Statistics& to, const Message& message, const Step& step,
                            bool replacement) {
  const Size size = size_of(message);
  const bool model = from_model(message);
  if (model && !open.model_before) {
    ++to.calls;
    to.cold_calls += open.kept == 0;
    to.prompt_chars += open.context_chars;
    to.new_chars += open.context_chars - std::min(open.kept, open.context_chars);
    to.growth_per_call.add(open.context_chars - std::min(open.call_context, open.context_chars));
    open.call_context = open.kept = open.context_chars;
  }
  if (!model && (open.model_before || !open.any)) {
    ++to.turns;
    if (step.time_ms && open.last_time && open.any)
      add_gap(to.gaps, *step.time_ms - *open.last_time);
  }
  open.model_before = model;
  open.any = true;
  if (!replacement) {
    ++to.messages;
    if (open.messages++ == 0) {
      to.first_chars.add(size.chars);
    } else {
      ++to.appends;
      to.empty_appends += size.chars == 0;
      to.append_chars.add(size.chars);
      to.append_bytes.add(size.bytes);
      if (counter_) to.append_tokens.add(counter_(joined_text(message)));
    }
    open.all_chars += size.chars;
  }
}

void StatisticsSink::step(const std::string& key, Step&& step) {
  Open& open = open_[key];
  Statistics& to = by_format_[open.format];
  to.recorded_calls += step.call;
  if (step.usage) {
    ++to.usages;
    to.usage_input += step.usage->input.value_or(0);
    to.usage_cached += step.usage->cached.value_or(0);
    to.usage_output += step.usage->output.value_or(0);
  }
  if (step.round) {
    add_round(to, open.round, *step.round);
    open.round = step.round;
  }
  const std::size_t length = open.sizes.size();
  const std::size_t keep = std::min<std::size_t>(step.keep, length);
  const std::uint64_t before = open.context_chars;
  std::size_t at = length;  // where the messages go
  const bool replacement = step.op == Op::replace || step.op == Op::snapshot;
  if (step.op == Op::rewind) {
    ++to.rewinds;
    to.rewound_messages += length - keep;
    cut(open, keep, length);
    to.rewound_chars += before - open.context_chars;
    at = keep;
    open.kept = std::min(open.kept, open.context_chars);
  } else if (replacement) {
    ++(step.op == Op::replace ? to.compactions : to.snapshots);
    cut(open, 0, step.op == Op::replace ? keep : length);
    if (step.op == Op::replace) to.compacted_chars += before - open.context_chars;
    at = 0;
    open.kept = 0;
  }
  for (const Message& message : step.messages) {
    append(open, to, message, step, replacement);
    const Size size = size_of(message);
    open.sizes.insert(open.sizes.begin() + static_cast<std::ptrdiff_t>(at), size);
    if (counter_)
      open.texts.insert(open.texts.begin() + static_cast<std::ptrdiff_t>(at), joined_text(message));
    open.context_chars += size.chars;
    ++at;
  }
  if (step.time_ms) open.last_time = step.time_ms;
}

void StatisticsSink::close(const std::string& key) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  Open& open = found->second;
  Statistics& to = by_format_[open.format];
  if (open.messages > 0) {
    to.context_chars.add(open.context_chars);
    to.all_chars.add(open.all_chars);
    to.appends_per_session.add(open.messages - 1);
  }
  if (counter_) {
    to.counted = true;
    std::string context;
    for (const std::string& text : open.texts) context += text;
    to.context_tokens.add(counter_(context));
  }
  open_.erase(found);
}

}  // namespace toktier::replay
