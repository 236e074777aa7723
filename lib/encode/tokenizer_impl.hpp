#pragma once
// What a Tokenizer holds, for the rooms that build on its stages.

#include "encode/pipeline.hpp"
#include "encode/scratch_pool.hpp"
#include "encode/tokenizer_info.hpp"
#include "toktier/tokenizer.hpp"

namespace toktier {

struct Tokenizer::Impl {
  explicit Impl(std::unique_ptr<encode::Pipeline> compiled)
      : pipeline(std::move(compiled)), info(encode::describe(*pipeline)), pool(*pipeline) {}
  std::unique_ptr<encode::Pipeline> pipeline;
  TokenizerInfo info;
  mutable encode::ScratchPool pool;
};

struct Tokenizer::Scratch::Impl {
  std::unique_ptr<encode::EncodeScratch> scratch;
};

}  // namespace toktier
