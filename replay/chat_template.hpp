#pragma once
// Chat templates as data: what stands around messages and parts in a prompt.
//
// A template is a JSON object (toktier.template/1), built in or a file of the user's:
//   name, what          for lists
//   begin               once, before everything
//   roles.ROLE.open     before a message of system, user, assistant, tool; close: after it
//   roles.ROLE.join     when present, messages of the role that follow each other share one open
//   and
//                       close, with this between them
//   parts.KIND          a part: text, thinking, tool_call, tool_result, tools, image, other; with
//                       {text}, {name} and {id} in it. Absent: the part is left out
//   roles.ROLE.parts    the same for this role alone
//   generation          what a prompt ends with when the model is to go on; absent: the assistant's
//                       open
// Texts of messages go in as they are, also where they spell a control token.

#include "replay/transcript.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::replay {

inline constexpr std::size_t kRoles = 4;
inline constexpr std::size_t kPartKinds = 7;

struct ChatTemplate {
  struct Rules {
    std::string open, close;
    std::optional<std::string> join;
    std::array<std::optional<std::string>, kPartKinds> parts;  // those of all roles, or its own
  };
  std::string name, what, begin, generation;
  std::array<Rules, kRoles> roles;

  const Rules& of(Role role) const { return roles[static_cast<std::size_t>(role)]; }
};

/// Error{input} naming field and value of what is wrong.
ChatTemplate parse_template(std::string_view json, const std::string& shown_path);
/// A built-in name or a file. Error{usage} for a name that is neither.
ChatTemplate find_template(const std::string& name_or_path);
/// The built-in ones, in the order of the table.
std::vector<ChatTemplate> built_in_templates();

/// Renders messages one after the other. The text of a context is the concatenation of what add()
/// returned; its last block is still open, so that it only ever grows. Copy it to go on from an
/// earlier place. Not thread-safe; the template must outlive it.
class Renderer {
 public:
  explicit Renderer(const ChatTemplate& chat_template) : template_(&chat_template) {}

  /// What the message appends. `thinking` false leaves the model's reasoning out.
  std::string add(const Message& message, bool thinking = true);
  /// What closes the last block and asks the model to go on: not part of the state. Empty when the
  /// block of the model is open already.
  std::string generation() const;
  /// What closes the last block.
  std::string close() const;

 private:
  const ChatTemplate* template_;
  bool begun_ = false;
  std::optional<Role> open_;
};

}  // namespace toktier::replay
