#include "apps/common/config.hpp"

#include "report/nearest_name.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace toktier::cli {
namespace {

/// How a file names an option; empty for those that have no place in one.
std::string key_of(const CLI::Option& option) {
  if (!option.get_configurable()) return {};
  if (!option.get_lnames().empty()) return option.get_lnames().front();
  return option.get_positional() ? option.get_name(true) : std::string();
}

std::vector<std::string> keys_of(const CLI::App& part) {
  std::vector<std::string> keys;
  for (const CLI::Option* option : part.get_options()) {
    std::string key = key_of(*option);
    if (!key.empty()) keys.push_back(std::move(key));
  }
  return keys;
}

const CLI::Option* find_option(const CLI::App& part, const std::string& key) {
  for (const CLI::Option* option : part.get_options())
    if (key_of(*option) == key) return option;
  return nullptr;
}

bool in_environment(const CLI::Option& option) {
  const char* value =
      option.get_envname().empty() ? nullptr : std::getenv(option.get_envname().c_str());
  return value != nullptr && *value != '\0';
}

std::string in_quotes(const std::string& value) {
  const char quote = value.find('"') == std::string::npos ? '"' : '\'';
  return fmt::format("{}{}{}", quote, value, quote);
}

}  // namespace

/// CLI11 lets a file override the environment, and takes no notice of names that it does not know.
/// It asks for the items of a file once the command line is parsed and before the environment is.
class ConfigFile::Reader final : public CLI::ConfigTOML {
 public:
  Reader(const CLI::App& app, std::shared_ptr<std::set<const CLI::Option*>> taken)
      : app_(app), taken_(std::move(taken)) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& in) const override {
    std::vector<CLI::ConfigItem> read = CLI::ConfigTOML::from_config(in);
    std::erase_if(read, [this](const CLI::ConfigItem& item) { return !wanted(item); });
    return read;
  }

  bool gave(const CLI::Option& option) const { return taken_->count(&option) > 0; }

 private:
  /// False for what something stronger has set, and for the section of a command not in use.
  bool wanted(const CLI::ConfigItem& item) const {
    if (item.name == "++" || item.name == "--") return false;  // borders of sections
    const CLI::App* part = &app_;
    for (const std::string& section : item.parents) {
      const std::vector<const CLI::App*> all = part->get_subcommands({});
      const auto found = std::find_if(
          all.begin(), all.end(), [&](const CLI::App* one) { return one->get_name() == section; });
      if (found == all.end()) {
        throw Error(ErrorCode::usage, fmt::format("[{}] is no command", section), path());
      }
      part = *found;
    }
    const CLI::Option* option = find_option(*part, item.name);
    if (option == nullptr) {
      const std::string near = report::nearest_name(item.name, keys_of(*part));
      throw Error(ErrorCode::usage,
                  fmt::format("{} is no option{}", item.fullname(),
                              near.empty() ? "" : fmt::format("; did you mean '{}'?", near)),
                  path());
    }
    if (part != &app_ && part->count() == 0) return false;
    if (option->count() > 0 || in_environment(*option)) return false;
    taken_->insert(option);
    return true;
  }

  std::string path() const { return app_.get_config_ptr()->results().front(); }

  const CLI::App& app_;
  std::shared_ptr<std::set<const CLI::Option*>> taken_;
};

ConfigFile::ConfigFile(CLI::App& app)
    : app_(app), from_file_(std::make_shared<std::set<const CLI::Option*>>()) {
  app.set_config("--config", "", "Read options from this file: NAME = VALUE, [COMMAND] sections")
      ->group("Common options");
  app.config_formatter(std::make_shared<Reader>(app, from_file_));
  app.add_flag("--print-config", print_, "Print all options, their values and where each came from")
      ->group("Common options")
      ->configurable(false);
}

ConfigFile::~ConfigFile() = default;

bool from_config_file(const CLI::App& app, const CLI::Option& option) {
  const auto reader = std::dynamic_pointer_cast<ConfigFile::Reader>(app.get_config_formatter());
  return reader != nullptr && reader->gave(option);
}

std::string ConfigFile::source(const CLI::Option& option) const {
  if (option.count() == 0) return "default";
  if (from_file_->count(&option) > 0) return app_.get_config_ptr()->results().front();
  if (in_environment(option) && option.results().size() == 1 &&
      option.results().front() == std::getenv(option.get_envname().c_str())) {
    return option.get_envname();
  }
  return "command line";
}

void ConfigFile::append_options(const CLI::App& part, std::string& out) const {
  for (const CLI::Option* option : part.get_options()) {
    const std::string key = key_of(*option);
    if (key.empty()) continue;
    std::vector<std::string> values = option->results();
    const bool given = option->count() > 0;
    if (!given && !option->get_default_str().empty()) values = {option->get_default_str()};
    std::string value;
    if (option->get_expected_min() == 0) {  // a flag
      value = given ? values.size() > 1 ? std::to_string(values.size()) : values.front() : "false";
    } else if (values.size() == 1) {
      value = in_quotes(values.front());
    } else {
      std::transform(values.begin(), values.end(), values.begin(), in_quotes);
      value = fmt::format("[{}]", fmt::join(values, ", "));
    }
    if (!given && values.empty() && option->get_expected_min() != 0) value.clear();
    const std::string line = fmt::format("{}{} = {}", given ? "" : "# ", key, value);
    out += fmt::format("{:<40}  # {}\n", line, source(*option));
  }
}

std::string ConfigFile::text() const {
  std::string out;
  append_options(app_, out);
  for (const CLI::App* part : app_.get_subcommands()) {
    out += fmt::format("\n[{}]\n", part->get_name());
    append_options(*part, out);
  }
  return out;
}

}  // namespace toktier::cli
