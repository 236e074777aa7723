#pragma once
// The fields that the Metaspace pre-tokenizer and the Metaspace decoder share. Internal to this
// room.

#include "model/json_fields.hpp"
#include "model/spec.hpp"

#include <string>

namespace toktier::model {

struct MetaspaceFields {
  std::string replacement;
  PrependScheme prepend_scheme = PrependScheme::always;
  bool split = true;
};
MetaspaceFields read_metaspace_fields(Fields& f);

}  // namespace toktier::model
