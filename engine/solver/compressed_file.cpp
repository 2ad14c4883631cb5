#include "engine/solver/compressed_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "engine/durable_file.h"

namespace baghzero {
namespace {

static_assert(std::endian::native == std::endian::little, "the tables are mapped as they are");

constexpr std::array<char, 8> kMagic = {'B', 'Z', 'S', 'O', 'L', 'V', 'E', 'D'};
constexpr int kCompressionLevel = 3;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kSolvedVersion;
  std::uint32_t kind = 0;
  std::uint32_t layer = 0;
  std::uint32_t block_bytes = kBlockBytes;
  std::uint64_t streams = 0;
  std::uint64_t stream_bytes = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t table_checksum = 0;
  std::uint64_t header_checksum = 0;  // of all before it
};
static_assert(sizeof(Header) == 64);

std::uint64_t checksum_of(const Header& header) {
  return XXH3_64bits(&header, offsetof(Header, header_checksum));
}
std::uint32_t checksum_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

std::uint64_t table_bytes(std::uint64_t blocks) {
  return (blocks + 1) * sizeof(std::uint64_t) + blocks * sizeof(std::uint32_t);
}

template <class T>
std::string_view as_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

CompressedFileWriter::CompressedFileWriter(const StreamShape& shape)
    : shape_(shape), streams_(shape.streams) {}

void CompressedFileWriter::set_stream(std::uint64_t stream, std::span<const std::uint8_t> bytes) {
  assert(bytes.size() == shape_.stream_bytes);
  thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                                  &ZSTD_freeCCtx);
  std::array<char, ZSTD_COMPRESSBOUND(kBlockBytes)> frame;
  Stream& out = streams_[stream];
  for (std::size_t begin = 0; begin < bytes.size(); begin += kBlockBytes) {
    const auto block =
        bytes.subspan(begin, std::min<std::size_t>(kBlockBytes, bytes.size() - begin));
    const std::size_t size = ZSTD_compressCCtx(context.get(), frame.data(), frame.size(),
                                               block.data(), block.size(), kCompressionLevel);
    if (ZSTD_isError(size) != 0)
      throw std::runtime_error(std::string("cannot compress: ") + ZSTD_getErrorName(size));
    out.data.append(frame.data(), size);
    out.sizes.push_back(static_cast<std::uint32_t>(size));
    out.checksums.push_back(checksum_of({frame.data(), size}));
  }
}

std::uint64_t CompressedFileWriter::write(const std::filesystem::path& file) const {
  const std::uint64_t blocks = shape_.streams * blocks_per_stream(shape_);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> checksums;
  offsets.reserve(blocks + 1);
  checksums.reserve(blocks);
  for (const Stream& stream : streams_) {
    for (const std::uint32_t size : stream.sizes) offsets.push_back(offsets.back() + size);
    checksums.insert(checksums.end(), stream.checksums.begin(), stream.checksums.end());
  }
  assert(checksums.size() == blocks);
  std::string table(as_bytes(offsets));
  table += as_bytes(checksums);
  Header header{.kind = static_cast<std::uint32_t>(shape_.kind),
                .layer = shape_.layer,
                .streams = shape_.streams,
                .stream_bytes = shape_.stream_bytes,
                .data_bytes = offsets.back(),
                .table_checksum = XXH3_64bits(table.data(), table.size())};
  header.header_checksum = checksum_of(header);
  std::vector<std::string_view> parts = {{reinterpret_cast<const char*>(&header), sizeof(header)},
                                         table};
  for (const Stream& stream : streams_) parts.emplace_back(stream.data);
  write_durably(file, parts);
  return sizeof(header) + table.size() + header.data_bytes;
}

