// Vectors of floats of the width this build's processor has, by the vector extensions that GCC and
// Clang share, and memory aligned for them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace baghzero {

#if defined(__AVX512F__)
inline constexpr int kLanes = 16;
#elif defined(__AVX__)
inline constexpr int kLanes = 8;
#else
inline constexpr int kLanes = 4;
#endif

using Vec [[gnu::vector_size(kLanes * sizeof(float))]] = float;
using IntVec [[gnu::vector_size(kLanes * sizeof(std::int32_t))]] = std::int32_t;

constexpr int round_up(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

[[gnu::always_inline]] inline Vec load(const float* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
[[gnu::always_inline]] inline void store(float* to, Vec v) { std::memcpy(to, &v, sizeof v); }
[[gnu::always_inline]] inline Vec broadcast(float x) { return x - Vec{}; }

// Keeps a NaN, so that faults stay visible at the outputs.
[[gnu::always_inline]] inline Vec relu(Vec v) { return Vec{} > v ? Vec{} : v; }
[[gnu::always_inline]] inline Vec max(Vec a, Vec b) { return a > b ? a : b; }

[[gnu::always_inline]] inline float sum(Vec v) {
  float total = 0;
  for (int i = 0; i < kLanes; ++i) total += v[i];
  return total;
}

// e^x to about 2 units in the last place; arguments are clamped to -87..88. Cody-Waite reduction to
// x = n ln 2 + r and a polynomial in r (coefficients of the Cephes library's expf).
[[gnu::always_inline]] inline Vec exp(Vec x) {
  const Vec low = broadcast(-87);
  const Vec high = broadcast(88);
  x = x < low ? low : x;
  x = x > high ? high : x;
  constexpr float kRound = 0x1.8p23F;  // adding it rounds to an integer in the low mantissa bits
  const Vec shifted = x * 1.44269504F + kRound;
  const Vec n = shifted - kRound;
  const Vec r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  Vec p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  const IntVec power = (std::bit_cast<IntVec>(shifted) + 127) << 23;
  return p * std::bit_cast<Vec>(power);
}

// A fixed number of floats, zero at first, aligned to cache lines.
class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(std::size_t size) : size_(size) {
    constexpr std::size_t kLine = 64;
    const std::size_t bytes = (size * sizeof(float) + kLine - 1) / kLine * kLine;
    data_.reset(static_cast<float*>(std::aligned_alloc(kLine, bytes)));
    if (!data_) throw std::bad_alloc();
    std::memset(data_.get(), 0, bytes);
  }
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  float& operator[](std::size_t i) { return data_[i]; }
  float operator[](std::size_t i) const { return data_[i]; }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace baghzero
