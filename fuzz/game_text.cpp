// A file of games; a game that is read is written as one that is read as the same game.
#include <optional>

#include "engine/notation.h"
#include "fuzz/fuzz.h"
#include "selfplay/game_file.h"

using namespace baghzero;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  for (const GameText& part : split_games(text)) {
    std::optional<FiledGame> read;
    if (!accepts([&] { read = parse_filed_game(part.text); })) continue;
    const FiledGame again = parse_filed_game(format_filed_game(*read));
    require(again.game.position() == read->game.position());
    require(again.game.plies() == read->game.plies());
    require(again.game.outcome() == read->game.outcome());
    require(again.game.rules() == read->game.rules());
  }
  accepts([&] { (void)parse_game(text); });
  return 0;
}
