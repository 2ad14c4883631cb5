// What the fuzz targets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace baghzero {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

// Reading may refuse, with one of the two exceptions that readers promise; anything else ends the
// program. Returns whether it was accepted.
template <class Read>
bool accepts(Read read) {
  try {
    read();
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  } catch (const std::runtime_error&) {
    return false;
  }
}

// Ends the program, which libFuzzer reports with the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace baghzero
