#pragma once
// Steps that work on characters of a token as they come: Fuse, Replace, Strip, Metaspace, blank
// join.

#include "decode/stage.hpp"

#include <memory>
#include <string>

namespace toktier::decode {

std::unique_ptr<Stage> make_fuse_stage(Stage* next);
std::unique_ptr<Stage> make_replace_stage(const model::DecReplace& step, Stage* next,
                                          const std::string& where);
std::unique_ptr<Stage> make_strip_stage(const model::DecStrip& step, Stage* next,
                                        const std::string& where);
std::unique_ptr<Stage> make_metaspace_stage(const model::DecMetaspace& step, Stage* next);

}  // namespace toktier::decode
