// Random numbers: small, fast, seedable streams whose state can be stored and restored.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "engine/position.h"

namespace baghzero {

// xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2019),
// seeded through SplitMix64. Satisfies std::uniform_random_bit_generator.
class Random {
 public:
  using result_type = std::uint64_t;
  using State = std::array<std::uint64_t, 4>;

  // Streams of one seed are independent of each other: give every slot or game its own.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t counter = mix_bits(seed + 0x9e3779b97f4a7c15ULL) ^ mix_bits(~stream);
    for (auto& word : state_) word = mix_bits(counter += 0x9e3779b97f4a7c15ULL);
  }
  explicit Random(const State& state) : state_(state) {}
  const State& state() const { return state_; }

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  result_type operator()() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }
  // Uniform in [0, bound), bound > 0; the bias of at most bound / 2^32 is ignored.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((*this)() >> 32) * bound >> 32);
  }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
  }
  State state_;
};

}  // namespace baghzero
