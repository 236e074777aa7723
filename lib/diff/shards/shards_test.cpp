#include "diff/digest.hpp"
#include "diff/shards/corpus_plan.hpp"
#include "diff/shards/line_log.hpp"
#include "diff/shards/merge.hpp"
#include "diff/shards/plan.hpp"
#include "diff/shards/shard_folder.hpp"
#include "diff/shards/slice_source.hpp"
#include "diff/shards/unit_result.hpp"
#include "diff/sources/file_source.hpp"
#include "io/read_all.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

using namespace toktier;                // NOLINT(google-build-using-namespace)
using namespace toktier::diff;          // NOLINT(google-build-using-namespace)
using namespace toktier::diff::shards;  // NOLINT(google-build-using-namespace)

namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "toktier-shards-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, std::string_view content) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path(name);
  }

 private:
  fs::path path_;
};

std::string pack(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

/// Frames of `sizes` bytes each, in turn, whatever stands there.
std::string pack_in_frames(std::string_view bytes, std::mt19937& random) {
  std::string out;
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(bytes.size(), 1 + random() % 400);
    out += pack(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return out;
}

std::string lines(std::size_t count, std::mt19937& random, bool json) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string words(random() % 90, "abc d"[random() % 5]);
    text += json ? "{\"text\":\"" + words + "\"}" : words;
    if (random() % 7 == 0) text += '\r';
    text += random() % 9 == 0 && json ? "\n\n" : "\n";
  }
  return text;
}

struct Read {
  std::vector<std::string> documents;  // id, line, place and text
  std::uint64_t failed = 0;
};

void read(DocumentSource& source, Read& to) {
  for (Document document; source.next(document);)
    to.documents.push_back(document.id + '|' + std::to_string(document.line) + '|' +
                           std::to_string(document.record_begin) + '|' +
                           std::to_string(document.text_begin) + '|' + document.text);
  to.failed += source.failed();
}

Plan sample_plan(std::size_t units, std::uint64_t weight_step) {
  Plan plan;
  plan.settings.engine = "cpu";
  plan.settings.checks = "ids";
  plan.settings.text_pointer = "/text";
  plan.models = {{"m", "f"}};
  plan.sources.push_back({PlanSource::Kind::generator, "random:10", "", 0, {}});
  for (std::size_t i = 0; i < units; ++i) {
    PlanPortion portion;
    portion.begin = i;
    portion.end = i + 1;
    portion.weight = 1 + weight_step * (i % 5);
    plan.portions.push_back(portion);
    plan.units.push_back({0, i, "naive", true});
  }
  (void)plan_text(plan);
  return plan;
}

UnitResult sample_result(const Plan& plan, std::uint64_t unit) {
  UnitResult result;
  result.unit = unit;
  result.plan = plan.digest;
  result.status = "compared";
  result.engine.row = "cpu";
  result.reference.row = "naive";
  result.verdict.documents = 10 + unit;
  result.verdict.checked["ids"] = 10 + unit;
  result.verdict.ids_seen.resize(16);
  result.verdict.ids_seen[unit % 16] = true;
  result.verdict.answer_digest = unit * 77;
  result.verdict.wall_seconds = 0.5;
  return result;
}

/// A run of `count` shards, all units done, but those that `leave_out` names.
void write_run(const Folder& folder, const std::string& run, Plan plan, std::uint64_t count,
               const std::set<std::uint64_t>& leave_out = {}) {
  const std::string text = plan_text(plan);
  for (std::uint64_t shard = 0; shard < count; ++shard) {
    const std::string at = run + "/shards/" + shard_name(shard, count);
    folder.write(at + "/plan.json", text);
    LineLog log(folder.path(at + "/units.jsonl"));
    for (const std::uint64_t unit : units_of_shard(plan, shard, count))
      if (leave_out.count(unit) == 0) log.append(unit_line(sample_result(plan, unit)));
  }
}

}  // namespace

