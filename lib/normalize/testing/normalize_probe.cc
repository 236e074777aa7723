// Runs a chain of normalizers on texts from stdin, so that another program can compare it with a
// reference engine.
//
// usage: normalize_probe STEP...   steps in order, as in step_arguments.hpp
// stdin: frames of u32 length and bytes. stdout: per frame u32 length, text, u32 pairs (begin, end)
// per byte; length 0xFFFFFFFF when the run failed. Each text is run twice, tracked and not; a
// difference ends the program with 3.

#include "normalize/testing/step_arguments.hpp"

#include <cstdio>
#include <exception>

namespace {

using namespace toktier;

void write_u32(std::uint32_t n) { std::fwrite(&n, 4, 1, stdout); }

int run(int argc, char** argv) {
  std::vector<model::Normalizer> steps;
  normalize::CompileOptions options;
  options.regex = normalize::testing::run_finder;
  for (int i = 1; i < argc; ++i)
    normalize::testing::add_step(argv[i], steps, options.kept_literals);
  const auto normalizer =
      normalize::Normalizer::compile(steps, model::Reference::hf_tokenizers, options);
  unicode::AlignedText tracked;
  unicode::AlignedText free;
  std::uint32_t length = 0;
  std::string input;
  while (std::fread(&length, 4, 1, stdin) == 1) {
    input.resize(length);
    if (std::fread(input.data(), 1, length, stdin) != length) return 2;
    bool failed = false;
    bool free_failed = false;
    tracked.reset(input, 0, true);
    free.reset(input, 0, false);
    try {
      normalizer.run(tracked);
    } catch (const Error&) {
      failed = true;
    }
    try {
      normalizer.run(free);
    } catch (const Error&) {
      free_failed = true;
    }
    if (failed != free_failed || (!failed && tracked.text() != free.text())) return 3;
    if (failed) {
      write_u32(0xFFFFFFFF);
      continue;
    }
    const std::string_view text = tracked.text();
    write_u32(static_cast<std::uint32_t>(text.size()));
    std::fwrite(text.data(), 1, text.size(), stdout);
    for (std::uint32_t i = 0; i < text.size(); ++i) {
      const Span span = tracked.source(i);
      write_u32(span.begin);
      write_u32(span.end);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "normalize_probe: %s\n", error.what());
    return 1;
  }
}
