#include "replay/read.hpp"
#include "replay/workload_maker.hpp"
#include "replay/workload_text.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace fs = std::filesystem;
using namespace toktier;
using namespace toktier::replay;

namespace {

Message said(Role role, std::string_view text, PartKind kind = PartKind::text,
             std::string_view name = {}) {
  Message message;
  message.role = role;
  message.parts.push_back({kind, std::string(text), std::string(name), ""});
  return message;
}

std::vector<Message> conversation() {
  std::vector<Message> all = {said(Role::system, "Be brief."),
                              said(Role::user, "List."),
                              said(Role::assistant, "I look.", PartKind::thinking),
                              said(Role::assistant, "{\"c\":\"ls\"}", PartKind::tool_call, "sh"),
                              said(Role::tool, "a", PartKind::tool_result, "sh"),
                              said(Role::tool, "b", PartKind::tool_result, "sh"),
                              said(Role::assistant, "a and b")};
  all[0].parts.push_back({PartKind::tools, "[{\"name\":\"sh\"}]", "", ""});
  return all;
}

std::string rendered(const std::string& name, std::string* generation = nullptr) {
  const ChatTemplate chat = find_template(name);
  Renderer renderer(chat);
  std::string text;
  for (const Message& message : conversation()) text += renderer.add(message);
  text += renderer.close();
  Renderer before(chat);
  (void)before.add(conversation()[1]);
  if (generation != nullptr) *generation = before.generation();
  return text;
}

/// Counts steps, carries them out, and keeps the texts on which the model is called.
class Recorder : public WorkSink {
 public:
  void step(const WorkStep& step) override {
    text_.step(step);
    compare(step);
    ++counts[std::string(name_of(step.op))];
    if (step.prompt) prompts.push_back(*text_.find(step.session));
    if (step.op == WorkOp::edit) edited += step.text.size();
    last = text_.find(step.session) == nullptr ? std::string() : *text_.find(step.session);
    if (step.op != WorkOp::close) before_close = last;
  }
  std::size_t open_sessions() const { return text_.open_sessions(); }
  /// From then on every text is compared with the maker's own.
  const WorkloadMaker* maker = nullptr;
  std::uint64_t compared = 0;
  std::map<std::string, std::uint64_t> counts;
  std::vector<std::string> prompts;
  std::uint64_t edited = 0;
  std::string last, before_close;

 private:
  void compare(const WorkStep& step) {
    const std::string* theirs = maker == nullptr ? nullptr : maker->text_of(step.session);
    const std::string* ours = text_.find(step.session);
    if (theirs == nullptr || ours == nullptr || theirs->size() != ours->size()) return;
    ++compared;
    const bool equal = *theirs == *ours;  // not shown: megabytes
    CHECK_MESSAGE(equal, step.session);
  }
  WorkloadText text_;
};

Recorder run(const std::string& mutation, const std::string& chat_name, std::size_t rounds,
             std::uint64_t seed = 1) {
  Recorder recorder;
  const ChatTemplate chat = find_template(chat_name);
  WorkloadOptions options;
  options.mutation = mutation;
  options.limits.budget = 3000;
  options.seed = seed;
  WorkloadMaker maker(recorder, chat, options);
  recorder.maker = &maker;
  Session session;
  session.key = "k";
  maker.open(session);
  const auto add = [&](Message message) {
    Step step;
    step.messages.push_back(std::move(message));
    maker.step("k", std::move(step));
  };
  add(said(Role::system, "Be brief."));
  for (std::size_t i = 0; i < rounds; ++i) {
    add(said(Role::user, fmt::format("question {} caf\xC3\xA9 \xE6\xBC\xA2", i)));
    add(said(Role::assistant, "thinking about it", PartKind::thinking));
    add(said(Role::assistant, "{}", PartKind::tool_call, "sh"));
    add(said(Role::tool, std::string(300, static_cast<char>('a' + i % 26)), PartKind::tool_result));
    add(said(Role::assistant, fmt::format("answer {}", i)));
  }
  maker.close("k");
  recorder.maker = nullptr;
  CHECK(recorder.compared >= 4 * rounds);
  return recorder;
}

std::vector<std::string> all_mutations() {
  std::vector<std::string> names;
  for (const MutationRow& row : mutation_table()) names.emplace_back(row.name);
  return names;
}

fs::path folder(const char* variable, const char* below) {
  const char* root = std::getenv(variable);
  return root == nullptr ? fs::path() : fs::path(root) / below;
}

/// Every step of every session can be carried out, and sessions end.
std::uint64_t carry_out(const std::vector<std::string>& files, const std::string& mutation,
                        const ChatTemplate& chat) {
  Recorder recorder;
  WorkloadOptions options;
  options.mutation = mutation;
  WorkloadMaker maker(recorder, chat, options);
  recorder.maker = &maker;
  TranscriptReader reader(maker, {});
  for (const std::string& file : files) reader.read(file);
  reader.finish();
  CHECK(recorder.open_sessions() == 0);
  std::uint64_t steps = 0;
  for (const auto& [op, count] : recorder.counts) steps += count;
  return steps;
}

}  // namespace

