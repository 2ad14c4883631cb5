// `baghzero export` as a user would run it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/model_file.h"
#include "tests/cli/program.h"
#include "tests/cli/small_disk.h"

namespace baghzero::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class ExportProgram : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_);
    save_network(*make_random_network({}, 1), model_);
  }

  ProgramResult write(const fs::path& file, const std::string& format,
                      const std::string& precision = "fp32") const {
    return run_program({"export", model_.string(), "--format", format, "--precision", precision,
                        "--out", file.string()});
  }
  // Names of what lies in the folder of exports.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename());
    return names;
  }

  const fs::path top_ = fresh_folder("export");
  const fs::path folder_ = top_ / "out";
  const fs::path model_ = top_ / "model.bzn";
};

TEST_F(ExportProgram, WritesEveryFormatOverAnOlderFile) {
  const std::pair<const char*, const char*> kinds[] = {{"baghzero", "fp32"},
                                                       {"torchscript", "fp32"},
                                                       {"torchscript", "fp16"},
                                                       {"onnx", "fp32"},
                                                       {"onnx", "fp16"}};
  std::string before = "older";
  const fs::path file = folder_ / "net";
  std::ofstream(file) << before;
  for (const auto& [format, precision] : kinds) {
    const ProgramResult result = write(file, format, precision);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, AllOf(StartsWith("wrote " + file.string()),
                                  HasSubstr("LibTorch on 1,000 positions, largest difference"),
                                  HasSubstr("limit")));
    EXPECT_THAT(files(), ElementsAre("net"));
    const std::string now = read_text(file);
    EXPECT_NE(now, before) << format << ' ' << precision;
    before = now;
  }
}

TEST_F(ExportProgram, AModelMayBeWrittenOverItself) {
  const std::string bytes = read_text(model_);
  EXPECT_EQ(write(model_, "baghzero").exit_code, 0);
  EXPECT_EQ(read_text(model_), bytes);
}

TEST_F(ExportProgram, WrongUsageIsNamed) {
  const fs::path file = folder_ / "net";
  expect_error(write(file, "onyx"), 2,
               AllOf(HasSubstr("onyx"), HasSubstr("torchscript"), HasSubstr("onnx")));
  expect_error(write(file, "onnx", "fp8"), 2, AllOf(HasSubstr("fp8"), HasSubstr("fp16")));
  expect_error(write(file, "baghzero", "fp16"), 2,
               AllOf(HasSubstr("--precision"), HasSubstr("fp32 by definition")));
  EXPECT_THAT(files(), ElementsAre());
}

TEST_F(ExportProgram, WhereNothingCanBeWrittenIsNamed) {
  for (const char* format : {"baghzero", "torchscript", "onnx"}) {
    expect_error(write(folder_ / "no" / "net", format), 1,
                 HasSubstr("there is no folder " + (folder_ / "no").string()));
    expect_error(write("/dev/full", format), 1,
                 HasSubstr("/dev/full: it is there and is no regular file"));
    EXPECT_THAT(files(), ElementsAre());
  }
}

TEST_F(ExportProgram, ACutModelIsNamedAndTheOlderFileStays) {
  fs::resize_file(model_, fs::file_size(model_) / 2);
  const fs::path file = folder_ / "net";
  std::ofstream(file) << "older";
  for (const char* format : {"baghzero", "torchscript", "onnx"}) {
    expect_error(write(file, format), 1, AllOf(HasSubstr(model_.string()), HasSubstr("truncated")));
    EXPECT_EQ(read_text(file), "older");
    EXPECT_THAT(files(), ElementsAre("net"));
  }
}

TEST_F(ExportProgram, AFullDiskIsNamedAndTheOlderFileStays) {
  const SmallDisk disk(folder_);
  const fs::path file = folder_ / "net";
  std::ofstream(file) << "older";
  for (const char* format : {"baghzero", "torchscript", "onnx"}) {
    const std::string command = disk.prefix() + BAGHZERO_BINARY " export " + model_.string() +
                                " --format " + format + " --out " + file.string() + " >" +
                                (top_ / "out.txt").string() + " 2>" + (top_ / "err.txt").string();
    const int status = std::system(command.c_str());
    expect_error({WEXITSTATUS(status), read_text(top_ / "out.txt"), read_text(top_ / "err.txt")}, 1,
                 AllOf(HasSubstr("cannot write " + file.string()), HasSubstr("free space")));
    EXPECT_EQ(read_text(file), "older");
    EXPECT_THAT(files(), ElementsAre("net"));
  }
}

}  // namespace
}  // namespace baghzero::test