CompressedFile::CompressedFile(std::filesystem::path file, const StreamShape& expected)
    : file_(std::move(file)) {
  const int handle = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  const bool opened = handle >= 0 && ::fstat(handle, &status) == 0;
  const int error = errno;
  size_ = opened ? static_cast<std::uint64_t>(status.st_size) : 0;
  void* const mapped =
      size_ == 0 ? MAP_FAILED : ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, handle, 0);
  if (handle >= 0) ::close(handle);
  if (!opened)
    throw std::runtime_error("cannot read " + file_.string() + ": " +
                             std::generic_category().message(error));
  if (mapped == MAP_FAILED) fail("is empty or cannot be mapped");
  bytes_ = static_cast<const char*>(mapped);
  try {
    check(expected);
  } catch (...) {
    ::munmap(mapped, size_);
    throw;
  }
  ::madvise(mapped, size_, MADV_RANDOM);
}

CompressedFile::~CompressedFile() { ::munmap(const_cast<char*>(bytes_), size_); }

void CompressedFile::check(const StreamShape& expected) {
  Header header;
  if (size_ < kMagic.size() || std::memcmp(bytes_, kMagic.data(), kMagic.size()) != 0)
    fail("is not a part of a solved game");
  if (size_ < sizeof(header)) fail("is truncated within its header");
  std::memcpy(&header, bytes_, sizeof(header));
  if (header.version != kSolvedVersion)
    fail("has format version " + std::to_string(header.version) + ", but this program reads " +
         std::to_string(kSolvedVersion));
  if (header.header_checksum != checksum_of(header)) fail("has a damaged header");
  shape_ = {static_cast<SolvedKind>(header.kind), header.layer, header.streams,
            header.stream_bytes};
  if (shape_ != expected || header.block_bytes != kBlockBytes)
    fail("holds another part of the game than its name says");
  const std::uint64_t table = table_bytes(blocks());
  data_begin_ = sizeof(header) + table;
  const std::uint64_t whole = data_begin_ + header.data_bytes;
  if (size_ != whole)
    fail("has " + std::to_string(size_) + " bytes instead of " + std::to_string(whole) +
         (size_ < whole ? "; it is truncated" : ""));
  if (XXH3_64bits(bytes_ + sizeof(header), table) != header.table_checksum)
    fail("has a damaged table");
  const auto* const offsets = reinterpret_cast<const std::uint64_t*>(bytes_ + sizeof(header));
  offsets_ = {offsets, blocks() + 1};
  checksums_ = {reinterpret_cast<const std::uint32_t*>(offsets + blocks() + 1), blocks()};
}

void CompressedFile::fail(const std::string& what) const {
  throw std::runtime_error(file_.string() + " " + what +
                           "; remove it and let `baghzero solve` make it anew");
}

std::uint32_t CompressedFile::block_size(std::uint64_t block) const {
  const std::uint64_t begin = block % blocks_per_stream(shape_) * kBlockBytes;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(kBlockBytes, shape_.stream_bytes - begin));
}

std::string_view CompressedFile::compressed(std::uint64_t block) const {
  const std::string_view frame(bytes_ + data_begin_ + offsets_[block],
                               offsets_[block + 1] - offsets_[block]);
  if (checksum_of(frame) != checksums_[block])
    fail("is damaged in block " + std::to_string(block) + " of " + std::to_string(blocks()));
  return frame;
}

void CompressedFile::read_block(std::uint64_t block, std::span<std::uint8_t> out) const {
  thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                                  &ZSTD_freeDCtx);
  const std::string_view frame = compressed(block);
  const std::size_t size =
      ZSTD_decompressDCtx(context.get(), out.data(), out.size(), frame.data(), frame.size());
  if (size != block_size(block)) fail("cannot be decompressed");
}

void CompressedFile::read_stream(std::uint64_t stream, std::span<std::uint8_t> out) const {
  const std::uint64_t first = stream * blocks_per_stream(shape_);
  for (std::uint64_t i = 0; i < blocks_per_stream(shape_); ++i)
    read_block(first + i, out.subspan(i * kBlockBytes, block_size(first + i)));
}

void CompressedFile::verify() const {
  for (std::uint64_t block = 0; block < blocks(); ++block) static_cast<void>(compressed(block));
}

}  // namespace baghzero
