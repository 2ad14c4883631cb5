// A FEN that is read is written as one that is read as the same position.
#include <optional>

#include "engine/notation.h"
#include "fuzz/fuzz.h"

using namespace baghzero;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<FenPosition> read;
  if (!accepts([&] { read = parse_fen(text_of(data, size)); })) return 0;
  const FenPosition again = parse_fen(format_fen(read->position, read->goat_moves));
  require(again.position == read->position && again.goat_moves == read->goat_moves);
  (void)game_from_fen(text_of(data, size));
  return 0;
}
