// Disks that are soon full.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/mount.h>

#include "tests/cli/program.h"

namespace baghzero::test {

// A small disk in memory; where none may be mounted, files that may not grow beyond the same size.
class SmallDisk {
 public:
  explicit SmallDisk(fs::path folder) : folder_(std::move(folder)) {
    mounted_ = ::mount("none", folder_.c_str(), "tmpfs", 0, kSmall) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  void grow() {
    if (mounted_) {
      ASSERT_EQ(::mount("none", folder_.c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
    }
    small_ = false;
  }
  // How a shell must begin a command that writes there.
  std::string prefix() const { return small_ && !mounted_ ? "ulimit -f 600; exec " : "exec "; }

 private:
  static constexpr const char* kSmall = "size=300k";
  fs::path folder_;
  bool mounted_ = false;
  bool small_ = true;
};

}  // namespace baghzero::test
