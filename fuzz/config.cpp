// A configuration that is read is written as one that is read as the same configuration.
#include "cli/config.h"

#include <optional>

#include "fuzz/fuzz.h"

using namespace baghzero;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<RunConfig> read;
  if (!accepts([&] { read = parse_config(text_of(data, size), "input"); })) return 0;
  require(differing_keys(parse_config(to_toml(*read), "again"), *read).empty());
  return 0;
}
