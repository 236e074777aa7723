// ShareGPT's shape of data for training.

#include "replay/formats/conversations.hpp"
#include "replay/formats/formats.hpp"

namespace toktier::replay::formats {
namespace {
bool recognise(const Outline& outline) {
  return outline.has("[].conversations") || outline.has("conversations[].from");
}
}  // namespace

const Format kShareGpt = {"sharegpt", "records with conversations of {from, value}", recognise,
                          read_conversations};

}  // namespace toktier::replay::formats
