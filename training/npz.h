// NumPy's .npz files: a zip archive of .npy members, one array each.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace baghzero {

// NumPy's name of a type: "<i4", "|u1", "<f4".
template <class T>
std::string npy_type() {
  static_assert(std::integral<T> || std::floating_point<T>);
  return std::string(sizeof(T) == 1 ? "|" : "<") +
         (std::floating_point<T> ? "f"
          : std::is_signed_v<T>  ? "i"
                                 : "u") +
         std::to_string(sizeof(T));
}

// Rows by rows, little-endian.
struct NpyArray {
  std::string type;
  std::vector<std::size_t> shape;
  std::vector<std::byte> bytes;

  template <class T>
  static NpyArray of(std::span<const T> values, std::size_t columns = 0) {
    NpyArray array{npy_type<T>(), {values.size()}, std::vector<std::byte>(values.size_bytes())};
    if (columns > 0) array.shape = {values.size() / columns, columns};
    if (!values.empty()) std::memcpy(array.bytes.data(), values.data(), values.size_bytes());
    return array;
  }
  // Throws std::runtime_error unless the array has this type and `columns` (0: one dimension only).
  template <class T>
  std::vector<T> values(std::size_t columns = 0) const {
    const std::size_t dimensions = columns > 0 ? 2 : 1;
    if (type != npy_type<T>() || shape.size() != dimensions || (columns > 0 && shape[1] != columns))
      throw std::runtime_error(
          "is not of type " + npy_type<T>() + " with " +
          (columns > 0 ? std::to_string(columns) + " columns" : std::string("one dimension")));
    std::vector<T> result(bytes.size() / sizeof(T));
    if (!result.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
};

using NpyArrays = std::map<std::string, NpyArray>;

// Both throw std::runtime_error naming the file and the fault. Written as by write_durably()
// (engine/durable_file.h).
void write_npz(const std::filesystem::path& file, const NpyArrays& arrays);
// Arrays in Fortran order or of other types than plain numbers are refused.
NpyArrays read_npz(const std::filesystem::path& file);

}  // namespace baghzero