TEST_CASE("templates as they should be") {
  std::string ask;
  CHECK(rendered("plain") == "Be brief.[{\"name\":\"sh\"}]List.I look.sh{\"c\":\"ls\"}aba and b");
  const std::string chatml = rendered("chatml", &ask);
  CHECK(chatml.starts_with("<|im_start|>system\nBe brief.\n\n# Tools\n\n"));
  CHECK(chatml.ends_with(
      "<|im_end|>\n<|im_start|>user\nList.<|im_end|>\n<|im_start|>assistant\n"
      "<think>\nI look.\n</think>\n\n\n<tool_call>\n{\"name\": \"sh\", \"arguments\": "
      "{\"c\":\"ls\"}}\n</tool_call><|im_end|>\n"
      "<|im_start|>user\n<tool_response>\na\n</tool_response>\n<tool_response>\nb\n"
      "</tool_response><|im_end|>\n<|im_start|>assistant\na and b<|im_end|>\n"));
  CHECK(ask == "<|im_end|>\n<|im_start|>assistant\n");
  CHECK(rendered("llama3", &ask)
            .ends_with("<|start_header_id|>ipython<|end_header_id|>\n\na<|eot_id|>"
                       "<|start_header_id|>ipython<|end_header_id|>\n\nb<|eot_id|>"
                       "<|start_header_id|>assistant<|end_header_id|>\n\na and b<|eot_id|>"));
  CHECK(rendered("llama3").starts_with(
      "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief."));
  CHECK(
      rendered("harmony", &ask)
          .ends_with(
              "<|start|>user<|message|>List.<|end|>"
              "<|start|>assistant<|channel|>analysis<|message|>I look.<|end|>"
              "<|start|>assistant<|channel|>commentary to=functions.sh <|constrain|>json<|message|>"
              "{\"c\":\"ls\"}<|call|>"
              "<|start|>functions.sh to=assistant<|channel|>commentary<|message|>a<|end|>"
              "<|start|>functions.sh to=assistant<|channel|>commentary<|message|>b<|end|>"
              "<|start|>assistant<|channel|>final<|message|>a and b<|end|>"));
  CHECK(ask == "<|end|><|start|>assistant");
  const std::string deepseek = rendered("deepseek");
  CHECK(deepseek.starts_with("<\uFF5Cbegin\u2581of\u2581sentence\uFF5C>Be brief."));
  CHECK(
      deepseek.ends_with("<\uFF5CAssistant\uFF5C>a and b<\uFF5Cend\u2581of\u2581sentence\uFF5C>"));
}

