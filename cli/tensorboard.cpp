#include "cli/tensorboard.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include <unistd.h>

namespace baghzero {
namespace {

constexpr std::uint32_t kCastagnoli = 0x82F63B78U;  // reflected polynomial
constexpr std::uint32_t kMaskDelta = 0xA282EAD8U;

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int b = 0; b < 8; ++b) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kCastagnoli : 0);
    table[i] = crc;
  }
  return table;
}
constexpr auto kCrcTable = make_crc_table();

// Field numbers of tensorflow.Event, Summary, Summary.Value and SessionLog.
constexpr std::uint32_t kEventWallTime = 1;
constexpr std::uint32_t kEventStep = 2;
constexpr std::uint32_t kEventFileVersion = 3;
constexpr std::uint32_t kEventSummary = 5;
constexpr std::uint32_t kEventSessionLog = 7;
constexpr std::uint32_t kSummaryValue = 1;
constexpr std::uint32_t kValueTag = 1;
constexpr std::uint32_t kValueSimple = 2;
constexpr std::uint32_t kSessionStatus = 1;
constexpr std::int64_t kSessionStart = 1;

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  out += static_cast<char>(value);
}
void put_tag(std::string& out, std::uint32_t field, WireType type) {
  put_varint(out, (field << 3U) | static_cast<std::uint32_t>(type));
}
template <class Unsigned>
void put_fixed(std::string& out, Unsigned value) {
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
    out += static_cast<char>((value >> (8 * i)) & 0xFFU);
}
void put_double(std::string& out, std::uint32_t field, double value) {
  put_tag(out, field, WireType::Fixed64);
  put_fixed(out, std::bit_cast<std::uint64_t>(value));
}
void put_float(std::string& out, std::uint32_t field, float value) {
  put_tag(out, field, WireType::Fixed32);
  put_fixed(out, std::bit_cast<std::uint32_t>(value));
}
void put_integer(std::string& out, std::uint32_t field, std::int64_t value) {
  put_tag(out, field, WireType::Varint);
  put_varint(out, static_cast<std::uint64_t>(value));
}
void put_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  put_tag(out, field, WireType::Bytes);
  put_varint(out, bytes.size());
  out += bytes;
}

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

constexpr std::string_view kFilePrefix = "events.out.tfevents.";
constexpr std::string_view kFileSuffix = ".baghzero";

// The number in the name of a file of ours; 0 for other files.
std::int64_t number_in(const std::string& name) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000'000;
  if (!name.starts_with(kFilePrefix) || !name.ends_with(kFileSuffix)) return 0;
  const std::int64_t number = std::atoll(name.c_str() + kFilePrefix.size());
  return number < kMost ? number : 0;
}

// TensorBoard reads files whose name holds "tfevents" in the order of their names and never goes
// back to an earlier one, so that a clock which was set back must not name a later file.
std::filesystem::path new_file(const std::filesystem::path& folder) {
  auto number = static_cast<std::int64_t>(now_seconds() * 1e6);
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    number = std::max(number, 1 + number_in(entry.path().filename().string()));
  return folder / (std::string(kFilePrefix) + std::to_string(number) + "." +
                   std::to_string(::getpid()) + std::string(kFileSuffix));
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes)
    crc = kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xFFU] ^ (crc >> 8U);
  return ~crc;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + kMaskDelta;
}

TensorBoardWriter::TensorBoardWriter(const std::filesystem::path& folder)
    : file_(new_file(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  stream_.open(file_, std::ios::binary);
  if (error || !stream_)
    throw std::runtime_error("cannot create the TensorBoard file " + file_.string() +
                             "; is the folder writable?");
  std::string event;
  put_double(event, kEventWallTime, now_seconds());
  put_bytes(event, kEventFileVersion, "brain.Event:2");
  write_record(event);
}

void TensorBoardWriter::add_scalars(double wall_time, std::int64_t step,
                                    const std::map<std::string, double>& values) {
  std::string summary;
  for (const auto& [tag, value] : values) {
    std::string entry;
    put_bytes(entry, kValueTag, tag);
    put_float(entry, kValueSimple, static_cast<float>(value));
    put_bytes(summary, kSummaryValue, entry);
  }
  std::string event;
  put_double(event, kEventWallTime, wall_time);
  put_integer(event, kEventStep, step);
  put_bytes(event, kEventSummary, summary);
  write_record(event);
}

// As TensorFlow tells it: a session begins at that step.
void TensorBoardWriter::drop_from(std::int64_t step) {
  std::string session;
  put_integer(session, kSessionStatus, kSessionStart);
  std::string event;
  put_double(event, kEventWallTime, now_seconds());
  put_integer(event, kEventStep, step);
  put_bytes(event, kEventSessionLog, session);
  write_record(event);
}

void TensorBoardWriter::write_record(std::string_view event) {
  std::string length;
  put_fixed(length, static_cast<std::uint64_t>(event.size()));
  std::string record = length;
  put_fixed(record, masked_crc32c(length));
  record += event;
  put_fixed(record, masked_crc32c(event));
  stream_.write(record.data(), static_cast<std::streamsize>(record.size()));
  stream_.flush();
  if (!stream_)
    throw std::runtime_error("cannot write to the TensorBoard file " + file_.string() +
                             "; check the free space there and go on with --resume");
}

}  // namespace baghzero
