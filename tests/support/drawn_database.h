// A solved game made up for tests.
#pragma once

#include <filesystem>

namespace baghzero::test {

// Writes a movement phase in which everything is a draw that does not end at once: enough for what
// programs say and do not say, without the minute that solving takes.
void make_drawn_movement(const std::filesystem::path& folder);

}  // namespace baghzero::test
