// The network that is part of the program, so that it plays without any file.
#pragma once

#include <string_view>

namespace baghzero {

// The bytes of networks/built-in.bzn, a model file.
std::string_view built_in_network();

}  // namespace baghzero
