// A stored game: as it is, and its content, which no checksum guards here.
#include <optional>

#include "fuzz/fuzz.h"
#include "selfplay/game_record.h"
#include "selfplay/record_codec.h"

using namespace baghzero;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = bytes_of(data, size);
  accepts([&] { (void)decode_game(bytes); });
  std::optional<GameRecord> record;
  if (!accepts([&] { record = decode_record_content(bytes); })) return 0;
  (void)replay(*record);
  require(decode_record_content(encode_record_content(*record)).moves.size() ==
          record->moves.size());
  return 0;
}
