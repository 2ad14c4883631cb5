#include "tests/support/drawn_database.h"

#include <cstdint>
#include <vector>

#include "engine/solver/database.h"

namespace baghzero::test {

void make_drawn_movement(const std::filesystem::path& folder) {
  for (int captured = 0; captured < kSolvedCaptures; ++captured) {
    const StreamShape shape = movement_shape(captured);
    CompressedFileWriter writer(shape);
    const std::vector<std::uint8_t> draws(shape.stream_bytes);
    for (std::uint64_t i = 0; i < shape.streams; ++i) writer.set_stream(i, draws);
    writer.write(movement_file(folder, captured));
  }
}

}  // namespace baghzero::test
