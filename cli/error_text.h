// Errors of libraries in the words of this program.
#pragma once

#include <string>

namespace baghzero {

// Of what LibTorch says, what concerns a person: without the frames of its stack, and a lack of
// memory as it is told everywhere else. Other texts stay as they are.
std::string without_frames(const std::string& text);

}  // namespace baghzero
