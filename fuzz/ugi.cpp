// Lines to the engine. What `go` asks for is read, but no search is begun: it has tests of its own.
#include "play/ugi.h"

#include <sstream>

#include "fuzz/fuzz.h"
#include "play/position_text.h"
#include "play/time_control.h"

using namespace baghzero;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::ostringstream out;
  UgiSession session(out, {});
  std::istringstream lines{std::string(text_of(data, size))};
  for (std::string line; std::getline(lines, line);) {
    const auto words = split_words(line);
    if (!words.empty() && words[0] == "go") {
      accepts(
          [&] { (void)plan_search(parse_go(std::span(words).subspan(1)), Side::Goat, 800, 10); });
    } else if (!session.handle(line)) {
      break;
    }
    out.str("");
  }
  session.finish();
  return 0;
}
