#include "play/built_in_network.h"

// The assembler copies the file: no compiler has to read it as source text.
__asm__(
    ".pushsection .rodata\n"
    "baghzero_built_in_network_begin:\n"
    ".incbin \"" BAGHZERO_BUILT_IN_NETWORK
    "\"\n"
    "baghzero_built_in_network_end:\n"
    ".popsection\n");

extern "C" {
extern const char baghzero_built_in_network_begin[];
extern const char baghzero_built_in_network_end[];
}

namespace baghzero {

std::string_view built_in_network() {
  return {baghzero_built_in_network_begin, baghzero_built_in_network_end};
}

}  // namespace baghzero
