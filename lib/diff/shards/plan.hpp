#pragma once
// A campaign cut into units of work that any number of shards can share.
//
// A unit is one model against one reference over a portion: slices of corpus files, or a range of a
// generator's cases. Which shard runs which unit is a function of the plan and the number of
// shards, so shards need not speak to each other; what a unit gives depends on the plan alone.
// Value types; free functions are pure but for files they name.

#include "io/document_readers.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace toktier::diff::shards {

struct PlanModel {
  std::string name;         // as given: a path or "embedded"
  std::string fingerprint;  // of the file that was planned for
};

/// What the answers of every unit depend on.
struct PlanSettings {
  std::uint64_t seed = 0;
  std::string engine, checks;
  std::string special = "default";
  bool add_special = false, truncate = false;
  std::uint64_t rounds = 1;
  std::uint64_t describe = 3, shrink_steps = 400;  // of each class in each unit
  std::string text_pointer, id_pointer;            // of JSON records
};

struct PlanFile {
  std::string path;
  std::uint64_t bytes = 0;  // on disk
  bool packed = false, archive = false;
  std::string form;          // of its records: text, lines, jsonl; of archives also auto
  std::uint64_t frames = 0;  // of zstd
};

/// Records of one file that stand together.
struct PlanSlice {
  std::uint64_t file = 0;                        // of the plan
  std::uint64_t frame = 0, skip = 0;             // see io::Slice
  std::uint64_t bytes = 0;                       // kToEnd: all that follow
  std::uint64_t first_line = 1, first_byte = 0;  // of the content
  std::uint64_t documents = 0, text_bytes = 0;   // read when the plan was made
  std::uint64_t digest = 0;                      // of their texts
  static constexpr std::uint64_t kToEnd = ~std::uint64_t{0} >> 1;
};

/// Documents that are reported together: an input as it was named, a generator, an alphabet.
struct PlanSource {
  enum class Kind { files, generator, exhaustive };
  Kind kind = Kind::files;
  std::string name;  // path, "random:100000", "exhaustive"
  std::string alphabet;
  std::uint64_t length = 0;
  std::map<std::string, std::uint64_t> left_out;  // entries of folders, by kind
};

struct PlanPortion {
  std::uint64_t source = 0;
  std::vector<PlanSlice> slices;     // of files
  std::uint64_t begin = 0, end = 0;  // cases of the others
  std::uint64_t weight = 0;  // bytes of text and kDocumentWeight for each document, or an estimate
};
inline constexpr std::uint64_t kDocumentWeight = 100;

struct PlanUnit {
  std::uint64_t model = 0, portion = 0;  // of the plan
  std::string reference;                 // row of the engine table, or "itself"
  bool ways = true;                      // with those checks that need no reference
};

struct Plan {
  std::string digest;  // sha256 of its text: the plan's name in all records
  PlanSettings settings;
  std::uint64_t shards = 1;  // unless the command line says otherwise
  std::vector<PlanModel> models;
  std::map<std::string, std::string> refused;  // files of --models-all that are no unit, and why
  std::vector<PlanFile> files;
  std::vector<PlanSource> sources;
  std::vector<PlanPortion> portions;
  std::vector<PlanUnit> units;  // a unit's number is its place

  std::uint64_t weight(std::uint64_t unit) const { return portions[units[unit].portion].weight; }
};

/// The file's text; sets plan.digest.
std::string plan_text(Plan& plan);
/// Error{input} for what is no plan.
Plan read_plan(const std::string& path);
/// `text` is what plan_text() gave; `where` is named in errors.
Plan parse_plan(const std::string& text, const std::string& where);

/// The units of shard `shard` of `shards`: heaviest first to whichever shard has least so far, so
/// that no shard has more than the lightest and one unit. In the order to run them in: by model and
/// reference, then by number.
std::vector<std::uint64_t> units_of_shard(const Plan& plan, std::uint64_t shard,
                                          std::uint64_t shards);

io::RecordOptions record_options(const PlanSettings& settings, const std::string& form);

}  // namespace toktier::diff::shards
