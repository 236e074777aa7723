#include "replay/transcript.hpp"

#include "unicode/utf8.hpp"

#include <array>

namespace toktier::replay {
namespace {

template <class Enum, std::size_t N>
std::optional<Enum> find_name(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  return std::nullopt;
}

constexpr std::array<std::string_view, 4> kRoles = {"system", "user", "assistant", "tool"};
constexpr std::array<std::string_view, 7> kPartKinds = {
    "text", "thinking", "tool_call", "tool_result", "image", "tools", "other"};
constexpr std::array<std::string_view, 5> kOps = {"append", "replace", "rewind", "snapshot",
                                                  "round"};

}  // namespace

std::string_view name_of(Role role) { return kRoles[static_cast<std::size_t>(role)]; }
std::string_view name_of(PartKind kind) { return kPartKinds[static_cast<std::size_t>(kind)]; }
std::string_view name_of(Op op) { return kOps[static_cast<std::size_t>(op)]; }
std::optional<Role> role_named(std::string_view name) { return find_name<Role>(kRoles, name); }
std::optional<PartKind> part_kind_named(std::string_view name) {
  return find_name<PartKind>(kPartKinds, name);
}
std::optional<Op> op_named(std::string_view name) { return find_name<Op>(kOps, name); }

Size size_of(const Message& message) {
  Size size;
  const auto add = [&size](std::string_view text) {
    size.bytes += text.size();
    size.chars += unicode::count_code_points(text);
  };
  for (const Part& part : message.parts) {
    if (part.kind == PartKind::tools) continue;
    if (part.kind == PartKind::tool_call) add(part.name);
    add(part.text);
  }
  return size;
}

}  // namespace toktier::replay
