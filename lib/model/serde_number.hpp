#pragma once
// Numbers as the reference reads them. Internal to this room.

#include <optional>
#include <string_view>

namespace toktier::model {

/// The 64-bit value that tokenizers 0.23.3 gives a JSON number. Its JSON reader (serde_json without
/// its "float_roundtrip" feature) keeps the digits in a 64-bit integer, converts that and
/// multiplies or divides once by a power of ten, so the result may differ from the nearest double
/// in the last bit; scores of Unigram models are compared for equality of sums, so the difference
/// can decide between two segmentations. nullopt when the number is out of range there.
std::optional<double> serde_number(std::string_view json_number);

}  // namespace toktier::model
