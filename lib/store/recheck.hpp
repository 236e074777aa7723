#pragma once
// A stretch of a session encoded again, against records whose checksum is right and whose ids are
// not.

#include "session/state.hpp"
#include "toktier/session.hpp"

#include <cstddef>
#include <cstdint>

namespace toktier::store {

/// False: the ids of a stretch of about `bytes` bytes of plain text, chosen by `seed`, are not what
/// the tokenizer gives. True also where nothing was looked at: no bytes wanted, no plain text, or a
/// tokenizer that cannot begin in the middle.
bool recheck(const Session& session, const session::State& state, std::size_t bytes,
             std::uint64_t seed);

}  // namespace toktier::store
