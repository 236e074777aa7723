#include "replay/workload_maker.hpp"

#include "replay/seeded.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace toktier::replay {
namespace {

bool inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t at = 0;
  constexpr std::size_t kBlock = 256;
  while (at + kBlock <= most && a.compare(at, kBlock, b, at, kBlock) == 0) at += kBlock;
  while (at < most && a[at] == b[at]) ++at;
  while (at > 0 && (inside_character(a, at) || inside_character(b, at))) --at;
  return at;
}

/// At most `most` bytes.
std::size_t common_suffix(std::string_view a, std::string_view b, std::size_t most) {
  std::size_t count = 0;
  while (count < most && a[a.size() - 1 - count] == b[b.size() - 1 - count]) ++count;
  while (count > 0 && inside_character(a, a.size() - count)) --count;
  return count;
}

}  // namespace

struct WorkloadMaker::State {
  struct Place {
    std::size_t begin = 0;  // of the message's text
    Renderer before;
  };
  explicit State(const ChatTemplate& chat_template) : renderer(chat_template) {}

  std::string key;
  std::vector<MessagePtr> history;
  std::unique_ptr<Mutation> mutation;
  std::string text;  // what the other side has
  std::string base;  // with a policy: the text without what asks the model to go on
  Renderer renderer;
  std::vector<Place> places;  // of the history's messages; recorded only
  std::size_t seen = 0;       // messages of the history that earlier prompts could hold
  bool opened = false, model_before = false;
  std::uint64_t turn = 0, forks = 0;
  std::optional<std::int64_t> time_ms;
  std::size_t call_at = 0;  // bytes of the text on which the model was called last
};

WorkloadMaker::WorkloadMaker(WorkSink& out, const ChatTemplate& chat_template,
                             const WorkloadOptions& options)
    : out_(out),
      template_(chat_template),
      options_(options),
      row_(find_mutation(options.mutation)) {}

WorkloadMaker::~WorkloadMaker() = default;

const std::string* WorkloadMaker::text_of(const std::string& key) const {
  const auto found = open_.find(key);
  return found == open_.end() ? nullptr : &found->second->text;
}

std::uint64_t WorkloadMaker::random_of(const State& state) const {
  std::uint64_t seed = options_.seed ^ seed_of(state.key) ^ (state.turn * 0x9E3779B97F4A7C15ULL);
  return next_random(seed);
}

void WorkloadMaker::emit(State& state, WorkStep&& step) {
  if (step.session.empty()) step.session = state.key;
  step.turn = std::max<std::uint64_t>(state.turn, 1);
  step.time_ms = state.time_ms;
  out_.step(step);
}

void WorkloadMaker::become(State& state, const std::string& text, bool prompt) {
  WorkStep step;
  step.prompt = prompt;
  step.bytes = text.size();
  if (!state.opened) {
    step.op = WorkOp::open;
    step.text = text;
    state.opened = true;
  } else {
    const std::size_t prefix = common_prefix(state.text, text);
    if (prefix == state.text.size()) {
      if (text.size() == prefix && !prompt) return;
      step.op = WorkOp::append;
      step.text = text.substr(prefix);
    } else {
      const std::size_t most = std::min(state.text.size(), text.size()) - prefix;
      const std::size_t suffix = common_suffix(state.text, text, most);
      step.op = prefix + suffix == 0 ? WorkOp::replace : WorkOp::edit;
      step.begin = step.op == WorkOp::edit ? prefix : 0;
      step.end = step.op == WorkOp::edit ? state.text.size() - suffix : 0;
      step.text = text.substr(prefix, text.size() - prefix - suffix);
    }
  }
  state.text = text;
  emit(state, std::move(step));
}

void WorkloadMaker::open(const Session& session) {
  auto state = std::make_unique<State>(template_);
  state->key = session.key;
  if (row_.make != nullptr) state->mutation = row_.make(options_.limits);
  open_[session.key] = std::move(state);
}

/// Grows the text in place: cost follows the message.
void WorkloadMaker::add_recorded(State& state, const Message& message, bool call) {
  const auto grow = [&](std::string_view piece, bool prompt) {
    WorkStep step;
    step.op = state.opened ? WorkOp::append : WorkOp::open;
    step.text = piece;
    state.opened = true;
    state.text += piece;
    step.bytes = state.text.size();
    step.prompt = prompt;
    emit(state, std::move(step));
  };
  state.places.push_back({state.text.size(), state.renderer});
  const std::string ask = call ? state.renderer.generation() : std::string();
  const std::string piece = state.renderer.add(message);
  if (call) {
    grow(ask, true);
    state.call_at = state.text.size();
  }
  if (piece.starts_with(ask)) {
    grow(std::string_view(piece).substr(ask.size()), false);
  } else {
    become(state, state.text.substr(0, state.text.size() - ask.size()) + piece, false);
    state.call_at = 0;  // the text on which the model was called is gone
  }
}

