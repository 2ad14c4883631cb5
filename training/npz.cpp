#include "training/npz.h"

#include <bit>
#include <memory>
#include <optional>
#include <regex>

#include <zip.h>

#include "engine/durable_file.h"

namespace baghzero {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are copied byte by byte");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kSuffix = ".npy";
// Data begins at a multiple of this, as NumPy's format asks for.
constexpr std::size_t kAlignment = 64;
// Larger members than this are no games.
constexpr std::uint64_t kMaxMember = 1ULL << 31;
constexpr std::uint32_t kMaxHeader = 4096;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& fault) {
  throw std::runtime_error(file.string() + " " + fault);
}

// Magic, version 1.0, length of the header, and the header: a Python dictionary.
std::string npy_preamble(const NpyArray& array) {
  std::string shape;
  for (const std::size_t size : array.shape) shape += std::to_string(size) + ",";
  std::string header =
      "{'descr': '" + array.type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  std::string preamble = std::string(kMagic) + '\x01' + '\x00';
  const std::size_t before = preamble.size() + sizeof(std::uint16_t);
  header.resize((before + header.size() + kAlignment) / kAlignment * kAlignment - before, ' ');
  header.back() = '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  preamble.append(reinterpret_cast<const char*>(&length), sizeof length);
  return preamble + header;
}

std::optional<NpyArray> parse_npy(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + 6) return std::nullopt;
  bytes.remove_prefix(kMagic.size());
  const bool first_version = bytes[0] == 1;
  std::uint32_t length = 0;
  const std::size_t width = first_version ? 2 : 4;
  std::memcpy(&length, bytes.data() + 2, width);
  bytes.remove_prefix(2 + width);
  // The pattern below recurses for every character, and no array of ours needs more.
  if (length > kMaxHeader || length > bytes.size()) return std::nullopt;
  const std::string header(bytes.substr(0, length));
  bytes.remove_prefix(length);
  static const std::regex kHeader(
      R"(\s*\{\s*'descr':\s*'([|<][iuf])([1248])',\s*'fortran_order':\s*False,)"
      R"(\s*'shape':\s*\(([0-9, ]*)\),?\s*\}\s*)");
  std::smatch parts;
  if (!std::regex_match(header, parts, kHeader)) return std::nullopt;
  NpyArray array;
  array.type = parts[1].str() + parts[2].str();
  std::size_t size = std::stoul(parts[2].str());
  const std::string shape = parts[3].str();
  static const std::regex kNumber("[0-9]{1,18}");
  for (std::sregex_iterator at(shape.begin(), shape.end(), kNumber), end; at != end; ++at) {
    array.shape.push_back(std::stoul(at->str()));
    if (array.shape.back() > kMaxMember) return std::nullopt;
    size *= array.shape.back();
    if (size > kMaxMember) return std::nullopt;
  }
  if (size != bytes.size()) return std::nullopt;
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  array.bytes.assign(data, data + bytes.size());
  return array;
}

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

Archive open_archive(const std::filesystem::path& file) {
  int code = 0;
  Archive archive(zip_open(file.c_str(), ZIP_RDONLY, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string cause = zip_error_strerror(&error);
  zip_error_fini(&error);
  fail(file, "cannot be opened as an .npz file: " + cause);
}

struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, FreeSource>;

[[noreturn]] void fail_writing(const std::filesystem::path& file, zip_error_t* error) {
  fail(file, "cannot be written as an .npz file: " + std::string(zip_error_strerror(error)));
}

// The whole archive that has been written into `source`.
std::string bytes_in(zip_source_t* source, const std::filesystem::path& file) {
  zip_stat_t facts;
  zip_stat_init(&facts);
  if (zip_source_stat(source, &facts) != 0 || zip_source_open(source) != 0)
    fail_writing(file, zip_source_error(source));
  std::string bytes(facts.size, '\0');
  const zip_int64_t read = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (read != static_cast<zip_int64_t>(bytes.size())) fail_writing(file, zip_source_error(source));
  return bytes;
}

std::string read_member(zip_t* archive, zip_uint64_t index, const std::filesystem::path& file,
                        const std::string& name) {
  zip_stat_t facts;
  if (zip_stat_index(archive, index, 0, &facts) != 0 || (facts.valid & ZIP_STAT_SIZE) == 0 ||
      facts.size > kMaxMember)
    fail(file, "has a member " + name + " of unknown or excessive size");
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> member(zip_fopen_index(archive, index, 0),
                                                                 &zip_fclose);
  std::string bytes(facts.size, '\0');
  // The checksum is compared when a read meets the end.
  char end = 0;
  if (!member ||
      zip_fread(member.get(), bytes.data(), facts.size) != static_cast<zip_int64_t>(facts.size) ||
      zip_fread(member.get(), &end, 1) != 0)
    fail(file, "is damaged: its member " + name + " cannot be read");
  return bytes;
}

}  // namespace

void write_npz(const std::filesystem::path& file, const NpyArrays& arrays) {
  zip_error_t error;
  zip_error_init(&error);
  const Source target(zip_source_buffer_create(nullptr, 0, 0, &error));
  zip_t* const opened = target ? zip_open_from_source(target.get(), ZIP_TRUNCATE, &error) : nullptr;
  if (opened == nullptr) fail_writing(file, &error);
  Archive archive(opened);
  zip_source_keep(target.get());     // the archive frees one reference
  std::vector<std::string> members;  // libzip reads them when the archive is closed
  members.reserve(arrays.size());
  for (const auto& [name, array] : arrays) {
    std::string& bytes = members.emplace_back(npy_preamble(array));
    bytes.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
    zip_source_t* source = zip_source_buffer(archive.get(), bytes.data(), bytes.size(), 0);
    if (source == nullptr || zip_file_add(archive.get(), (name + std::string(kSuffix)).c_str(),
                                          source, ZIP_FL_ENC_UTF_8) < 0) {
      zip_source_free(source);
      fail_writing(file, zip_get_error(archive.get()));
    }
  }
  if (zip_close(archive.get()) != 0) fail_writing(file, zip_get_error(archive.get()));
  (void)archive.release();  // closing has freed it
  write_durably(file, bytes_in(target.get(), file));
}

NpyArrays read_npz(const std::filesystem::path& file) {
  const Archive archive = open_archive(file);
  NpyArrays arrays;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    std::string name = zip_get_name(archive.get(), index, 0);
    const std::string bytes = read_member(archive.get(), index, file, name);
    std::optional<NpyArray> array = parse_npy(bytes);
    if (!array) fail(file, "has a member " + name + " that is no plain array of numbers");
    if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
    arrays.emplace(std::move(name), *std::move(array));
  }
  return arrays;
}

}  // namespace baghzero
