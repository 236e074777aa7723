#include "apps/encode/run.hpp"

int main(int argc, char** argv) {
  using namespace toktier;
  encode_app::Options options;
  cli::Program program;
  program.name = "toktier-encode";
  program.what =
      "Text to token ids, spans, pieces and counts, exactly as the reference tokenizer; and back.";
  program.examples =
      "  toktier-encode -m embedded notes.txt                       # one JSON line a document\n"
      "  toktier-encode -m qwen3 --emit count -r docs/ --format table\n"
      "  zstdcat big.jsonl.zst | toktier-encode -m o200k --field /text --emit ids,spans -o "
      "out.jsonl.zst -\n"
      "  toktier-encode -m llama3 --text 'Hello <|eot_id|>' --special none --emit ids,tokens\n"
      "  toktier-encode decode -m qwen3 ids.jsonl\n"
      "  toktier-encode check-ids -m qwen3 sampled.jsonl             # are they what their text "
      "gives?\n"
      "  toktier-encode session append -m qwen3 --store chats.db --name chat-42 turn7.txt\n"
      "  toktier-encode inspect -m tokenizer.json\n";
  program.define = [&](CLI::App& app) { encode_app::define_options(app, options); };
  program.run = [&](const cli::CommonOptions& common) {
    if (options.command == "inspect") return encode_app::run_inspect(options, common);
    if (options.command == "decode") return encode_app::run_decode(options, common);
    if (options.command == "check-ids") return encode_app::run_check_ids(options, common);
    if (options.command == "session") return encode_app::run_session(options, common);
    return encode_app::run_encode(options, common);
  };
  return cli::run_program(argc, argv, program);
}
