#pragma once
// What `inspect` prints of a tokenizer.

#include "encode/pipeline.hpp"
#include "toktier/tokenizer.hpp"

namespace toktier::encode {

TokenizerInfo describe(const Pipeline& pipeline);

}  // namespace toktier::encode
