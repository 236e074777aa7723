#include "replay/chat_template.hpp"

#include "io/read_all.hpp"
#include "replay/json.hpp"
#include "replay/template_table.hpp"
#include "report/nearest_name.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

namespace toktier::replay {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& field,
                         const std::string& message) {
  throw Error(ErrorCode::input, message, field.empty() ? path : path + ": " + field);
}

/// The members of an object, none of which may be unknown.
class Members {
 public:
  Members(Json value, const std::string& path, std::string field,
          std::initializer_list<std::string_view> known)
      : path_(path), field_(std::move(field)) {
    if (value.get(object_) != simdjson::SUCCESS) refuse(path, field_, "an object expected");
    for (const auto [name, member] : object_) {
      bool found = false;
      for (const std::string_view other : known) found = found || other == name;
      if (!found) refuse(path, place(name), "no field of a template");
    }
  }

  std::optional<Json> find(std::string_view name) const {
    Json out;
    if (object_.at_key(name).get(out) != simdjson::SUCCESS) return std::nullopt;
    return out;
  }
  std::optional<std::string> text(std::string_view name) const {
    const auto found = find(name);
    if (!found) return std::nullopt;
    std::string_view out;
    if (found->get(out) != simdjson::SUCCESS)
      refuse(path_, place(name), fmt::format("{} found, a string expected", shown(*found)));
    return std::string(out);
  }
  std::string place(std::string_view name) const {
    return field_.empty() ? std::string(name) : fmt::format("{}.{}", field_, name);
  }

 private:
  const std::string& path_;
  std::string field_;
  simdjson::dom::object object_;
};

using Parts = std::array<std::optional<std::string>, kPartKinds>;

void read_parts(Json value, const std::string& path, const std::string& field, Parts& parts) {
  const Members members(
      value, path, field,
      {"text", "thinking", "tool_call", "tool_result", "image", "tools", "other"});
  for (std::size_t kind = 0; kind < kPartKinds; ++kind) {
    if (auto text = members.text(name_of(static_cast<PartKind>(kind)))) parts[kind] = *text;
  }
}

/// Puts the part's fields for {text}, {name}, {id}; what they hold is not looked at again.
void append_part(std::string& out, std::string_view form, const Part& part) {
  for (std::size_t at = 0; at < form.size();) {
    const std::size_t brace = std::min(form.find('{', at), form.size());
    out.append(form.substr(at, brace - at));
    const std::string_view rest = form.substr(brace);
    at = brace;
    if (rest.starts_with("{text}")) {
      out += part.text;
      at += 6;
    } else if (rest.starts_with("{name}")) {
      out += part.name;
      at += 6;
    } else if (rest.starts_with("{id}")) {
      out += part.id;
      at += 4;
    } else if (!rest.empty()) {
      out += '{';
      ++at;
    }
  }
}

}  // namespace

ChatTemplate parse_template(std::string_view json, const std::string& shown_path) {
  JsonParser parser;
  Json value;
  if (!parser.parse_copy(json, value)) refuse(shown_path, "", "not valid JSON: " + parser.error());
  const Members top(value, shown_path, "",
                    {"schema", "name", "what", "begin", "roles", "parts", "generation"});
  if (top.text("schema") != "toktier.template/1")
    refuse(shown_path, "schema", "toktier.template/1 expected");
  ChatTemplate out;
  out.name = top.text("name").value_or("");
  out.what = top.text("what").value_or("");
  out.begin = top.text("begin").value_or("");
  if (out.name.empty()) refuse(shown_path, "name", "required field is missing");
  Parts parts;
  if (const auto found = top.find("parts")) read_parts(*found, shown_path, "parts", parts);
  for (ChatTemplate::Rules& rules : out.roles) rules.parts = parts;
  if (const auto found = top.find("roles")) {
    const Members roles(*found, shown_path, "roles", {"system", "user", "assistant", "tool"});
    for (std::size_t i = 0; i < kRoles; ++i) {
      const std::string_view name = name_of(static_cast<Role>(i));
      const auto role = roles.find(name);
      if (!role) continue;
      const Members members(*role, shown_path, roles.place(name),
                            {"open", "close", "join", "parts"});
      out.roles[i].open = members.text("open").value_or("");
      out.roles[i].close = members.text("close").value_or("");
      out.roles[i].join = members.text("join");
      if (const auto own = members.find("parts"))
        read_parts(*own, shown_path, members.place("parts"), out.roles[i].parts);
    }
  }
  out.generation = top.text("generation").value_or(out.of(Role::assistant).open);
  return out;
}

std::vector<ChatTemplate> built_in_templates() {
  std::vector<ChatTemplate> all;
  for (const std::string_view json : template_table())
    all.push_back(parse_template(json, "built-in template"));
  return all;
}

ChatTemplate find_template(const std::string& name_or_path) {
  std::vector<std::string> names;
  for (ChatTemplate& built_in : built_in_templates()) {
    if (built_in.name == name_or_path) return std::move(built_in);
    names.push_back(built_in.name);
  }
  struct ::stat status {};
  if (::stat(name_or_path.c_str(), &status) != 0)
    throw Error(ErrorCode::usage, report::unknown_name("template or file", name_or_path, names));
  return parse_template(io::read_all(name_or_path), name_or_path);
}

std::string Renderer::add(const Message& message, bool thinking) {
  std::string out;
  if (!begun_) out = template_->begin;
  begun_ = true;
  const ChatTemplate::Rules& rules = template_->of(message.role);
  if (open_ == message.role && rules.join) {
    out += *rules.join;
  } else {
    if (open_) out += template_->of(*open_).close;
    out += rules.open;
  }
  open_ = message.role;
  for (const Part& part : message.parts) {
    if (part.kind == PartKind::thinking && !thinking) continue;
    const auto& form = rules.parts[static_cast<std::size_t>(part.kind)];
    if (form) append_part(out, *form, part);
  }
  return out;
}

std::string Renderer::close() const { return open_ ? template_->of(*open_).close : std::string(); }

std::string Renderer::generation() const {
  if (open_ == Role::assistant && template_->of(Role::assistant).join) return {};
  return (begun_ ? close() : template_->begin) + template_->generation;
}

}  // namespace toktier::replay
