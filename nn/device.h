// Names of devices: "auto", "cpu", "cuda", "cuda:N".
#pragma once

#include <string>

namespace baghzero {

struct Device {
  bool cuda = false;
  int index = 0;  // of the CUDA device

  friend bool operator==(const Device&, const Device&) = default;
};

// "auto" is the first CUDA device if there is one, else the CPU. Throws std::runtime_error saying
// what to do if the name is unknown or the device does not exist.
Device find_device(const std::string& name);
// "cpu", or "cuda:0 (name)".
std::string describe(const Device& device);

}  // namespace baghzero
