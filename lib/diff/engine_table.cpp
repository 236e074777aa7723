#include "diff/engine_table.hpp"

#include "diff/cpu_engine.hpp"
#include "diff/naive_engine.hpp"
#include "report/nearest_name.hpp"

#include <utility>

namespace toktier::diff {
namespace {

using Make = std::function<std::unique_ptr<Engine>(const EngineRequest&)>;

/// `engine` = auto takes the row's name from what the worker says it is.
std::unique_ptr<Engine> make_external(const EngineRequest& request, const char* engine) {
  external::WorkerSettings settings = request.worker;
  settings.engine = engine;
  settings.model = request.model;
  return external::start_worker(std::string("ext:") + engine, settings);
}

EngineRow external_row(const char* engine, std::string_view name, std::string_view what) {
  return {name, what, false, true,
          [engine](const EngineRequest& request) { return make_external(request, engine); }};
}

EngineRow faulty_row(Fault fault, std::string_view name, std::string_view what) {
  return {name, what, true, false, [fault](const EngineRequest& request) {
            return make_faulty_engine(make_cpu_engine(request.tokenizer), fault);
          }};
}

std::vector<EngineRow> make_table() {
  std::vector<EngineRow> rows;
  rows.push_back({"cpu", "this library", true, false,
                  [](const EngineRequest& request) { return make_cpu_engine(request.tokenizer); }});
  rows.push_back({"naive", "the slow twin of the encode pipeline, in process", false, false,
                  [](const EngineRequest& request) { return make_naive_engine(request.model); }});
  rows.push_back(external_row("auto", "auto", "the reference engine that the file's kind names"));
  rows.push_back(external_row("hf", "ext:hf", "Hugging Face tokenizers in a worker process"));
  rows.push_back(external_row("tiktoken", "ext:tiktoken", "OpenAI tiktoken in a worker process"));
  rows.push_back(external_row("spm", "ext:spm", "Google SentencePiece in a worker process"));
  rows.push_back(faulty_row(Fault::id, "faulty:id", "cpu with a planted fault: one id is off"));
  rows.push_back(
      faulty_row(Fault::span, "faulty:span", "cpu with a planted fault: one span is off"));
  rows.push_back(
      faulty_row(Fault::piece, "faulty:piece", "cpu with a planted fault: a piece is lost"));
  rows.push_back(faulty_row(Fault::decode, "faulty:decode",
                            "cpu with a planted fault: a decoded byte is lost"));
  rows.push_back(
      faulty_row(Fault::refuse, "faulty:refuse", "cpu with a planted fault: a text is refused"));
  rows.push_back(
      faulty_row(Fault::order, "faulty:order", "cpu with a planted fault: two answers exchanged"));
  return rows;
}

}  // namespace

const std::vector<EngineRow>& engine_table() {
  static const std::vector<EngineRow> table = make_table();
  return table;
}

const EngineRow& find_engine(std::string_view name) {
  std::vector<std::string> known;
  for (const EngineRow& row : engine_table()) {
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  throw Error(ErrorCode::usage, report::unknown_name("engine", name, known));
}

}  // namespace toktier::diff
