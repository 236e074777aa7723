#include "post/plan.hpp"

namespace toktier::post {

namespace {

using Part = std::vector<PlanItem>;

PlanItem fixed(TokenId id) { return {false, id, {}}; }

void add_trim(std::vector<Part>& parts, bool add_prefix_space) {
  for (Part& part : parts) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i].is_document) part[i].trims.push_back({add_prefix_space, i == 0});
    }
  }
}

struct Runner {
  std::vector<Part>& parts;
  bool add_special;
  std::string& refusal;

  void operator()(const model::PostTemplate& step) const {
    if (parts.size() != 1) {
      refusal = "a template after a template (the reference then applies its pair template)";
      return;
    }
    std::vector<Part> out;
    for (const model::TemplatePiece& piece : step.single) {
      switch (piece.kind) {
        case model::TemplatePiece::Kind::sequence_a:
          out.push_back(parts.front());
          break;
        case model::TemplatePiece::Kind::sequence_b:
          refusal = "sequence B in the template for a single sequence";
          return;
        case model::TemplatePiece::Kind::tokens: {
          if (!add_special) break;
          Part part;
          for (const TokenId id : piece.ids) part.push_back(fixed(id));
          out.push_back(std::move(part));
          break;
        }
      }
    }
    parts = std::move(out);
  }
  void operator()(const model::PostBert& step) const {
    if (!add_special) return;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i == 0) parts[i].insert(parts[i].begin(), fixed(step.cls));
      parts[i].push_back(fixed(step.sep));
    }
  }
  void operator()(const model::PostRoberta& step) const {
    if (step.trim_offsets) add_trim(parts, step.add_prefix_space);
    if (!add_special) return;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].insert(parts[i].begin(), fixed(i == 0 ? step.cls : step.sep));
      parts[i].push_back(fixed(step.sep));
    }
  }
  void operator()(const model::PostByteLevel& step) const {
    if (step.trim_offsets) add_trim(parts, step.add_prefix_space);
  }
};

struct Reserved {
  std::size_t operator()(const model::PostTemplate& step) const {
    std::size_t count = 0;
    for (const model::TemplatePiece& piece : step.single) count += piece.ids.size();
    return count;
  }
  std::size_t operator()(const model::PostBert&) const { return 2; }
  std::size_t operator()(const model::PostRoberta&) const { return 2; }
  std::size_t operator()(const model::PostByteLevel&) const { return 0; }
};

}  // namespace

Plan make_plan(const std::vector<model::PostProcessor>& steps, bool add_special) {
  Plan plan;
  std::vector<Part> parts{{PlanItem{true, 0, {}}}};
  for (const model::PostProcessor& step : steps) {
    std::visit(Runner{parts, add_special, plan.refusal}, step);
    if (!plan.refusal.empty()) return plan;
  }
  for (const Part& part : parts) {
    for (const PlanItem& item : part) {
      plan.items.push_back(item);
      plan.documents += item.is_document ? 1 : 0;
    }
  }
  return plan;
}

std::size_t reserved_tokens(const std::vector<model::PostProcessor>& steps) {
  std::size_t count = 0;
  for (const model::PostProcessor& step : steps) count += std::visit(Reserved{}, step);
  return count;
}

}  // namespace toktier::post
