#include "runtime/files/FileWriter.h"

#include "runtime/files/KernelCalls.h"

#include <linux/magic.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>

namespace keratin::runtime {

namespace {

// The file beside is called <place>.keratin-<digits>.tmp, the place cut where that is too long.
constexpr char infix[] = ".keratin-", suffix[] = ".tmp";
constexpr size_t digits = 32;
constexpr size_t besideBytes = sizeof infix - 1 + digits + sizeof suffix - 1;
// As many as the kernel follows.
constexpr int mostLinks = 40;

// Keeps from the thread the signals that a write may send, which would end the process.
class WithoutSignals {
public:
  WithoutSignals() {
    kernel::changeBlocked(SIG_BLOCK, watched, &before);
    // Signals that are pending already are not ours.
    if (before & watched)
      earlier = kernel::pending();
  }
  ~WithoutSignals() {
    int code = errno;
    if (failed)
      if (kernel::Signals ours = kernel::pending() & watched & ~earlier)
        kernel::take(ours);
    kernel::changeBlocked(SIG_SETMASK, before, nullptr);
    errno = code;
  }
  bool failed = false;

private:
  static constexpr kernel::Signals watched =
      kernel::Signals(1) << (SIGPIPE - 1) | kernel::Signals(1) << (SIGXFSZ - 1);
  kernel::Signals before = 0, earlier = 0;
};

bool isRegular(const struct statx &about) { return S_ISREG(about.stx_mode); }

// Links in /proc lead to open files, whatever their text says.
bool isProc(int folder) {
  struct statfs about;
  return kernel::statusOfSystem(folder, about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

} // namespace

bool randomDigits(char *text, size_t digits) {
  if (kernel::randomBytes(text, digits) != ptrdiff_t(digits))
    return false;
  for (size_t i = 0; i < digits; ++i)
    text[i] = "0123456789abcdef"[text[i] & 15];
  text[digits] = '\0';
  return true;
}

bool FileWriter::fail(int code) {
  abandon();
  failure = code;
  return false;
}

void FileWriter::abandon() {
  if (beside[0])
    (void)kernel::unlink(folder, beside);
  const int descriptors[] = {file, folder};
  for (int descriptor : descriptors)
    if (descriptor >= 0)
      (void)kernel::close(descriptor);
  file = folder = -1;
  beside[0] = '\0';
  used = 0;
  isComplete = holdsPlace = false;
  failure = 0;
}

bool FileWriter::open(const char *path, const FileOptions &wanted) {
  abandon();
  options = wanted;
  // The kernel's word first: it refuses links that it is set to distrust.
  struct statx about = {};
  bool isPlace = true;
  if (kernel::status(AT_FDCWD, path, 0, about) == 0) {
    if (S_ISDIR(about.stx_mode))
      return fail(EISDIR);
    isPlace = isRegular(about);
  } else if (errno != ENOENT) {
    return fail(errno);
  }
  if (isPlace && !findPlace(path, isPlace))
    return false;
  if (isPlace)
    return openBeside();
  if (folder >= 0)
    (void)kernel::close(folder);
  folder = -1;
  // A regular file that is open elsewhere (/dev/stdout) goes on where it ends.
  int append = isRegular(about) ? O_APPEND : 0;
  file = kernel::open(AT_FDCWD, path, O_WRONLY | O_NOCTTY | O_CLOEXEC | append);
  return file >= 0 || fail(errno);
}

// The folder and the name that a path to a regular file, or to none, leads to at last; no place if
// it is a file that only its opener knows.
bool FileWriter::findPlace(const char *path, bool &isPlace) {
  char rest[PATH_MAX];
  size_t length = strlen(path);
  if (length >= sizeof rest)
    return fail(ENAMETOOLONG);
  memcpy(rest, path, length + 1);
  int from = AT_FDCWD;
  for (int links = 0; links <= mostLinks; ++links) {
    size_t start = length;
    while (start > 0 && rest[start - 1] != '/')
      --start;
    if (length - start >= nameBytes)
      return fail(ENAMETOOLONG);
    memcpy(place, rest + start, length - start + 1);
    rest[start] = '\0';
    const char *parent = start ? rest : ".";
    int flags = O_DIRECTORY | O_CLOEXEC;
    int next = kernel::open(from, parent, flags | O_RDONLY);
    isReadable = next >= 0;
    if (next < 0 && errno == EACCES)
      next = kernel::open(from, parent, flags | O_PATH);
    int code = errno;
    if (folder >= 0)
      (void)kernel::close(folder);
    from = folder = next;
    if (folder < 0)
      return fail(code);
    if (!place[0]) // the path ends in a slash
      return fail(ENOENT);
    ptrdiff_t linked = kernel::readLink(folder, place, rest, sizeof rest);
    if (linked < 0) {
      struct statx about;
      isThere = kernel::status(folder, place, AT_SYMLINK_NOFOLLOW, about) == 0;
      if (!isThere && errno != ENOENT)
        return fail(errno);
      if (isThere && !isRegular(about)) // it has changed meanwhile
        return fail(S_ISDIR(about.stx_mode) ? EISDIR : EAGAIN);
      if (isThere) {
        mode = about.stx_mode & 0777;
        user = about.stx_uid;
        group = about.stx_gid;
      }
      return true;
    }
    if (isProc(folder)) {
      isPlace = false;
      return true;
    }
    length = size_t(linked);
    if (length >= sizeof rest)
      return fail(ENAMETOOLONG);
    rest[length] = '\0';
  }
  return fail(ELOOP);
}

// How much of a place's name the file beside it bears.
static size_t keptBytes(const char *place) {
  size_t length = strlen(place);
  return length + besideBytes > NAME_MAX ? NAME_MAX - besideBytes : length;
}

bool FileWriter::openBeside() {
  removeLeftOvers();
  size_t kept = keptBytes(place);
  char name[nameBytes];
  memcpy(name, place, kept);
  memcpy(name + kept, infix, sizeof infix);
  char *random = name + kept + sizeof infix - 1;
  // More than once only if somebody takes the new file for one that was left, see
  // removeLeftOvers().
  for (int attempts = 0; attempts < 100; ++attempts) {
    if (!randomDigits(random, digits))
      return fail(errno);
    memcpy(random + digits, suffix, sizeof suffix);
    // What takes the place of a file may be as secret as that is.
    file = kernel::open(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        isThere ? 0600 : options.mode);
    if (file < 0 && errno == EEXIST)
      continue;
    if (file < 0)
      return fail(errno);
    memcpy(beside, name, sizeof name);
    bool isTaken = kernel::lock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct statx about;
    if (!isTaken && kernel::status(file, "", AT_EMPTY_PATH, about) == 0 && about.stx_nlink)
      return true;
    (void)kernel::unlink(folder, beside);
    beside[0] = '\0';
    (void)kernel::close(file);
    file = -1;
  }
  return fail(EEXIST);
}

// Goes past these characters, if the text begins so.
static bool skip(const char *&text, const char *characters, size_t count) {
  for (size_t i = 0; i < count; ++i, ++text)
    if (*text != characters[i]) // also at the end of the text
      return false;
  return true;
}

bool FileWriter::isBeside(const char *name) const {
  if (!skip(name, place, keptBytes(place)) || !skip(name, infix, sizeof infix - 1))
    return false;
  for (size_t i = 0; i < digits; ++i, ++name)
    if (!((*name >= '0' && *name <= '9') || (*name >= 'a' && *name <= 'f')))
      return false;
  return skip(name, suffix, sizeof suffix); // the terminator too
}

// Of writers to this place who were killed. Nothing depends on it, so failures do not matter.
void FileWriter::removeLeftOvers() {
  struct Entry { // linux_dirent64
    uint64_t node;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[1];
  };
  if (!isReadable)
    return;
  for (ptrdiff_t count; (count = kernel::listFolder(folder, buffer, sizeof buffer)) > 0;)
    for (ptrdiff_t at = 0; at < count;) {
      auto *entry = reinterpret_cast<const Entry *>(buffer + at);
      const char *name = buffer + at + offsetof(Entry, name);
      at += entry->bytes;
      if (!isBeside(name))
        continue;
      int left = kernel::open(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
      if (left < 0)
        continue;
      struct statx about;
      if (kernel::status(left, "", AT_EMPTY_PATH, about) == 0 && isRegular(about) &&
          kernel::lock(left, LOCK_EX | LOCK_NB) == 0)
        (void)kernel::unlink(folder, name);
      (void)kernel::close(left);
    }
}

bool FileWriter::writeOut(const void *data, size_t bytes) {
  WithoutSignals guard;
  auto *next = static_cast<const char *>(data);
  while (bytes) {
    ptrdiff_t count = kernel::write(file, next, bytes);
    if (count <= 0) {
      guard.failed = true;
      return fail(count < 0 ? errno : EIO);
    }
    next += count;
    bytes -= size_t(count);
  }
  return true;
}

bool FileWriter::flush() {
  size_t bytes = used;
  used = 0;
  return writeOut(buffer, bytes);
}

bool FileWriter::write(const void *data, size_t bytes) {
  if (file < 0)
    return false;
  if (bytes > sizeof buffer - used && !flush())
    return false;
  if (bytes >= sizeof buffer)
    return writeOut(data, bytes);
  if (bytes)
    memcpy(buffer + used, data, bytes);
  used += bytes;
  return true;
}

// Mode and owner of what was at the place. Whoever may not give the file away keeps it; a group
// that cannot be kept gets no more rights than all others have.
bool FileWriter::takeOver() {
  if (kernel::changeOwner(file, user, group) != 0 &&
      kernel::changeOwner(file, uint32_t(-1), group) != 0)
    mode &= ~070u | (mode & 07) << 3;
  return kernel::changeMode(file, mode) == 0;
}

bool FileWriter::complete() {
  if (isComplete)
    return true;
  if (file < 0 || !flush())
    return false;
  if (isReplaced() && isThere && !takeOver())
    return fail(errno);
  if (options.isDurable && !kernel::syncIfPossible(file))
    return fail(errno);
  // Some file systems say only at a close that there is no room; the lock beside must last longer.
  int twin = isReplaced() ? kernel::duplicate(file) : file;
  if (!isReplaced())
    file = -1;
  if (twin < 0 || kernel::close(twin) != 0)
    return fail(errno);
  return isComplete = true;
}

bool FileWriter::commit() {
  if (!complete())
    return false;
  if (isReplaced()) {
    if (kernel::rename(folder, beside, place) != 0)
      return fail(errno);
    beside[0] = '\0';
    if (options.isDurable && isReadable && !kernel::syncIfPossible(folder))
      return fail(errno);
  }
  abandon();
  return true;
}

int writeFile(const char *path, const void *data, size_t bytes, const FileOptions &options) {
  FileWriter writer;
  return writer.open(path, options) && writer.write(data, bytes) && writer.commit()
             ? 0
             : writer.error();
}

} // namespace keratin::runtime
