// How numbers and messages are written for people.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace baghzero {

// "1,234,567", "-1,000".
std::string grouped(std::int64_t number);
// "1 worker", "1,200 games"; `plural` where an s is not enough.
std::string counted(std::int64_t number, std::string_view singular, std::string_view plural = {});
// With that many digits after the point; `sign` also for positive numbers.
std::string decimal(double value, int digits, bool sign = false);
// "62.5 %" of a share 0..1.
std::string percent(double share, int digits = 1);
// "one, two, three".
std::string listed(std::span<const std::string> names);
// The text with every run of line breaks replaced by "; ", none at its end.
std::string on_one_line(std::string_view text);
// In quotation marks, as a message quotes what somebody wrote: cut where it is long, with \xNN for
// bytes that are no printable ASCII.
std::string quoted(std::string_view text);
// The path as a word of a shell command.
std::string shell_word(const std::filesystem::path& path);
// The candidate that `text` was probably meant to be, or "" if none is near.
std::string nearest_name(std::string_view text, std::span<const std::string> candidates);

}  // namespace baghzero
