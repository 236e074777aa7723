#pragma once
// Whole numbers on command lines: what a conversion would take in silence (a sign, too many digits)
// is wrong use.

#include <cstdint>

namespace CLI {
class Validator;
}

namespace toktier::cli {

/// A validator for options of an unsigned type: digits only, in the range.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

}  // namespace toktier::cli
