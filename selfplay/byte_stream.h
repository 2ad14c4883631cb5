// Numbers to bytes and back: little-endian words and variable-length integers. Reading never goes
// beyond the end and accepts one spelling of each number only.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace baghzero {

class ByteWriter {
 public:
  template <std::unsigned_integral Word>
  void word(Word value) {
    for (std::size_t i = 0; i < sizeof(Word); ++i)
      bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  void byte(std::uint8_t value) { word(value); }
  // Seven bits a byte, the lowest first (LEB128).
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  // Small magnitudes of either sign stay short.
  void signed_number(std::int64_t value) {
    number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Every function throws std::runtime_error if the bytes end too early or a number is misspelt.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <std::unsigned_integral Word>
  Word word() {
    if (rest_.size() < sizeof(Word)) throw std::runtime_error("the data ends too early");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Word); ++i)
      value |= std::to_integer<std::uint64_t>(rest_[i]) << (8 * i);
    rest_ = rest_.subspan(sizeof(Word));
    return static_cast<Word>(value);
  }
  std::uint8_t byte() { return word<std::uint8_t>(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint64_t next = byte();
      const bool too_large = shift == 63 && next > 1;
      const bool padded = shift > 0 && next == 0;
      if (too_large || padded) throw std::runtime_error("a number is misspelt");
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }

  std::size_t remaining() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace baghzero
