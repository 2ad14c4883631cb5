#include "cli/command_name.h"

#include <cstdlib>
#include <string_view>

namespace baghzero {

std::string command_name() {
  const char* name = std::getenv("BAGHZERO_COMMAND");
  return name == nullptr || *name == '\0' ? "baghzero" : name;
}

std::string as_called(const std::string& text) {
  constexpr std::string_view kName = "baghzero ";
  const std::string name = command_name() + " ";
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = text.find(kName); at != std::string::npos; at = text.find(kName, from)) {
    const std::size_t before = text.find_last_not_of(' ', at == 0 ? std::string::npos : at - 1);
    const bool begins =
        at == 0 || before == std::string::npos || text[before] == '\n' || text[at - 1] == '`';
    result.append(text, from, at - from).append(begins ? name : std::string(kName));
    from = at + kName.size();
  }
  return result.append(text, from);
}

}  // namespace baghzero
