#include "nn/device.h"

#include <charconv>
#include <stdexcept>

#ifdef BAGHZERO_CUDA
#include <ATen/cuda/CUDAContext.h>
#endif

namespace baghzero {
namespace {

int cuda_device_count() {
#ifdef BAGHZERO_CUDA
  return at::cuda::device_count();
#else
  return 0;
#endif
}

std::string why_no_cuda() {
#ifdef BAGHZERO_CUDA
  return "no NVIDIA GPU answers; check the driver with nvidia-smi, or set device = \"cpu\".";
#else
  return "this program was built with a LibTorch without CUDA; set device = \"cpu\", or build with "
         "a CUDA build of LibTorch (./run.sh setup --cuda).";
#endif
}

}  // namespace

Device find_device(const std::string& name) {
  if (name == "cpu") return {};
  const int count = cuda_device_count();
  if (name == "auto") return {count > 0, 0};
  int index = 0;
  if (name != "cuda") {
    const std::string prefix = "cuda:";
    const char* const end = name.data() + name.size();
    const char* const begin = name.data() + prefix.size();
    if (!name.starts_with(prefix) || begin == end ||
        std::from_chars(begin, end, index).ptr != end || index < 0)
      throw std::runtime_error("There is no device \"" + name +
                               "\"; a device is \"auto\", \"cpu\", \"cuda\" or \"cuda:N\".");
  }
  if (count == 0)
    throw std::runtime_error("device = \"" + name + "\" cannot be used: " + why_no_cuda());
  if (index >= count)
    throw std::runtime_error("device = \"" + name + "\" does not exist: this machine has " +
                             std::to_string(count) + " CUDA device(s), counted from 0.");
  return {true, index};
}

std::string describe(const Device& device) {
  if (!device.cuda) return "cpu";
  std::string text = "cuda:" + std::to_string(device.index);
#ifdef BAGHZERO_CUDA
  const auto index = static_cast<c10::DeviceIndex>(device.index);
  text += " (" + std::string(at::cuda::getDeviceProperties(index)->name) + ")";
#endif
  return text;
}

}  // namespace baghzero
