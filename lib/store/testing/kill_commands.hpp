#pragma once
// What the driver of the kill test tells its worker: changes of sessions in slots, and what is
// stored of them. Each command is answered by one byte when it is done.

#include "store/packed.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unistd.h>

namespace toktier::store::testing {

struct Command {
  enum class Kind : std::uint8_t { edit = 1, fork, put, get, drop } kind{};
  std::uint64_t slot = 0;
  std::uint64_t other = 0;  // fork: the slot it goes to
  std::string name;         // put, get, drop
  std::uint64_t begin = 0, end = 0;
  std::string text;  // edit
};

inline std::string packed(const Command& command) {
  PackedWriter out;
  out.number(static_cast<std::uint64_t>(command.kind), 1);
  for (const std::uint64_t value : {command.slot, command.other, command.begin, command.end})
    out.number(value, 8);
  out.text(command.name);
  out.text(command.text);
  PackedWriter whole;
  whole.text(out.out());
  return whole.take();
}

inline bool read_all_of(int from, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(from, data, size);
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

/// Nothing at the end.
inline std::optional<Command> next_command(int from) {
  std::string bytes(8, '\0');
  if (!read_all_of(from, bytes.data(), bytes.size())) return std::nullopt;
  const std::uint64_t size = PackedReader(bytes).number(8);
  bytes.assign(size, '\0');
  if (!read_all_of(from, bytes.data(), bytes.size())) return std::nullopt;
  PackedReader in(bytes);
  Command command;
  command.kind = static_cast<Command::Kind>(in.number(1));
  command.slot = in.number(8);
  command.other = in.number(8);
  command.begin = in.number(8);
  command.end = in.number(8);
  command.name = in.bytes(in.number(8));
  command.text = in.bytes(in.number(8));
  return command;
}

}  // namespace toktier::store::testing
