#pragma once
// Our tokenizer as an engine, and the same with a planted fault.

#include "diff/engine.hpp"

#include <memory>

namespace toktier::diff {

/// `tokenizer` is shared by the lanes; scratch space is the engine's own.
std::unique_ptr<Engine> make_cpu_engine(std::shared_ptr<const Tokenizer> tokenizer);

enum class Fault {
  id,      // the last id of a document that holds a 'q' is one off
  span,    // its last span ends one byte early
  piece,   // its last piece is lost
  decode,  // its last byte is lost when a text holding 'q' is decoded
  refuse,  // it is refused
  order,   // the answers of two neighbouring documents are exchanged when the first holds a 'q'
};

/// `engine` with one fault, to prove that the harness sees it.
std::unique_ptr<Engine> make_faulty_engine(std::unique_ptr<Engine> engine, Fault fault);

}  // namespace toktier::diff
