#include "apps/common/program.hpp"
#include "build_commit.hpp"
#include "build_facts.hpp"
#include "report/json_writer.hpp"

#include <CLI/Version.hpp>

namespace toktier::cli {
namespace {

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

}  // namespace

std::string version() { return TOKTIER_BUILD_VERSION; }
std::string commit() { return TOKTIER_BUILD_COMMIT; }

std::string version_text(const std::string& name, bool json) {
  const std::string_view sanitize = TOKTIER_BUILD_SANITIZE;
  if (json) {
    std::string text;
    report::JsonWriter writer(text);
    writer.begin_object()
        .field("schema", "toktier.version/1")
        .field("program", name)
        .field("version", version());
    writer.field("commit", commit())
        .field("compiler", compiler())
        .field("build", TOKTIER_BUILD_TYPE);
    writer.field("sanitizers", sanitize).field("references", TOKTIER_BUILD_REFERENCES);
    writer.field("cli11", CLI11_VERSION).end_object();
    return text + '\n';
  }
  std::string text =
      name + ' ' + version() + "\ncommit      " + commit() + "\ncompiler    " + compiler();
  text += std::string("\nbuild       ") + TOKTIER_BUILD_TYPE;
  if (!sanitize.empty()) text += " with " + std::string(sanitize);
  text += std::string("\nreferences  ") + TOKTIER_BUILD_REFERENCES + "\ncli11       " +
          CLI11_VERSION + '\n';
  return text;
}

}  // namespace toktier::cli
