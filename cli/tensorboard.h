// TensorBoard event files: TFRecord framing (length and masked CRC32C) round `tensorflow.Event`
// protocol buffers, written by hand because a scalar needs six fields of them. Format:
// tensorflow/core/lib/io/record_writer.h and tensorflow/core/util/event.proto.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace baghzero {

// CRC-32C (Castagnoli), reflected, as in RFC 3720.
std::uint32_t crc32c(std::string_view bytes);
// CRC-32C rotated and offset, as TFRecord stores it so that a CRC of CRCs stays meaningful.
std::uint32_t masked_crc32c(std::string_view bytes);

// Appends to one event file. Used by one thread.
class TensorBoardWriter {
 public:
  // Creates `folder` if needed and a new event file in it, the last by name of this program's;
  // TensorBoard joins the files of a folder, so that a resumed run simply adds one. Throws
  // std::runtime_error naming the file.
  explicit TensorBoardWriter(const std::filesystem::path& folder);

  // One event with all values, flushed to the file. `wall_time` in seconds since 1970. Throws
  // std::runtime_error naming the file if it cannot be written.
  void add_scalars(double wall_time, std::int64_t step,
                   const std::map<std::string, double>& values);

  // Tells TensorBoard to forget what this and earlier files have of `step` and later ones: it is
  // written anew. Throws as add_scalars().
  void drop_from(std::int64_t step);

  const std::filesystem::path& file() const { return file_; }

 private:
  void write_record(std::string_view event);

  std::filesystem::path file_;
  std::ofstream stream_;
};

}  // namespace baghzero