TEST_CASE("templates that are none are refused by field") {
  const auto refused = [](std::string_view json, const char* why) {
    CHECK_THROWS_WITH_AS(parse_template(json, "t"), doctest::Contains(why), Error);
  };
  refused("{", "not valid JSON");
  refused("[]", "an object expected");
  refused(R"({"schema":"x"})", "schema");
  refused(R"({"schema":"toktier.template/1"})", "name");
  refused(R"({"schema":"toktier.template/1","name":"n","begn":""})", "begn");
  refused(R"({"schema":"toktier.template/1","name":"n","roles":{"usr":{}}})", "roles.usr");
  refused(R"({"schema":"toktier.template/1","name":"n","roles":{"user":{"open":1}}})",
          "roles.user.open");
  refused(R"({"schema":"toktier.template/1","name":"n","parts":{"txt":""}})", "parts.txt");
  CHECK_THROWS_WITH_AS(find_template("chatmk"), doctest::Contains("chatml"), Error);
}

TEST_CASE("what stands in a text is no placeholder") {
  const ChatTemplate chat = parse_template(
      R"({"schema":"toktier.template/1","name":"n","parts":{"text":"<{text}|{name}|{id}|{other}>"}})",
      "t");
  Renderer renderer(chat);
  Message message = said(Role::user, "{name}{text}");
  message.parts[0].name = "N";
  CHECK(renderer.add(message) == "<{name}{text}|N||{other}>");
}

TEST_CASE("recorded workloads are the rendered conversation") {
  for (const ChatTemplate& chat : built_in_templates()) {
    Recorder recorder;
    WorkloadMaker maker(recorder, chat, {});
    Session session;
    session.key = "k";
    maker.open(session);
    Renderer renderer(chat);
    std::string text;
    std::vector<std::string> prompts;
    bool model_before = false;
    for (const Message& message : conversation()) {
      if (from_model(message) && !model_before) prompts.push_back(text + renderer.generation());
      model_before = from_model(message);
      text += renderer.add(message);
      Step step;
      step.messages.push_back(message);
      maker.step("k", std::move(step));
    }
    CHECK(recorder.last == text);
    CHECK(recorder.prompts == prompts);
    // Back to after the first call's answer, then another input.
    Step rewind;
    rewind.op = Op::rewind;
    rewind.keep = 4;
    rewind.messages.push_back(said(Role::tool, "c", PartKind::tool_result, "sh"));
    maker.step("k", std::move(rewind));
    Renderer again(chat);
    text.clear();
    for (std::size_t i = 0; i < 4; ++i) text += again.add(conversation()[i]);
    text += again.add(said(Role::tool, "c", PartKind::tool_result, "sh"));
    CHECK(recorder.last == text);
    // Further back, to where another block was open.
    rewind = {};
    rewind.op = Op::rewind;
    rewind.keep = 2;
    rewind.messages.push_back(said(Role::assistant, "z"));
    maker.step("k", std::move(rewind));
    Renderer third(chat);
    text = third.add(conversation()[0]);
    text += third.add(conversation()[1]);
    text += third.add(said(Role::assistant, "z"));
    CHECK(recorder.last == text);
    // A compaction that keeps the last message.
    Step replace;
    replace.op = Op::replace;
    replace.keep = 2;
    replace.messages.push_back(said(Role::user, "summary"));
    maker.step("k", std::move(replace));
    Renderer fresh(chat);
    text = fresh.add(said(Role::user, "summary"));
    text += fresh.add(said(Role::assistant, "z"));
    CHECK(recorder.last == text);
    maker.close("k");
    CHECK(recorder.open_sessions() == 0);
  }
}

