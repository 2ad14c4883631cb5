// A file of many equally long arrays of bytes ("streams"), compressed in blocks so that any byte
// can be read soon: memory-mapped, checksummed, written whole or not at all.
//
// Layout, little-endian: a header of 64 bytes (magic, version, kind, layer, block size, streams,
// bytes per stream, bytes of data, checksums of table and header), the table (offset of every block
// and of the end as u64, then a checksum of every block as u32), the blocks as zstd frames. A block
// never reaches over the end of its stream. Checksums are XXH3.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace baghzero {

enum class SolvedKind : std::uint32_t { Movement = 1, Placement = 2 };

struct StreamShape {
  SolvedKind kind{};
  std::uint32_t layer = 0;
  std::uint64_t streams = 0;
  std::uint64_t stream_bytes = 0;  // at least 1
  friend bool operator==(const StreamShape&, const StreamShape&) = default;
};

// Bytes of an uncompressed block, the last of a stream excepted.
inline constexpr std::uint32_t kBlockBytes = 16384;
// Of the format and of what its bytes mean; files of another version are refused.
inline constexpr std::uint32_t kSolvedVersion = 1;

constexpr std::uint64_t blocks_per_stream(const StreamShape& shape) {
  return (shape.stream_bytes + kBlockBytes - 1) / kBlockBytes;
}

// Collects compressed streams in memory, then writes the file.
class CompressedFileWriter {
 public:
  explicit CompressedFileWriter(const StreamShape& shape);
  // `bytes` must be as long as a stream. May be called by several threads for different streams.
  void set_stream(std::uint64_t stream, std::span<const std::uint8_t> bytes);
  // All streams must be set. As write_durably(). Returns the size of the file.
  std::uint64_t write(const std::filesystem::path& file) const;

 private:
  StreamShape shape_;
  struct Stream {
    std::string data;
    std::vector<std::uint32_t> sizes;  // of its blocks
    std::vector<std::uint32_t> checksums;
  };
  std::vector<Stream> streams_;
};

// An open file; immutable, usable by all threads.
class CompressedFile {
 public:
  // Checks everything but the blocks, which are checked as they are read. Throws std::runtime_error
  // with one sentence if the file cannot be read, is no such file, of another version, truncated,
  // damaged or of another shape than `expected`.
  CompressedFile(std::filesystem::path file, const StreamShape& expected);
  ~CompressedFile();
  CompressedFile(const CompressedFile&) = delete;
  CompressedFile& operator=(const CompressedFile&) = delete;

  const StreamShape& shape() const { return shape_; }
  std::uint64_t file_bytes() const { return size_; }
  std::uint64_t blocks() const { return shape_.streams * blocks_per_stream(shape_); }
  std::uint32_t block_size(std::uint64_t block) const;
  // Decompresses a block; `out` is block_size(block) bytes long. Throws std::runtime_error if the
  // block is damaged.
  void read_block(std::uint64_t block, std::span<std::uint8_t> out) const;
  // A whole stream; `out` is shape().stream_bytes long.
  void read_stream(std::uint64_t stream, std::span<std::uint8_t> out) const;
  // Compares the checksums of all blocks. Throws as read_block().
  void verify() const;

 private:
  std::string_view compressed(std::uint64_t block) const;
  void check(const StreamShape& expected);
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path file_;
  const char* bytes_ = nullptr;
  std::uint64_t size_ = 0;
  StreamShape shape_;
  std::span<const std::uint64_t> offsets_;
  std::span<const std::uint32_t> checksums_;
  std::uint64_t data_begin_ = 0;
};

}  // namespace baghzero
