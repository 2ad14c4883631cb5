// A model file without its checksum, which is added here: otherwise no input would come any
// further.
#include <string>

#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "fuzz/fuzz.h"
#include "nn/model_file.h"

using namespace baghzero;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("model", 0);
  static const std::string name = "/proc/self/fd/" + std::to_string(file);
  const std::uint64_t checksum = XXH3_64bits(data, size);
  require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  require(pwrite(file, &checksum, sizeof checksum, static_cast<off_t>(size)) == sizeof checksum);
  (void)accepts([&] { (void)load_model(name); });
  return 0;
}
