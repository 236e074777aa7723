#include "apps/diffcheck/campaign.hpp"

#include "apps/diffcheck/job.hpp"
#include "base/sha256.hpp"
#include "io/read_all.hpp"

namespace toktier::diffcheck {

namespace shards = diff::shards;

RunOptions planned_options(const RunOptions& conduct, const shards::PlanSettings& settings) {
  RunOptions options = conduct;
  options.engine = settings.engine;
  options.checks = settings.checks;
  options.special = settings.special;
  options.add_special = settings.add_special;
  options.truncate = settings.truncate;
  options.rounds = static_cast<unsigned>(settings.rounds);
  options.describe = settings.describe;
  options.shrink_steps = settings.shrink_steps;
  options.field = settings.text_pointer;
  options.id_field = settings.id_pointer;
  options.max_divergences = 0;
  return options;
}

std::unique_ptr<diff::DocumentSource> open_cases(const shards::Plan& plan,
                                                 const shards::PlanSource& source,
                                                 const LoadedModel& model) {
  RunOptions options;
  if (source.kind == shards::PlanSource::Kind::generator) {
    options.generators = {source.name};
  } else {
    options.exhaustive = true;
    options.alphabet = source.alphabet;
    options.length = source.length;
  }
  return open_documents(options, {}, model.tokenizer, plan.settings.seed);
}

std::string fingerprint_of(const LoadedModel& model) {
  return model.tokenizer ? model.tokenizer->info().fingerprint
                         : base::sha256_hex(io::read_all(model.path->path()));
}

}  // namespace toktier::diffcheck
