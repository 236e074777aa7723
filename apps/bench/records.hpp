#pragma once
// A measurement as one record (results/schema/bench.schema.json) and as a table for a person.

#include "apps/bench/machine.hpp"
#include "apps/bench/measure.hpp"
#include "toktier/tokenizer.hpp"

#include <string>

namespace toktier::bench {

/// Everything a reader of the numbers needs.
struct Report {
  std::string model;  // as the user named it
  TokenizerInfo info;
  TextSet* texts = nullptr;
  Plan plan;
  Measurement measurement;
  std::string program;  // what --version --json prints, without its line end
  Machine machine;
  std::array<double, 3> load_begin{}, load_end{};
  std::string started;
  double seconds = 0;
};

/// One JSON object, no line end.
std::string record(const Report& report);
std::string table(const Report& report);

}  // namespace toktier::bench