TEST_CASE("slices of any file give its documents, each once, in order") {
  std::mt19937 random(9);
  const Folder folder;
  std::string jsonl = lines(300, random, true);
  jsonl.insert(jsonl.find('\n', 4000) + 1, "{\"no\":1}\n");
  const std::string plain = lines(300, random, false);
  struct Case {
    std::string file, form;
  };
  std::string unended = jsonl;
  while (unended.ends_with('\n') || unended.ends_with('\r')) unended.pop_back();
  const std::vector<Case> cases = {
      {folder.write("a.jsonl", jsonl), "auto"},
      {folder.write("b.jsonl.zst", pack(jsonl)), "auto"},
      {folder.write("c.jsonl.zst", pack_in_frames(jsonl, random)), "auto"},
      {folder.write("d.zst", pack_in_frames(unended, random)), "jsonl"},
      {folder.write("e.txt", plain), "lines"},
      {folder.write("f.txt.zst", pack_in_frames(plain, random)), "lines"},
      {folder.write("g.txt", plain), "text"},
      {folder.write("h", ""), "auto"},
      {folder.write("i", pack("")), "lines"},
      {folder.write("cut.zst", pack_in_frames(jsonl, random).substr(0, 3000)), "jsonl"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.file);
    for (const std::uint64_t weight : {1U, 500U, 4000U, 1000000U}) {
      CAPTURE(weight);
      Plan plan;
      plan.settings.text_pointer = "/text";
      plan.settings.id_pointer = "/id";
      add_corpus(plan, one.file, one.form, weight, {});
      Read whole, parts;
      read(*sources::from_files({one.file}, record_options(plan.settings, one.form)), whole);
      for (const PlanPortion& portion : plan.portions) read(*open_slices(plan, portion), parts);
      CHECK(parts.documents == whole.documents);
      CHECK(parts.failed == whole.failed);
      if (weight == 1 && whole.documents.size() > 5 && one.form != "text")
        CHECK(plan.portions.size() >= whole.documents.size() - 1);
      // What is written is what is read.
      const std::string text = plan_text(plan);
      Plan again = parse_plan(text, "plan");
      CHECK(plan_text(again) == text);
      CHECK(again.digest == plan.digest);
    }
  }
}

TEST_CASE("a slice begins at the last frame before it") {
  std::mt19937 random(10);
  const Folder folder;
  const std::string text = lines(500, random, false);
  Plan plan;
  add_corpus(plan, folder.write("f.zst", pack_in_frames(text, random)), "lines", 2000, {});
  REQUIRE(plan.portions.size() > 5);
  CHECK(plan.files[0].frames > 20);
  for (std::size_t i = 1; i < plan.portions.size(); ++i) {
    CHECK(plan.portions[i].slices[0].frame > 0);
    CHECK(plan.portions[i].slices[0].skip <= 400);
  }
}

TEST_CASE("a file that changed is noticed by the unit that reads it") {
  std::mt19937 random(11);
  const Folder folder;
  std::string text = lines(100, random, false);
  const std::string path = folder.write("f", text);
  Plan plan;
  add_corpus(plan, path, "lines", 1000, {});
  const std::size_t at = text.size() / 2;
  for (const std::string& changed :
       {text.substr(0, at) + "X" + text.substr(at + 1), text.substr(0, at), text + "more\n"}) {
    folder.write("f", changed);
    std::size_t noticed = 0;
    for (const PlanPortion& portion : plan.portions) {
      Read read_to;
      try {
        read(*open_slices(plan, portion), read_to);
      } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::input);
        ++noticed;
      }
    }
    CHECK(noticed >= 1);
  }
}

TEST_CASE("shards share all units, each goes to one, and none has much more than another") {
  const Plan plan = sample_plan(103, 40);
  for (const std::uint64_t count : {1U, 2U, 3U, 7U, 64U, 103U, 200U}) {
    CAPTURE(count);
    std::multiset<std::uint64_t> all;
    std::uint64_t least = ~std::uint64_t{0}, most = 0;
    for (std::uint64_t shard = 0; shard < count; ++shard) {
      const auto units = units_of_shard(plan, shard, count);
      CHECK(units == units_of_shard(plan, shard, count));
      std::uint64_t weight = 0;
      for (const std::uint64_t unit : units) weight += plan.weight(unit) + 1;
      least = std::min(least, weight);
      most = std::max(most, weight);
      all.insert(units.begin(), units.end());
    }
    CHECK(all.size() == 103);
    CHECK(std::set<std::uint64_t>(all.begin(), all.end()).size() == 103);
    CHECK(most - least <= 162);  // the heaviest unit
  }
}

TEST_CASE("a log keeps what was complete, wherever it was cut or hurt") {
  const Folder folder;
  const std::string path = folder.path("log");
  {
    LineLog log(path);
    for (int i = 0; i < 4; ++i) log.append("{\"n\":" + std::to_string(i) + "}");
  }
  const std::string whole = io::read_all(path);
  const auto ends = [&](std::size_t upto) {
    return static_cast<std::size_t>(
        std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(upto), '\n'));
  };
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    folder.write("log", whole.substr(0, cut));
    LogLines log = read_log(path);
    CHECK(log.lines.size() == ends(cut));
    CHECK(log.damaged == 0);
    CHECK(log.torn == (cut > 0 && whole[cut - 1] != '\n'));
    LineLog(path).append("{\"n\":9}");
    log = read_log(path);
    REQUIRE(log.lines.size() == ends(cut) + 1);
    CHECK(log.lines.back() == "{\"n\":9}");
    CHECK(!log.torn);
    CHECK(log.damaged == 0);
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string hurt = whole;
    hurt[at] = static_cast<char>(hurt[at] ^ 1);
    folder.write("log", hurt);
    const LogLines log = read_log(path);
    CHECK(log.lines.size() + log.damaged + (log.torn ? 1 : 0) >= 3);
    for (const std::string& line : log.lines)
      CHECK(whole.find(line.substr(0, 6)) != std::string::npos);
    CHECK(log.lines.size() < 4);
  }
}

