#include "diff/sources/model_names.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace toktier::diff::sources {
namespace {

constexpr std::array<ModelName, 36> kNames = {{
    // Names used by bug reports.
    {"gpt2", "gpt2/tokenizer.json"},
    {"r50k_base", "tiktoken-r50k_base/r50k_base.tiktoken"},
    {"p50k_base", "tiktoken-p50k_base/p50k_base.tiktoken"},
    {"cl100k_base", "tiktoken-cl100k_base/cl100k_base.tiktoken"},
    {"o200k_base", "tiktoken-o200k_base/o200k_base.tiktoken"},
    {"o200k_harmony", "gpt-oss/tokenizer.json", true},
    {"Qwen/Qwen3-8B", "qwen3/tokenizer.json"},
    {"Qwen/Qwen3-4B", "qwen3/tokenizer.json"},
    {"Qwen/Qwen2.5-7B", "qwen2/tokenizer.json", true},
    {"Qwen/Qwen2-0.5B", "qwen2/tokenizer.json"},
    {"deepseek-ai/DeepSeek-V3", "deepseek-v3/tokenizer.json"},
    {"moonshotai/Kimi-K2-Instruct", "kimi-k2/tiktoken.model"},
    {"zai-org/GLM-4.5", "glm-4.6/tokenizer.json", true},
    {"google/gemma-3-4b-it", "gemma3/tokenizer.json"},
    {"meta-llama/Meta-Llama-3-8B", "llama3/tokenizer.json"},
    {"meta-llama/Llama-3.2-1B-Instruct", "llama3.1/tokenizer.json", true},
    {"meta-llama/Llama-2-7b-hf", "llama2/tokenizer.json"},
    {"huggyllama/llama-7b", "llama2/tokenizer.json", true},
    {"mistralai/Mistral-Nemo", "mistral-nemo/tokenizer.json"},
    {"mistralai/Mistral-7B-v0.1", "mistral-v1/tokenizer.json"},
    {"microsoft/Phi-3.5-mini-instruct", "phi-3-mini/tokenizer.json", true},
    {"microsoft/Phi-3-mini-4k-instruct", "phi-3-mini/tokenizer.json"},
    {"google-bert/bert-base-uncased", "bert-base-uncased/tokenizer.json"},
    {"google-bert/bert-base-cased", "bert-base-cased/tokenizer.json"},
    {"FacebookAI/roberta-base", "roberta-base/tokenizer.json"},
    {"google-t5/t5-small", "t5-small/tokenizer.json"},
    {"mosaicml/mpt-7b", "mpt/tokenizer.json", true},
    {"tiiuae/falcon-7b", "falcon/tokenizer.json"},
    // Names of the llama.cpp vector files.
    {"ggml-vocab-bert-bge", "bert-base-uncased/tokenizer.json"},
    {"ggml-vocab-command-r", "command-r/tokenizer.json"},
    {"ggml-vocab-falcon", "falcon/tokenizer.json"},
    {"ggml-vocab-gpt-2", "gpt2/tokenizer.json"},
    {"ggml-vocab-llama-bpe", "llama3/tokenizer.json"},
    {"ggml-vocab-llama-spm", "llama2/tokenizer.json"},
    {"ggml-vocab-mpt", "mpt/tokenizer.json"},
    {"ggml-vocab-qwen2", "qwen2/tokenizer.json"},
}};

}  // namespace

std::span<const ModelName> model_names() { return kNames; }

const ModelName* find_model_name(std::string_view name) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(),
                                   [&](const ModelName& row) { return row.name == name; });
  return found == kNames.end() ? nullptr : found;
}

std::optional<std::string> find_model_file(const ModelName& row, std::string_view folders) {
  std::error_code code;
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::filesystem::path base(folders.substr(0, end));
    for (const char* suffix : {"", ".zst"}) {
      const std::filesystem::path file = base / (std::string(row.file) + suffix);
      if (!base.empty() && std::filesystem::exists(file, code)) return file.string();
    }
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return std::nullopt;
}

}  // namespace toktier::diff::sources
