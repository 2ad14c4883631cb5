#include "cli/error_text.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "play/application.h"

namespace baghzero {
namespace {

std::string told_of(void (*call)()) {
  try {
    call();
  } catch (const std::exception& error) {
    return without_frames(error.what());
  }
  return "";
}

TEST(ErrorText, LibTorchsFramesAreLeftOut) {
  const std::string text = told_of([] { at::zeros({2, 3}).view({4}); });
  EXPECT_EQ(text, "shape '[4]' is invalid for input of size 6");
}

TEST(ErrorText, ALackOfMemoryIsToldInTheProgramsWords) {
  EXPECT_EQ(told_of([] { at::empty({std::int64_t{1} << 45}); }), kOutOfMemory);
}

TEST(ErrorText, OtherTextsStay) {
  EXPECT_EQ(without_frames("game 3 cannot be used"), "game 3 cannot be used");
  EXPECT_EQ(without_frames(""), "");
}

}  // namespace
}  // namespace baghzero
