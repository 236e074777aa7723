#include "apps/encode/failures.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace toktier::encode_app {

void Failures::add(const Error& error) {
  if (fast_ || !concerns_one_input(error)) throw error;
  fmt::print(stderr, "toktier-encode: {}\n", error.what());
  ++count_;
  code_ = cli::worse(code_, cli::exit_code_of(error.code()));
}

}  // namespace toktier::encode_app
