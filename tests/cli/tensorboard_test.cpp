#include "cli/tensorboard.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace baghzero::test {
namespace {

// A reader written from the formats' descriptions, not from the writer: CRC bit by bit, generic
// protocol-buffer fields.

std::uint32_t slow_masked_crc(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc & 1) ? (crc >> 1) ^ 0x82F63B78 : crc >> 1;
  }
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8;
}

template <class T>
T little_endian(std::string_view bytes) {
  T value{};
  if (bytes.size() < sizeof(T)) throw std::runtime_error("truncated");
  std::memcpy(&value, bytes.data(), sizeof(T));  // the tests run on little-endian machines
  return value;
}

struct Field {
  int number = 0;
  std::uint64_t integer = 0;  // varint
  std::string_view bytes;     // length-delimited and fixed
};

std::uint64_t read_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    if (bytes.empty() || shift > 63) throw std::runtime_error("bad varint");
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
}

std::vector<Field> read_message(std::string_view bytes) {
  std::vector<Field> fields;
  while (!bytes.empty()) {
    const std::uint64_t tag = read_varint(bytes);
    Field field{static_cast<int>(tag >> 3), 0, {}};
    std::size_t length = 0;
    switch (tag & 7) {
      case 0:
        field.integer = read_varint(bytes);
        break;
      case 1:
        length = 8;
        break;
      case 2:
        length = read_varint(bytes);
        break;
      case 5:
        length = 4;
        break;
      default:
        throw std::runtime_error("unknown wire type");
    }
    if (length > bytes.size()) throw std::runtime_error("truncated field");
    field.bytes = bytes.substr(0, length);
    bytes.remove_prefix(length);
    fields.push_back(field);
  }
  return fields;
}

struct Event {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string file_version;
  std::map<std::string, float> scalars;
  std::uint64_t session_status = 0;
};

Event read_event(std::string_view bytes) {
  Event event;
  for (const Field& field : read_message(bytes)) {
    if (field.number == 1) event.wall_time = little_endian<double>(field.bytes);
    if (field.number == 2) event.step = static_cast<std::int64_t>(field.integer);
    if (field.number == 3) event.file_version = field.bytes;
    if (field.number == 7)
      for (const Field& part : read_message(field.bytes))
        if (part.number == 1) event.session_status = part.integer;
    if (field.number != 5) continue;
    for (const Field& value : read_message(field.bytes)) {
      EXPECT_EQ(value.number, 1);
      std::string tag;
      float scalar = 0;
      for (const Field& part : read_message(value.bytes)) {
        if (part.number == 1) tag = part.bytes;
        if (part.number == 2) scalar = little_endian<float>(part.bytes);
      }
      event.scalars[tag] = scalar;
    }
  }
  return event;
}

std::vector<Event> read_events(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  const std::string all = text.str();
  std::string_view bytes = all;
  std::vector<Event> events;
  while (!bytes.empty()) {
    const auto length = little_endian<std::uint64_t>(bytes);
    EXPECT_EQ(little_endian<std::uint32_t>(bytes.substr(8)), slow_masked_crc(bytes.substr(0, 8)));
    const std::string_view data = bytes.substr(12, length);
    EXPECT_EQ(little_endian<std::uint32_t>(bytes.substr(12 + length)), slow_masked_crc(data));
    events.push_back(read_event(data));
    bytes.remove_prefix(16 + length);
  }
  return events;
}

TEST(TensorBoard, ChecksumsAgreeWithPublishedVectors) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);              // the CRC's check value
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);    // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);  // RFC 3720, B.4
  EXPECT_EQ(masked_crc32c("foo"), slow_masked_crc("foo"));
}

TEST(TensorBoard, WhatIsWrittenIsReadBack) {
  TensorBoardWriter writer(fresh_folder("tensorboard"));
  writer.add_scalars(1234.5, 0, {{"loss/policy", 3.25}, {"loss/value", -0.5}});
  writer.add_scalars(1235.5, 123'456'789'012, {{"selfplay/evals_per_second", 1e6}});
  writer.add_scalars(1236.5, 300, {});
  const auto events = read_events(writer.file());
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_GT(events[0].wall_time, 1.6e9);
  EXPECT_EQ(events[1].wall_time, 1234.5);
  EXPECT_EQ(events[1].step, 0);
  EXPECT_EQ(events[1].scalars,
            (std::map<std::string, float>{{"loss/policy", 3.25F}, {"loss/value", -0.5F}}));
  EXPECT_EQ(events[2].step, 123'456'789'012);
  EXPECT_EQ(events[2].scalars, (std::map<std::string, float>{{"selfplay/evals_per_second", 1e6F}}));
  EXPECT_TRUE(events[3].scalars.empty());
}

TEST(TensorBoard, WhatIsDoneAgainIsDroppedBefore) {
  TensorBoardWriter writer(fresh_folder("tensorboard_again"));
  writer.drop_from(101);
  const auto events = read_events(writer.file());
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].session_status, 0U);
  EXPECT_EQ(events[1].session_status, 1U);  // START: TensorBoard forgets step 101 and later ones
  EXPECT_EQ(events[1].step, 101);
  EXPECT_TRUE(events[1].scalars.empty());
}

TEST(TensorBoard, FileNameIsRecognisedByTensorBoard) {
  const TensorBoardWriter writer(fresh_folder("tensorboard_name"));
  EXPECT_THAT(writer.file().filename().string(), testing::HasSubstr("tfevents"));
}

// TensorBoard never goes back to a file whose name comes before one it has read.
TEST(TensorBoard, FilesAreNamedInTheOrderOfTheirMakingWhateverTheClockSays) {
  const fs::path folder = fresh_folder("tensorboard_order");
  const fs::path of_tomorrow = folder / "events.out.tfevents.9876543210987654.1.baghzero";
  std::ofstream(of_tomorrow).close();
  std::ofstream(folder / "events.out.tfevents.99999999999999999.somebody").close();
  const TensorBoardWriter first(folder);
  const TensorBoardWriter second(folder);
  EXPECT_GT(first.file().string(), of_tomorrow.string());
  EXPECT_GT(second.file().string(), first.file().string());
  EXPECT_THAT(second.file().filename().string(), testing::HasSubstr("tfevents.9876543210987656."));
}

TEST(TensorBoard, FolderThatCannotBeMadeIsNamed) {
  try {
    TensorBoardWriter writer("/dev/null/tensorboard");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/dev/null/tensorboard"));
  }
}

}  // namespace
}  // namespace baghzero::test
