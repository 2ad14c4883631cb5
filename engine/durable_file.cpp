#include "engine/durable_file.h"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace baghzero {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const char* action) {
  throw std::runtime_error("cannot " + std::string(action) + " " + file.string() + ": " +
                           std::generic_category().message(errno) +
                           "; check the disk and its free space; what was saved before is whole");
}

class Descriptor {
 public:
  Descriptor(const fs::path& file, int flags) : handle_(::open(file.c_str(), flags, 0644)) {
    if (handle_ < 0) fail(file, "open");
  }
  ~Descriptor() {
    if (handle_ >= 0) ::close(handle_);
  }
  Descriptor(Descriptor&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return handle_; }

 private:
  int handle_;
};

void write_all(const Descriptor& out, const fs::path& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(out.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(file, "write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool is_open_at(const Descriptor& open, const fs::path& file) {
  struct stat here {};
  struct stat there {};
  return ::fstat(open.get(), &here) == 0 && ::stat(file.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

// The temporary file, empty, for this process alone: its lock vanishes with the process, so that
// one that a killed process has left is used again.
Descriptor open_temporary(const fs::path& temporary, const fs::path& file) {
  for (;;) {
    Descriptor out(temporary, O_WRONLY | O_CREAT | O_CLOEXEC);
    if (::flock(out.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw std::runtime_error("cannot write " + file.string() +
                               ": another program is writing it now; wait for that, or name "
                               "another file");
    if (!is_open_at(out, temporary)) continue;  // that program has just finished
    if (::ftruncate(out.get(), 0) != 0) fail(temporary, "empty");
    return out;
  }
}

using Check = std::function<void(const fs::path& temporary)>;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// What is written under the name `named`.
fs::path target_of(const fs::path& named) {
  if (named.empty()) throw std::runtime_error("cannot write a file whose name is empty: name one");
  fs::path file = follow_links(named);
  // A device or a pipe would be replaced by a file.
  if (fs::exists(file) && !fs::is_regular_file(file))
    throw std::runtime_error("cannot write " + file.string() +
                             ": it is there and is no regular file; name another file");
  return file;
}

void write_checked(const fs::path& named, std::span<const std::string_view> parts,
                   const Check& check) {
  const fs::path file = target_of(named);
  const fs::path temporary = file.string() + ".tmp";
  const Descriptor out = open_temporary(temporary, file);
  try {
    for (const std::string_view bytes : parts) write_all(out, temporary, bytes);
    if (::fsync(out.get()) != 0) fail(temporary, "sync");
    if (check) check(temporary);
    if (::rename(temporary.c_str(), file.c_str()) != 0) fail(file, "rename");
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  const fs::path folder = folder_of(file);
  const Descriptor handle(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (::fsync(handle.get()) != 0) fail(folder, "sync");
}

}  // namespace

fs::path follow_links(const fs::path& file) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  fs::path target = file;
  for (int links = 0; fs::is_symlink(target); ++links) {
    if (links == kMostLinks)
      throw std::runtime_error("cannot use " + file.string() +
                               ": it is a link that leads through more than " +
                               std::to_string(kMostLinks) + " others; name another file");
    target = target.parent_path() / fs::read_symlink(target);
  }
  return target;
}

void check_durable(const fs::path& named) {
  const fs::path file = target_of(named);
  const fs::path folder = folder_of(file);
  if (!fs::is_directory(folder))
    throw std::runtime_error("cannot write " + file.string() + ": there is no folder " +
                             folder.string() + "; make it first, or name another file");
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    throw std::runtime_error("cannot write " + file.string() + ": nothing can be written in " +
                             folder.string() + " (" + std::generic_category().message(errno) +
                             "); allow it, or name another file");
}

void write_durably(const fs::path& file, std::string_view bytes) {
  write_checked(file, std::span(&bytes, 1), {});
}

void write_durably(const fs::path& file, std::span<const std::string_view> parts) {
  write_checked(file, parts, {});
}

void write_durably(const fs::path& file, std::string_view bytes, const Check& check) {
  write_checked(file, std::span(&bytes, 1), check);
}

}  // namespace baghzero
