// How commands write numbers and texts.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace baghzero {

// "3.65 billion", "12.3 million", "45,678", "9.25".
std::string short_number(double value);

// Writes the whole text to `file`, or to standard output if it is "-". Throws std::runtime_error
// naming the file.
void write_text(const std::filesystem::path& file, std::string_view text);
// Throws std::runtime_error if `file` is there and no text: nothing that a text may take the place
// of.
void refuse_binary(const std::filesystem::path& file);
// For before long work: throws as write_text() would if `file` cannot be written, and changes
// nothing. Does nothing for "" and "-"; pipes and devices are not tried.
void check_output(const std::filesystem::path& file);

}  // namespace baghzero
