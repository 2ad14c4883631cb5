#include "selfplay/game_record.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include <xxhash.h>
#include <zstd.h>

#include "selfplay/byte_stream.h"
#include "selfplay/record_codec.h"

namespace baghzero {
namespace {

// A stored game: mark with the version of the format, zstd frame of the content, XXH3 of both.
constexpr std::array kMark = {std::byte{'B'}, std::byte{'Z'}, std::byte{'G'}, std::byte{1}};
constexpr std::size_t kChecksumSize = sizeof(std::uint64_t);
constexpr int kCompressionLevel = 3;

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::vector<std::byte> decompress(std::span<const std::byte> frame) {
  const std::size_t compressed = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (ZSTD_isError(compressed) || compressed != frame.size() || size == ZSTD_CONTENTSIZE_UNKNOWN ||
      size == ZSTD_CONTENTSIZE_ERROR || size > kMaxRecordContent)
    throw std::runtime_error("the stored game is damaged: its compressed part is malformed");
  std::vector<std::byte> content(size);
  const std::size_t written =
      ZSTD_decompress(content.data(), content.size(), frame.data(), frame.size());
  if (ZSTD_isError(written) || written != size)
    throw std::runtime_error("the stored game is damaged: its compressed part cannot be read");
  return content;
}

}  // namespace

std::vector<std::byte> encode_game(const GameRecord& record) {
  const std::vector<std::byte> content = encode_record_content(record);
  std::vector<std::byte> bytes(kMark.size() + ZSTD_compressBound(content.size()));
  std::ranges::copy(kMark, bytes.begin());
  const std::size_t compressed =
      ZSTD_compress(bytes.data() + kMark.size(), bytes.size() - kMark.size(), content.data(),
                    content.size(), kCompressionLevel);
  if (ZSTD_isError(compressed))
    throw std::runtime_error("a game cannot be compressed: " +
                             std::string(ZSTD_getErrorName(compressed)));
  bytes.resize(kMark.size() + compressed);
  ByteWriter tail;
  tail.word(checksum(bytes));
  bytes.insert(bytes.end(), tail.bytes().begin(), tail.bytes().end());
  return bytes;
}

GameRecord decode_game(std::span<const std::byte> bytes) {
  if (bytes.size() < kMark.size() + kChecksumSize)
    throw std::runtime_error("the stored game is damaged: it has only " +
                             std::to_string(bytes.size()) + " bytes");
  const auto [body, tail] =
      std::pair(bytes.first(bytes.size() - kChecksumSize), bytes.last(kChecksumSize));
  if (!std::ranges::equal(body.first(kMark.size() - 1), std::span(kMark).first(kMark.size() - 1)))
    throw std::runtime_error("these bytes are not a stored game: they lack its mark");
  if (body[kMark.size() - 1] != kMark.back())
    throw std::runtime_error("the stored game has format version " +
                             std::to_string(std::to_integer<int>(body[kMark.size() - 1])) +
                             "; this program reads version " +
                             std::to_string(std::to_integer<int>(kMark.back())));
  if (ByteReader(tail).word<std::uint64_t>() != checksum(body))
    throw std::runtime_error("the stored game is damaged: its checksum is wrong");
  return decode_record_content(decompress(body.subspan(kMark.size())));
}

}  // namespace baghzero
