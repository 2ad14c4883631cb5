// Architecture of the network and where it runs.
#pragma once

#include <cstdint>
#include <string>

namespace baghzero {

struct NetworkSettings {
  int blocks = 4;            // residual blocks, each two 3x3 convolutions
  int channels = 32;         // width of the tower
  int squeeze_channels = 8;  // bottleneck of squeeze-and-excitation; 0 switches it off
  int value_hidden = 64;     // hidden units of the pooled value head

  friend bool operator==(const NetworkSettings&, const NetworkSettings&) = default;
};

enum class Precision : std::uint8_t { Auto, Fp32, Bf16 };

struct InferenceSettings {
  std::string device = "auto";  // "auto", "cpu", "cuda" or "cuda:N"
  Precision precision = Precision::Auto;
  int max_batch = 128;                   // rows of one batch
  std::int64_t cache_entries = 1 << 18;  // 0 switches the cache off
};

}  // namespace baghzero
