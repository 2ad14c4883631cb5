// Files that are whole whenever they exist, also after a crash or a power cut.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace baghzero {

// Writes `bytes` beside `file` under a temporary name, syncs, renames it to `file` and syncs the
// folder, so that `file` is either the old or the whole new one. Throws std::runtime_error naming
// the file and the cause, also if there is something of that name that is no regular file.
void write_durably(const std::filesystem::path& file, std::string_view bytes);
// The same for bytes that lie in several places.
void write_durably(const std::filesystem::path& file, std::span<const std::string_view> parts);
// The same, but `check` may read the whole file under its temporary name before it gets its own.
// What it throws is passed on, and `file` stays as it was.
void write_durably(const std::filesystem::path& file, std::string_view bytes,
                   const std::function<void(const std::filesystem::path& temporary)>& check);

}  // namespace baghzero
