#pragma once
// The engines the harness knows, as rows: a new engine is a new row. A process-wide constant.

#include "diff/engine.hpp"
#include "diff/external/external_engine.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::diff {

/// What a row needs to make an engine for one lane.
struct EngineRequest {
  std::string model;                           // path of the tokenizer file
  std::shared_ptr<const Tokenizer> tokenizer;  // rows that run our code; null otherwise
  external::WorkerSettings worker;  // rows that run a worker; engine and model are set by the row
};

struct EngineRow {
  std::string_view name;
  std::string_view what;
  bool needs_tokenizer = false;
  bool needs_worker = false;
  /// Throws what the engine's construction throws.
  std::function<std::unique_ptr<Engine>(const EngineRequest&)> make;
};

const std::vector<EngineRow>& engine_table();

/// Error{usage} naming the nearest name when there is no such row.
const EngineRow& find_engine(std::string_view name);

}  // namespace toktier::diff
