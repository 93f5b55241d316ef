#include "codegen/llvm/CacheFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>
#include <vector>

using namespace keratin::codegen;
using llvm::StringRef;

// What files begin with; then a digest of the entry's name and bytes, a line end, and the bytes.
static constexpr StringRef header = "keratin cache 1\n";
static constexpr size_t digestDigits = 64;
static constexpr size_t headBytes = header.size() + digestDigits + 1;

namespace {

class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      (void)::close(number);
  }
  explicit operator bool() const { return number >= 0; }
  operator int() const { return number; }

private:
  const int number;
};

struct CachedFile {
  timespec lastUse;
  uint64_t bytes;
  std::string name;
};

} // namespace

// Lengths, so that no two lists of parts are the same bytes.
static std::string digestOf(llvm::ArrayRef<StringRef> parts) {
  llvm::BLAKE3 digest;
  for (StringRef part : parts) {
    digest.update(std::to_string(part.size()) + ":");
    digest.update(part);
  }
  return llvm::toHex(digest.final(), /*LowerCase=*/true);
}

static std::string headOf(StringRef name, llvm::ArrayRef<StringRef> parts) {
  llvm::BLAKE3 digest;
  digest.update(name);
  digest.update("\n");
  for (StringRef part : parts)
    digest.update(part);
  return (header + llvm::toHex(digest.final(), /*LowerCase=*/true) + "\n").str();
}

std::string CacheFolder::nameOf(llvm::ArrayRef<StringRef> parts, StringRef kind) {
  return (digestOf(parts) + "." + kind).str();
}

CacheFolder CacheFolder::ofEnvironment() {
  const char *limit = std::getenv("KERATIN_CACHE_BYTES");
  uint64_t bytes = usualBytes;
  if (!limit || !llvm::to_integer(limit, bytes, 10))
    bytes = usualBytes;
  if (const char *named = std::getenv("KERATIN_CACHE"))
    return CacheFolder(StringRef(named) == "off" ? "" : named, bytes);
  llvm::SmallString<128> folder;
  const char *caches = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (caches && llvm::sys::path::is_absolute(caches))
    llvm::sys::path::append(folder, caches, "keratin");
  else if (home && llvm::sys::path::is_absolute(home))
    llvm::sys::path::append(folder, home, ".cache", "keratin");
  return CacheFolder(folder.str().str(), bytes);
}

// What others could write, they could have us run.
static bool isOwn(const struct stat &status) {
  return status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

// -1 where there is none that can be trusted.
int CacheFolder::open() const {
  if (isOff())
    return -1;
  int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat status;
  if (folder >= 0 && (fstat(folder, &status) || !isOwn(status))) {
    (void)::close(folder);
    errno = EPERM;
    return -1;
  }
  return folder;
}

int CacheFolder::openToWrite() const {
  int folder = open();
  if (folder >= 0 || isOff() || errno != ENOENT)
    return folder;
  // For nobody else.
  if (llvm::sys::fs::create_directories(path, /*IgnoreExisting=*/true, llvm::sys::fs::owner_all))
    return -1;
  return open();
}

// As many as there are, of those asked for.
static size_t readInto(int file, char *bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    ssize_t got = ::read(file, bytes + done, count - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    done += size_t(got);
  }
  return done;
}

static bool writeAll(int file, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    bytes = bytes.drop_front(size_t(put));
  }
  return true;
}