void WorkloadMaker::call_on_prompt(State& state) {
  const std::vector<MessagePtr> messages =
      state.mutation->prompt({state.history, state.turn, random_of(state)});
  // What is new at the end comes in a step of its own, behind the change of what was there: one
  // edit over both would take all that lies between for changed.
  std::size_t old = messages.size();
  for (std::size_t at = state.history.size();
       old > 0 && at > state.seen && messages[old - 1] == state.history[at - 1]; --at)
    --old;
  state.seen = state.history.size();
  state.renderer = Renderer(template_);
  state.base.clear();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (i == old && state.opened) become(state, state.base, false);
    state.base += state.renderer.add(*messages[i]);
  }
  become(state, state.base + state.renderer.generation(), true);
}

/// A branching policy acts when the answer is whole.
void WorkloadMaker::end_of_answer(State& state) {
  if (!row_.branches || !state.model_before || state.call_at == 0) return;
  const std::uint64_t random = random_of(state);
  const std::string answer = state.text.substr(state.call_at);
  WorkStep step;
  step.begin = state.call_at;
  if (random % 4 == 0) {
    step.op = WorkOp::rewind;
    step.bytes = state.call_at;
    step.prompt = true;
    emit(state, std::move(step));
    WorkStep again;
    again.text = answer;
    again.bytes = state.text.size();
    emit(state, std::move(again));
  } else if (random % 4 == 1) {
    step.op = WorkOp::fork;
    step.session = fmt::format("{}/fork{}", state.key, ++state.forks);
    step.from = state.key;
    step.text = "Another way: ";
    step.bytes = state.call_at + step.text.size();
    const std::string child = step.session;
    const std::uint64_t bytes = step.bytes;
    emit(state, std::move(step));
    WorkStep more;
    more.session = child;
    more.text = answer;
    more.bytes = bytes + answer.size();
    emit(state, std::move(more));
    WorkStep end;
    end.session = child;
    end.op = WorkOp::close;
    emit(state, std::move(end));
  }
}

void WorkloadMaker::add(State& state, Message message) {
  const bool model = from_model(message);
  const bool call = model && !state.model_before && !state.history.empty();
  if (!model && state.model_before) end_of_answer(state);
  if (call) {
    ++state.turn;
    if (state.mutation) call_on_prompt(state);
  }
  state.model_before = model;
  state.history.push_back(std::make_shared<const Message>(std::move(message)));
  if (!state.mutation) {
    add_recorded(state, *state.history.back(), call);
  } else if (model && state.opened) {
    state.base += state.renderer.add(*state.history.back());
    become(state, state.base, false);
    state.seen = state.history.size();
  }
}

void WorkloadMaker::cut(State& state, std::uint64_t keep) {
  keep = std::min<std::uint64_t>(keep, state.history.size());
  if (state.mutation) {
    state.mutation->forget(keep);
  } else if (keep < state.history.size()) {
    const State::Place place = state.places[keep];
    state.places.erase(state.places.begin() + static_cast<std::ptrdiff_t>(keep),
                       state.places.end());
    state.renderer = place.before;
    state.text.resize(place.begin);
    WorkStep step;
    step.op = WorkOp::rewind;
    step.begin = step.bytes = place.begin;
    emit(state, std::move(step));
    state.call_at = 0;
  }
  state.history.resize(keep);
  state.seen = std::min(state.seen, state.history.size());
  state.model_before = !state.history.empty() && from_model(*state.history.back());
}

void WorkloadMaker::set_context(State& state, std::vector<Message> messages) {
  state.history.clear();
  for (Message& message : messages)
    state.history.push_back(std::make_shared<const Message>(std::move(message)));
  state.model_before = !state.history.empty() && from_model(*state.history.back());
  state.call_at = 0;
  state.seen = state.history.size();  // all of it replaces what was there, in one edit
  if (state.mutation) {
    state.mutation->forget(0);
    return;
  }
  state.renderer = Renderer(template_);
  state.places.clear();
  std::string text;
  for (const MessagePtr& message : state.history) {
    state.places.push_back({text.size(), state.renderer});
    text += state.renderer.add(*message);
  }
  WorkStep step;
  step.op = state.opened ? WorkOp::replace : WorkOp::open;
  step.text = text;
  step.bytes = text.size();
  state.opened = true;
  state.text = std::move(text);
  emit(state, std::move(step));
}

void WorkloadMaker::step(const std::string& key, Step&& step) {
  State& state = *open_.at(key);
  if (step.time_ms) state.time_ms = step.time_ms;
  switch (step.op) {
    case Op::round:
      ++rounds_;
      return;
    case Op::rewind:
      cut(state, step.keep);
      break;
    case Op::replace:
    case Op::snapshot: {
      std::vector<Message> context = std::move(step.messages);
      if (step.op == Op::replace) {
        for (std::size_t i = step.keep; i < state.history.size(); ++i)
          context.push_back(*state.history[i]);
      }
      set_context(state, std::move(context));
      return;
    }
    case Op::append:
      break;
  }
  for (Message& message : step.messages) add(state, std::move(message));
}

void WorkloadMaker::close(const std::string& key) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  State& state = *found->second;
  if (state.model_before) end_of_answer(state);
  if (state.mutation && !state.model_before && !state.history.empty()) {
    // What came in after the last answer.
    ++state.turn;
    call_on_prompt(state);
  }
  if (state.opened) {
    WorkStep step;
    step.op = WorkOp::close;
    emit(state, std::move(step));
  }
  open_.erase(found);
}

}  // namespace toktier::replay
