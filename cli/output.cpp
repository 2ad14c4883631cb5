#include "cli/output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "engine/durable_file.h"
#include "engine/text.h"

namespace baghzero {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

std::string short_number(double value) {
  if (value >= 1e9) return formatted("%.3g billion", value / 1e9);
  if (value >= 1e6) return formatted("%.3g million", value / 1e6);
  return value >= 100 ? grouped(static_cast<std::int64_t>(value)) : formatted("%.3g", value);
}

namespace {

[[noreturn]] void fail_writing(const std::filesystem::path& file) {
  throw std::runtime_error("cannot write " + file.string() + ": " + std::strerror(errno) +
                           "; check the folder and the disk, or name another file");
}

// A run's database, a network, a state: nothing that a text may take the place of.
bool is_binary(const std::filesystem::path& file) {
  std::array<char, 64> head{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), head.size());
  return std::count(head.begin(), head.begin() + stream.gcount(), '\0') > 0;
}

}  // namespace

void refuse_binary(const std::filesystem::path& file) {
  if (std::filesystem::is_regular_file(file) && is_binary(file))
    throw std::runtime_error(file.string() +
                             " is no text and is not overwritten: name another file");
}

void write_text(const std::filesystem::path& file, std::string_view text) {
  if (file == "-") {
    std::cout << text;
    return;
  }
  refuse_binary(file);
  std::ofstream stream(file, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) fail_writing(file);
}

void check_output(const std::filesystem::path& file) {
  if (file.empty() || file == "-") return;
  refuse_binary(file);
  const std::filesystem::path target = follow_links(file);
  const std::filesystem::file_status status = std::filesystem::status(target);
  const bool there = std::filesystem::exists(status);
  // Whoever reads a pipe would leave once it had been opened and closed. A folder cannot be opened.
  if (there && !std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status))
    return;
  if (!std::ofstream(target, std::ios::binary | std::ios::app)) fail_writing(file);
  if (!there) std::filesystem::remove(target);
}

}  // namespace baghzero