std::optional<std::string> CacheFolder::find(const std::string &name) const {
  Descriptor folder(open());
  if (!folder)
    return std::nullopt;
  // A pipe would make us wait.
  Descriptor file(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (!file || fstat(file, &status) || !S_ISREG(status.st_mode) || !isOwn(status) ||
      uint64_t(status.st_size) <= headBytes)
    return std::nullopt;
  std::string head(headBytes, 0), bytes(size_t(status.st_size) - headBytes, 0);
  if (readInto(file, head.data(), head.size()) != head.size() ||
      readInto(file, bytes.data(), bytes.size()) != bytes.size() ||
      head != headOf(name, {StringRef(bytes)}))
    return std::nullopt;
  // The time of a file is that of its last use. Where it cannot be set, it stays old.
  (void)futimens(file, /*now*/ nullptr);
  return bytes;
}

// Of what caches keep.
static constexpr StringRef kinds[] = {".cubin", ".code", ".quick", ".form"};

// Only what caches have made, also what is left of a process that ended while it wrote: the folder
// may hold files of others.
static bool isOfCache(StringRef name) {
  StringRef kind = name.drop_front(std::min(name.size(), digestDigits));
  return llvm::all_of(name.take_front(digestDigits), llvm::isHexDigit) &&
         llvm::any_of(kinds, [&](StringRef each) { return kind.starts_with(each); });
}

// A write beyond a limit of the process would end it.
static bool mayHave(uint64_t bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= limit.rlim_cur;
}

void CacheFolder::keep(const std::string &name, llvm::ArrayRef<StringRef> parts) const {
  Descriptor folder(openToWrite());
  if (!folder)
    return;
  const std::string head = headOf(name, parts);
  uint64_t bytes = head.size();
  for (StringRef part : parts)
    bytes += part.size();
  // Written since the files were last counted. At first it is not known how many there are.
  static std::atomic<uint64_t> notCounted{UINT64_MAX / 2};
  if (bytes <= mostBytes && mayHave(bytes)) {
    // A file of another name that takes its place when it is whole.
    static std::atomic<unsigned> number{0};
    const std::string temporary =
        name + ".temp-" + std::to_string(getpid()) + "-" + std::to_string(number++);
    // What has the name is left of a process that had our number.
    (void)unlinkat(folder, temporary.c_str(), 0);
    Descriptor file(openat(folder, temporary.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file)
      return;
    bool isWhole = writeAll(file, head) &&
                   llvm::all_of(parts, [&](StringRef part) { return writeAll(file, part); });
    if (!isWhole || renameat(folder, temporary.c_str(), folder, name.c_str())) {
      (void)unlinkat(folder, temporary.c_str(), 0);
      bytes = 0;
    }
  }
  // Counting takes as long as looking at all of them.
  if (notCounted.fetch_add(bytes) + bytes > mostBytes / 16) {
    notCounted = 0;
    trim(folder, name);
  }
}

// Another process may do the same at the same time: it has about the same list, and what is gone
// already was to go. Who is reading a file that goes has it to the end.
void CacheFolder::trim(int folder, const std::string &newest) const {
  int copy = fcntl(folder, F_DUPFD_CLOEXEC, 0);
  DIR *list = copy < 0 ? nullptr : fdopendir(copy);
  if (!list) {
    (void)::close(copy);
    return;
  }
  rewinddir(list);
  std::vector<CachedFile> files;
  uint64_t sum = 0;
  while (const dirent *entry = readdir(list)) {
    struct stat status;
    if (!isOfCache(entry->d_name) || fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(status.st_mode))
      continue;
    sum += uint64_t(status.st_size);
    // Its time may be that of others: clocks of files are coarse.
    if (newest != entry->d_name)
      files.push_back({status.st_mtim, uint64_t(status.st_size), entry->d_name});
  }
  (void)closedir(list);
  if (sum <= mostBytes)
    return;
  llvm::sort(files, [](const CachedFile &a, const CachedFile &b) {
    return std::tie(a.lastUse.tv_sec, a.lastUse.tv_nsec, a.name) <
           std::tie(b.lastUse.tv_sec, b.lastUse.tv_nsec, b.name);
  });
  for (const CachedFile &file : files) {
    if (sum <= mostBytes)
      return;
    if (!unlinkat(folder, file.name.c_str(), 0))
      sum -= file.bytes;
  }
}
