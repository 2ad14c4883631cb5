// How commands write numbers and texts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace baghzero {

// "1,234,567".
std::string with_thousands(std::uint64_t value);
// "3.65 billion", "12.3 million", "45,678", "9.25".
std::string short_number(double value);
// "62.5 %" of a share 0..1.
std::string percent(double share);

// Writes the whole text to `file`, or to standard output if it is "-". Throws std::runtime_error
// naming the file.
void write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace baghzero