TEST_CASE("edits never part a character") {
  // Neighbours in their last byte, and in all but the last.
  const std::pair<const char*, const char*> pairs[] = {{"\xC3\xA9", "\xC3\xA8"},
                                                       {"\xC3\xA9", "\xE8\x83\xA9"},
                                                       {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x81"},
                                                       {"a\xCC\x81", "a\xCD\x81"}};
  for (const auto& [before, after] : pairs) {
    Recorder recorder;
    const ChatTemplate chat = find_template("chatml");
    WorkloadOptions options;
    options.mutation = "compaction";
    WorkloadMaker maker(recorder, chat, options);
    recorder.maker = &maker;
    Session session;
    session.key = "k";
    maker.open(session);
    for (const char* text : {before, after}) {
      Step step;
      step.op = Op::snapshot;
      step.messages = {said(Role::system, "S"), said(Role::user, text)};
      maker.step("k", std::move(step));
      Step answer;
      answer.messages.push_back(said(Role::assistant, ""));
      maker.step("k", std::move(answer));
    }
    CHECK(recorder.counts.at("edit") == 1);
    CHECK(recorder.prompts.back().find(after) != std::string::npos);
  }
}

TEST_CASE("a policy forgets what a transcript took back") {
  for (const std::string& name : all_mutations()) {
    Recorder recorder;
    const ChatTemplate chat = find_template("plain");
    WorkloadOptions options;
    options.mutation = name;
    options.limits.budget = 600;
    WorkloadMaker maker(recorder, chat, options);
    Session session;
    session.key = "k";
    maker.open(session);
    for (int i = 0; i < 12; ++i) {
      Step step;
      step.messages = {said(Role::user, fmt::format("old {} {}", i, std::string(120, 'x'))),
                       said(Role::assistant, "answer")};
      maker.step("k", std::move(step));
    }
    Step rewind;
    rewind.op = Op::rewind;
    rewind.keep = 2;
    rewind.messages = {said(Role::user, "new question"), said(Role::assistant, "new answer")};
    maker.step("k", std::move(rewind));
    const std::string& prompt = recorder.prompts.back();
    CAPTURE(name);
    CHECK(prompt.find("new question") != std::string::npos);
    for (int i = 1; i < 12; ++i) CHECK(prompt.find(fmt::format("old {} ", i)) == std::string::npos);
    CHECK(prompt.find("Summary of") == std::string::npos);
  }
}

TEST_CASE("a template whose question is no part of the answer") {
  const ChatTemplate chat = parse_template(
      R"({"schema":"toktier.template/1","name":"n","generation":"GO>","parts":{"text":"{text}"},
          "roles":{"assistant":{"open":"A:","close":"."},"user":{"open":"U:","close":"."}}})",
      "t");
  Recorder recorder;
  WorkloadMaker maker(recorder, chat, {});
  Session session;
  session.key = "k";
  maker.open(session);
  for (const Role role : {Role::user, Role::assistant}) {
    Step step;
    step.messages.push_back(said(role, "x"));
    maker.step("k", std::move(step));
  }
  CHECK(recorder.prompts == std::vector<std::string>{"U:x.GO>"});
  CHECK(recorder.last == "U:x.A:x");
  CHECK(recorder.counts["edit"] == 1);
}

