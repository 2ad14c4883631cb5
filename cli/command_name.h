// How people call this program, so that what it prints can be typed.
#pragma once

#include <string>

namespace baghzero {

// "baghzero", or what run.sh was called as, which it leaves in the environment.
std::string command_name();
// Text in which the program is called "baghzero" at the beginning of a line or of a quotation in
// backticks, with the name it was called by.
std::string as_called(const std::string& text);

}  // namespace baghzero
