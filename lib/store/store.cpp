#include "toktier/store.hpp"

#include "encode/tokenizer_impl.hpp"
#include "session/state.hpp"
#include "store/backend.hpp"
#include "store/recheck.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace toktier {

using session::State;
using session::StateAccess;
using store::Miss;

struct SessionStore::Impl {
  explicit Impl(StoreOptions given) : options(std::move(given)) {
    if (!options.clock) {
      options.clock = [] {
        using namespace std::chrono;
        return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
      };
    }
    const store::Limits limits{options.budget_bytes, options.ttl.count()};
    backend = options.path.empty() ? store::memory_backend(limits)
                                   : store::sqlite_backend(options.path, limits);
  }

  void miss(Miss why) {
    switch (why) {
      case Miss::absent:
        ++counters.absent;
        break;
      case Miss::expired:
        ++counters.expired;
        break;
      case Miss::evicted:
        ++counters.evicted;
        break;
      case Miss::foreign:
        ++counters.foreign;
        break;
      case Miss::corrupt:
        ++counters.corrupt;
        break;
      case Miss::format:
        ++counters.format;
        break;
    }
  }

  StoreOptions options;
  mutable std::mutex mutex;
  std::unique_ptr<store::Backend> backend;
  StoreCounters counters;
  std::uint64_t rechecks = 0;  // so that each looks somewhere else
};

namespace {

// A damaged record need not be there; where it cannot be removed it misses again.
void drop_quietly(store::Backend& backend, std::string_view name) {
  try {
    backend.drop(name);
  } catch (const Error&) {
  }
}

void need_text(const SessionOptions& options) {
  if (!options.keep_text)
    throw Error(ErrorCode::usage, "a session that does not keep its text cannot be stored");
}

}  // namespace

SessionStore::SessionStore(StoreOptions options) : impl_(std::make_unique<Impl>(options)) {}
SessionStore::SessionStore(SessionStore&&) noexcept = default;
SessionStore& SessionStore::operator=(SessionStore&&) noexcept = default;
SessionStore::~SessionStore() = default;

bool SessionStore::put(std::string_view name, const Session& session) {
  need_text(StateAccess::options(session));
  const State state = StateAccess::state(session);
  const store::Maker maker =
      store::maker_of(StateAccess::info(session), StateAccess::options(session));
  const std::lock_guard lock(impl_->mutex);
  const bool kept = impl_->backend->put(name, maker, state, impl_->options.clock());
  ++impl_->counters.puts;
  return kept;
}

std::optional<Session> SessionStore::get(std::string_view name, const Tokenizer& tokenizer,
                                         const SessionOptions& options) {
  need_text(options);
  const store::Maker maker = store::maker_of(tokenizer.info(), options);
  const store::Asker asker{maker, *tokenizer.impl().pipeline};
  std::unique_lock lock(impl_->mutex);
  auto answer = impl_->backend->get(name, asker, impl_->options.clock());
  const bool durable = impl_->backend->durable();
  const std::uint64_t seed = ++impl_->rechecks;
  if (const auto* state = std::get_if<State>(&answer)) {
    lock.unlock();
    Session session = StateAccess::session(tokenizer, options, *state);
    const bool sound =
        !durable || store::recheck(session, *state, impl_->options.recheck_bytes, seed);
    lock.lock();
    if (sound) {
      ++impl_->counters.hits;
      return session;
    }
    drop_quietly(*impl_->backend, name);
    answer = Miss::corrupt;
  }
  impl_->miss(std::get<Miss>(answer));
  return std::nullopt;
}

std::optional<FoundSession> SessionStore::find(std::string_view text, const Tokenizer& tokenizer,
                                               const SessionOptions& options) {
  need_text(options);
  const store::Maker maker = store::maker_of(tokenizer.info(), options);
  const store::Asker asker{maker, *tokenizer.impl().pipeline};
  std::unique_lock lock(impl_->mutex);
  auto answer = impl_->backend->find(text, asker, impl_->options.clock());
  const bool durable = impl_->backend->durable();
  const std::uint64_t seed = ++impl_->rechecks;
  if (auto* found = std::get_if<store::Found>(&answer)) {
    lock.unlock();
    // Back to the border of a character of the record: the text asked for may end inside one.
    std::size_t keep = found->bytes;
    std::string around;
    const std::size_t from = keep - std::min<std::size_t>(keep, 3);
    found->state.append_text(from, keep + 1, around);
    while (keep > from && keep - from < around.size() &&
           (static_cast<unsigned char>(around[keep - from]) & 0xC0) == 0x80)
      --keep;
    // What is appended is the finder's own.
    found->state.label = 0;
    found->state.fresh = false;
    Session session = StateAccess::session(tokenizer, options, found->state);
    if (keep < session.bytes()) session.rewind(keep);
    found->state = StateAccess::state(session);
    const bool sound =
        !durable || store::recheck(session, found->state, impl_->options.recheck_bytes, seed);
    lock.lock();
    if (sound) {
      ++impl_->counters.hits;
      return FoundSession{std::move(session), keep, std::move(found->name)};
    }
    drop_quietly(*impl_->backend, found->name);
    answer = Miss::corrupt;
  }
  impl_->miss(std::get<Miss>(answer));
  return std::nullopt;
}

bool SessionStore::drop(std::string_view name) {
  const std::lock_guard lock(impl_->mutex);
  return impl_->backend->drop(name);
}

void SessionStore::trim() {
  const std::lock_guard lock(impl_->mutex);
  impl_->backend->trim(impl_->options.clock());
}

std::vector<StoredSession> SessionStore::list() {
  const std::lock_guard lock(impl_->mutex);
  return impl_->backend->list(impl_->options.clock());
}

StoreCounters SessionStore::counters() const {
  const std::lock_guard lock(impl_->mutex);
  StoreCounters counters = impl_->counters;
  impl_->backend->count(counters);
  return counters;
}

}  // namespace toktier