TEST_CASE("every policy does what its name says") {
  const std::size_t rounds = 30;
  for (const ChatTemplate& chat : built_in_templates()) {
    const Recorder recorded = run("recorded", chat.name, rounds);
    CHECK(recorded.prompts.size() == 2 * rounds);
    const std::string& whole = recorded.before_close;
    const auto has = [](const std::string& text, std::string_view part) {
      return text.find(part) != std::string::npos;
    };
    const Recorder tail = run("tail-rewrite", chat.name, rounds);
    CHECK(tail.prompts.size() == 2 * rounds);
    CHECK(tail.counts.at("edit") >= 2 * rounds - 2);
    CHECK(has(tail.prompts.back(), "Turn 60,"));
    CHECK(!has(tail.prompts.back(), "Turn 59,"));
    const Recorder compacted = run("compaction", chat.name, rounds);
    CHECK(has(compacted.prompts.back(), "Summary of "));
    CHECK(compacted.prompts.back().size() < whole.size() / 2);
    CHECK(has(compacted.prompts.back(), "Be brief."));
    const Recorder evicted = run("evict-batch", chat.name, rounds);
    CHECK(has(evicted.prompts.back(), "[evicted: "));
    CHECK(evicted.counts.at("edit") < rounds);
    CHECK(evicted.counts.at("edit") > 2);
    int whole_answers = 0;  // no more is taken at a time than has to be
    const auto first =
        std::find_if(evicted.prompts.begin(), evicted.prompts.end(),
                     [&](const std::string& prompt) { return has(prompt, "[evicted: "); });
    REQUIRE(first != evicted.prompts.end());
    for (char c = 'a'; c <= 'z'; ++c) whole_answers += has(*first, std::string(300, c));
    CHECK(whole_answers >= 3);
    const Recorder state = run("state-replace", chat.name, rounds);
    CHECK(has(state.prompts.back(), "# State\nturn: 60\n"));
    CHECK(!has(state.prompts.back(), "question 0 "));
    const Recorder facts = run("memory-facts", chat.name, rounds);
    CHECK(facts.counts.at("edit") >= 2 * rounds - 6);
    CHECK(has(facts.prompts.back(), "Relevant memories:"));
    CHECK(facts.edited < 2 * rounds * 2000);
    const Recorder branched = run("fork-rewind", chat.name, rounds);
    CHECK(branched.counts.at("fork") > 2);
    CHECK(branched.counts.at("rewind") > 2);
    CHECK(branched.before_close == whole);
  }
}

TEST_CASE("workloads depend on the seed and nothing else") {
  for (const std::string& name : all_mutations()) {
    CHECK(run(name, "chatml", 10, 5).prompts == run(name, "chatml", 10, 5).prompts);
  }
  CHECK(run("memory-facts", "chatml", 10, 5).prompts !=
        run("memory-facts", "chatml", 10, 6).prompts);
}

TEST_CASE("steps that cannot be are refused") {
  WorkloadText text;
  WorkStep open;
  open.session = "a";
  open.op = WorkOp::open;
  open.text = "\xC3\xA9z";
  open.bytes = 3;
  text.step(open);
  CHECK_THROWS_AS(text.step(open), Error);
  WorkStep step;
  step.session = "a";
  step.op = WorkOp::rewind;
  step.begin = step.bytes = 1;
  CHECK_THROWS_AS(text.step(step), Error);
  step.begin = step.bytes = 4;
  CHECK_THROWS_AS(text.step(step), Error);
  step.begin = 2;
  step.bytes = 3;
  CHECK_THROWS_AS(text.step(step), Error);
  step.session = "b";
  CHECK_THROWS_AS(text.step(step), Error);
}

TEST_CASE("all fixtures, all templates, all policies") {
  const fs::path traces = folder("TOKTIER_SOURCE_DIR", "replay/traces");
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(traces))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() > 40);
  std::uint64_t steps = 0;
  for (const ChatTemplate& chat : built_in_templates())
    for (const std::string& name : all_mutations()) steps += carry_out(files, name, chat);
  CHECK(steps > 4000);
}

TEST_CASE("real transcripts under all policies") {
  fs::path traces = folder("TOKTIER_SHARED", "traces");
  if (traces.empty()) traces = folder("TOKTIER_SOURCE_DIR", "../shared/traces");
  if (!fs::exists(traces)) {
    MESSAGE("skipped: ", mutation_table().size(), " policies over 5 folders (no shared traces)");
    return;
  }
  const ChatTemplate chat = find_template("chatml");
  for (const std::string& name : all_mutations()) {
    std::uint64_t steps = 0;
    for (const char* format : {"claude-code-jsonl", "codex-responses-wire", "openhands-events",
                               "codex-rollout-jsonl", "tau-bench"}) {
      std::vector<std::string> files;
      for (const auto& entry : fs::directory_iterator(traces / format))
        files.push_back(entry.path().string());
      std::sort(files.begin(), files.end());
      steps += carry_out(files, name, chat);
    }
    CHECK(steps > 5000);
  }
}
