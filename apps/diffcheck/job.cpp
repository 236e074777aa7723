#include "apps/diffcheck/job.hpp"

#include "apps/common/signals.hpp"
#include "diff/sources/case_file.hpp"
#include "diff/sources/file_source.hpp"
#include "diff/sources/generators.hpp"
#include "diff/sources/model_names.hpp"
#include "diff/sources/vector_files.hpp"
#include "report/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace toktier::diffcheck {
namespace {

namespace fs = std::filesystem;
namespace sources = diff::sources;

std::string model_folders() {
  const char* list = std::getenv("TOKTIER_MODELS");
  return list == nullptr ? "" : list;
}

/// Names only choose which files are tried; what they are, their content says.
bool looks_like_model(std::string name) {
  if (name.ends_with(".zst")) name.resize(name.size() - 4);
  static constexpr std::string_view kSuffixes[] = {".model", ".tiktoken", ".spm",
                                                   ".sp",    ".gguf",     ".txt"};
  if (name == "encoding.json" || name == "tokenizer_config.json" || name.ends_with(".md"))
    return false;
  return name.ends_with(".json") ||
         std::any_of(std::begin(kSuffixes), std::end(kSuffixes),
                     [&](auto suffix) { return name.ends_with(suffix); });
}

void add_models(const RunOptions& options, Jobs& jobs) {
  for (const std::string& model : options.models) {
    Job job;
    job.model = model;
    jobs.jobs.push_back(std::move(job));
  }
  if (options.models_all.empty()) return;
  std::vector<std::string> files;
  std::error_code code;
  for (auto it = fs::recursive_directory_iterator(options.models_all, code);
       !code && it != fs::recursive_directory_iterator(); it.increment(code)) {
    if (it->is_regular_file() && looks_like_model(it->path().filename().string()))
      files.push_back(it->path().string());
  }
  if (code)
    throw Error(ErrorCode::input, "cannot read the folder: " + code.message(), options.models_all);
  std::sort(files.begin(), files.end());
  for (std::string& file : files) {
    Job job;
    job.model = std::move(file);
    job.optional = true;
    jobs.jobs.push_back(std::move(job));
  }
  if (files.empty()) throw Error(ErrorCode::input, "no tokenizer files", options.models_all);
}

void add_cases(const RunOptions& options, Jobs& jobs) {
  std::map<std::string, std::vector<diff::Document>> groups;  // by file
  std::vector<diff::Document> all;
  for (const std::string& path : options.cases) {
    sources::CaseFile file = sources::read_case_file(path);
    for (const auto& [reason, count] : file.left_out) jobs.left_out[reason] += count;
    for (sources::Case& item : file.cases) {
      if (item.with_bos != options.add_special) {
        ++jobs.left_out[item.with_bos ? "case: with BOS, needs --add-special"
                                      : "case: not for --add-special"];
        continue;
      }
      if (!options.models.empty() || !options.models_all.empty()) {
        item.document.has_quoted = false;
        all.push_back(std::move(item.document));
        continue;
      }
      const sources::ModelName* row = sources::find_model_name(item.tokenizer);
      const auto found =
          row == nullptr ? std::nullopt : sources::find_model_file(*row, model_folders());
      if (!found) {
        ++jobs.left_out[fmt::format("case: no file for tokenizer '{}'", item.tokenizer)];
        continue;
      }
      if (row->stand_in) item.document.has_quoted = false;
      groups[*found].push_back(std::move(item.document));
    }
  }
  for (Job& job : jobs.jobs) {
    job.fixed = true;
    job.documents = all;
  }
  for (auto& [model, documents] : groups) {
    Job job;
    job.model = model;
    job.fixed = true;
    job.documents = std::move(documents);
    jobs.jobs.push_back(std::move(job));
  }
}

void add_vectors(const RunOptions& options, Jobs& jobs) {
  for (sources::VectorSet& set : sources::read_vectors(options.vectors)) {
    const sources::ModelName* row = sources::find_model_name(set.name);
    const auto found =
        row == nullptr ? std::nullopt : sources::find_model_file(*row, model_folders());
    if (!found) {
      jobs.left_out[fmt::format("vectors: no tokenizer file for {}", set.name)] +=
          set.documents.size();
      continue;
    }
    Job job;
    job.model = *found;
    job.fixed = true;
    job.quoted_name = set.name;
    job.quoted = set.documents;
    job.documents = std::move(set.documents);
    jobs.jobs.push_back(std::move(job));
  }
}

std::vector<std::string> parse_alphabet(const std::string& text) {
  std::vector<std::string> symbols;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) symbols.push_back(report::unescape(text.substr(at, end - at)));
    at = end + 1;
  }
  return symbols;
}