TEST_CASE("the result of a unit is read as it was written") {
  const Plan plan = sample_plan(1, 1);
  UnitResult result = sample_result(plan, 0);
  result.verdict.skipped["decode: \"x\"\n"] = 5;
  result.verdict.differences["ids/model"] = 2;
  result.verdict.failed_inputs = 3;
  const std::string line = unit_line(result);
  CHECK(line.find('\n') == std::string::npos);
  const UnitResult again = parse_unit(line, "line");
  CHECK(unit_line(again) == line);
  CHECK(again.same_findings(result));
  CHECK(again.verdict.distinct_ids == 1);
  UnitResult slower = result;
  slower.verdict.wall_seconds = 99;
  slower.verdict.restarts = 1;
  CHECK(slower.same_findings(result));
  slower.verdict.answer_digest ^= 1;
  CHECK(!slower.same_findings(result));
}

TEST_CASE("a run is the same for any number of shards; what is missing or there twice is known") {
  const Folder folder;
  const Plan plan = sample_plan(20, 3);
  write_run(folder, "one", plan, 1);
  const Merged one = merge_run(folder.path("one"));
  REQUIRE(one.rows.size() == 1);
  CHECK(one.missing.empty());
  CHECK(one.totals.documents == 20 * 10 + 190);
  CHECK(one.rows[0].sums.distinct_ids == 16);
  for (const std::uint64_t count : {2U, 5U, 30U}) {
    const std::string run = "of" + std::to_string(count);
    write_run(folder, run, plan, count);
    const Merged many = merge_run(folder.path(run));
    CHECK(many.missing.empty());
    CHECK(many.totals.documents == one.totals.documents);
    CHECK(many.rows[0].sums.answer_digest == one.rows[0].sums.answer_digest);
    CHECK(many.conduct.twice == 0);
    CHECK(many.conduct.shards.size() == count);
  }
  // Twice the same: counted once.
  fs::copy(folder.path("of5/shards"), folder.path("one/shards"), fs::copy_options::recursive);
  const Merged twice = merge_run(folder.path("one"));
  CHECK(twice.conduct.twice == 20);
  CHECK(twice.totals.documents == one.totals.documents);
  // Units that nobody finished, and a shard that never began.
  write_run(folder, "gaps", plan, 2, {4, 7});
  CHECK(merge_run(folder.path("gaps")).missing == std::vector<std::uint64_t>{4, 7});
  fs::remove_all(folder.path("of2/shards/00001-of-00002"));
  CHECK(merge_run(folder.path("of2")).missing == units_of_shard(plan, 1, 2));
  // The same unit with another result.
  UnitResult other = sample_result(plan, 3);
  other.verdict.documents += 1;
  LineLog(folder.path("of5/shards/00000-of-00005/units.jsonl")).append(unit_line(other));
  CHECK_THROWS_WITH_AS(merge_run(folder.path("of5")), doctest::Contains("two different results"),
                       Error);
  // A unit that met another engine.
  UnitResult newer = sample_result(plan, 4);
  newer.reference.version = "2";
  LineLog(folder.path("gaps/shards/00000-of-00002/units.jsonl")).append(unit_line(newer));
  CHECK_THROWS_WITH_AS(merge_run(folder.path("gaps")), doctest::Contains("other engines"), Error);
  // Another plan.
  write_run(folder, "mixed", plan, 1);
  write_run(folder, "mixed", sample_plan(21, 3), 2);
  CHECK_THROWS_WITH_AS(merge_run(folder.path("mixed")), doctest::Contains("different plans"),
                       Error);
  CHECK_THROWS_AS(merge_run(folder.path("none")), Error);
}

TEST_CASE("a shard is run by one process") {
  const Folder folder;
  const ShardLock lock(folder.path("s"));
  CHECK_THROWS_WITH_AS(ShardLock(folder.path("s")), doctest::Contains("is being run by host"),
                       Error);
  CHECK_NOTHROW(ShardLock(folder.path("other")));
}
