#include "decode/utf8_assembler.hpp"

namespace toktier::decode {

void Utf8Assembler::give_up(std::string& out) {
  out += replace_ ? kReplacement : std::string_view(held_);
  held_.clear();
}

void Utf8Assembler::push(std::string_view bytes, std::string& out) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (!machine_.open()) {
      std::size_t end = at;
      while (end < bytes.size() && static_cast<unsigned char>(bytes[end]) < 0x80) ++end;
      out.append(bytes.substr(at, end - at));
      at = end;
      if (at == bytes.size()) return;
    }
    const bool was_open = machine_.open();
    switch (machine_.take(static_cast<unsigned char>(bytes[at]))) {
      case Utf8Machine::Step::inside:
        held_ += bytes[at++];
        break;
      case Utf8Machine::Step::complete:
        out += held_;
        out += bytes[at++];
        held_.clear();
        break;
      case Utf8Machine::Step::invalid:
        if (!was_open) held_ += bytes[at++];  // else the byte is looked at again as a first byte
        give_up(out);
        break;
    }
  }
}

void Utf8Assembler::finish(std::string& out) {
  if (machine_.open()) give_up(out);
  machine_.reset();
}

}  // namespace toktier::decode