std::unique_ptr<diff::DocumentSource> open_exhaustive(const RunOptions& options,
                                                      const Tokenizer* tokenizer) {
  std::vector<std::string> alphabet = parse_alphabet(options.alphabet);
  if (alphabet.empty() && tokenizer != nullptr) {
    const bool tiktoken = tokenizer->info().reference.starts_with("tiktoken");
    alphabet = sources::class_alphabet(tokenizer->info().pattern, tiktoken, 0);
  }
  if (alphabet.empty()) {
    throw Error(
        ErrorCode::usage,
        "--exhaustive: the model has no pattern to take character classes from; give --alphabet");
  }
  return sources::exhaustive(std::move(alphabet), options.length);
}

io::RecordOptions record_options(const RunOptions& options) {
  static const std::map<std::string, io::RecordForm> kForms = {{"auto", io::RecordForm::automatic},
                                                               {"text", io::RecordForm::text},
                                                               {"lines", io::RecordForm::lines},
                                                               {"jsonl", io::RecordForm::jsonl}};
  io::RecordOptions record;
  record.form = kForms.at(options.input_format);
  record.text_pointer = options.field;
  record.id_pointer = options.id_field;
  record.ill_formed = io::IllFormed::replace;
  return record;
}

}  // namespace

Jobs plan_jobs(const RunOptions& options) {
  const bool general = !options.inputs.empty() || !options.texts.empty() ||
                       !options.generators.empty() || options.exhaustive;
  Jobs jobs;
  add_models(options, jobs);
  if (!options.cases.empty()) {
    if (general) throw Error(ErrorCode::usage, "--cases runs alone: drop the other inputs");
    add_cases(options, jobs);
  }
  if (!options.vectors.empty()) {
    if (general || !options.cases.empty())
      throw Error(ErrorCode::usage, "--vectors runs alone: drop the other inputs");
    if (!jobs.jobs.empty())
      throw Error(ErrorCode::usage, "--vectors finds its own models (TOKTIER_MODELS): drop -m");
    add_vectors(options, jobs);
  }
  if (options.cases.empty() && options.vectors.empty()) {
    if (jobs.jobs.empty())
      throw Error(ErrorCode::usage, "no model: give -m FILE or --models-all FOLDER");
    if (!general) {
      throw Error(ErrorCode::usage,
                  "no documents: give files, --text, --gen, --exhaustive, --cases or --vectors");
    }
  }
  return jobs;
}

std::unique_ptr<diff::DocumentSource> open_documents(const RunOptions& options, const Job& job,
                                                     std::shared_ptr<const Tokenizer> tokenizer,
                                                     std::uint64_t seed) {
  if (job.fixed) return diff::from_list(job.documents);
  std::vector<std::unique_ptr<diff::DocumentSource>> parts;
  if (!options.texts.empty()) {
    std::vector<diff::Document> documents;
    for (std::size_t i = 0; i < options.texts.size(); ++i) {
      diff::Document document;
      document.text = report::unescape(options.texts[i]);
      document.id = fmt::format("--text {}", i + 1);
      documents.push_back(std::move(document));
    }
    parts.push_back(diff::from_list(std::move(documents)));
  }
  if (!options.inputs.empty())
    parts.push_back(
        sources::from_files(options.inputs, record_options(options), cli::stop_descriptor()));
  sources::GeneratorRequest request;
  request.seed = seed;
  request.tokenizer = tokenizer;
  if (tokenizer) {
    request.vocabulary.end_id = tokenizer->end_id();
    request.vocabulary.text = [tokenizer](TokenId id) {
      try {
        const TokenId ids[] = {id};
        return tokenizer->decode(ids);
      } catch (const Error&) {
        return std::string();  // an unused id
      }
    };
  }
  for (const std::string& spec : options.generators) {
    if (!tokenizer && spec.starts_with("vocab")) {
      throw Error(ErrorCode::usage,
                  "generator " + spec + " needs an engine that loads the file here, such as cpu");
    }
    parts.push_back(sources::make_generator(spec, request));
  }
  if (options.exhaustive) parts.push_back(open_exhaustive(options, tokenizer.get()));
  return diff::chain(std::move(parts));
}

const char* progress_unit(const RunOptions& options, const Job& job) {
  return !job.fixed && (!options.generators.empty() || options.exhaustive) ? "docs" : "B";
}

}  // namespace toktier::diffcheck
