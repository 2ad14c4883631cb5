// Files that are whole whenever they exist, also after a crash or a power cut.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace baghzero {

// What `file` names once all links in its last place have been followed, by 40 steps at most,
// whether that exists or not. Throws std::runtime_error if there are more of them, as in a ring.
std::filesystem::path follow_links(const std::filesystem::path& file);

// Writes `bytes` beside `file` under a temporary name, `file` with ".tmp" behind it, syncs, renames
// it to `file` and syncs the folder, so that `file` is either the old or the whole new one. Of a
// link that is the file which it leads to, there yet or not; the link stays. The temporary file is
// locked (flock) while it is written: another process or thread that writes `file` meanwhile is
// refused, and what a killed one has left is used again. Throws std::runtime_error naming the file
// and the cause, also if there is something of that name that is no regular file, or the name is
// empty.
void write_durably(const std::filesystem::path& file, std::string_view bytes);
// The same for bytes that lie in several places.
void write_durably(const std::filesystem::path& file, std::span<const std::string_view> parts);
// The same, but `check` may read the whole file under its temporary name before it gets its own.
// What it throws is passed on, and `file` stays as it was.
void write_durably(const std::filesystem::path& file, std::string_view bytes,
                   const std::function<void(const std::filesystem::path& temporary)>& check);
// For before long work: throws std::runtime_error, as write_durably() would, if `file` is there and
// no regular file or its folder is missing or cannot be written to. Changes nothing.
void check_durable(const std::filesystem::path& file);

}  // namespace baghzero
