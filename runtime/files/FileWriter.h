// Writing of files: all that Keratin writes is written here.
#ifndef KERATIN_RUNTIME_FILES_FILEWRITER_H
#define KERATIN_RUNTIME_FILES_FILEWRITER_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

namespace keratin::runtime {

struct FileOptions {
  // Whether what is written, and its name, must be on the disk before commit() is done: for what
  // nobody can make again, since it takes as long as the disk does.
  bool isDurable = false;
  // Of a file that was not there, less the umask.
  unsigned mode = 0666;
};

// A regular file appears whole or not at all: it is written beside its place under a name that
// nobody can guess, and takes the place of the old one, with its mode and where possible its owner,
// when all went well. Symbolic links stay: what they lead to is written, be it there yet or not.
// What is no regular file (a device, a pipe) is never replaced but opened and written to; a folder
// is refused.
//
// Only one who is killed leaves the file beside; the next to write to the same path removes it. The
// holder of a lock on it is alive.
//
// No signal comes of it: a reader who has gone and a limit of size are failures like others. Not
// for several threads at once; different writers may write to one path, and the last commit stays.
// Takes 20 KiB of stack.
class FileWriter {
public:
  FileWriter() = default;
  ~FileWriter() { abandon(); }
  FileWriter(const FileWriter &) = delete;
  FileWriter &operator=(const FileWriter &) = delete;

  // These return whether all has gone well so far. After a failure nothing is left, what the path
  // names is as it was (a pipe may have got a part), and the others do nothing.
  bool open(const char *path, const FileOptions &options = {});
  bool write(const void *data, size_t bytes);
  // All of a commit but that the file takes its place; nothing is written afterwards. What goes to
  // a device or a pipe has arrived there.
  bool complete();
  bool commit();
  // As if nothing had been opened.
  void abandon();

  // The errno of the first failure; 0 if there was none.
  int error() const { return failure; }

private:
  friend size_t commitTogether(FileWriter *const *writers, size_t count);
  static constexpr size_t nameBytes = NAME_MAX + 1, bufferBytes = 16384;

  // Not inlined: objects hold this code, and are small.
  bool fail(int code) __attribute__((cold, noinline));
  bool findPlace(const char *path, bool &isPlace);
  bool openBeside();
  bool writeOut(const void *data, size_t bytes);
  bool flush();
  bool takeOver();
  bool isReplaced() const { return folder >= 0; }
  // Of commitTogether(): takes its place and keeps what was there beside; gives the place back.
  bool takePlace();
  void giveBack();
  bool hasPlace() const;
  void removeLeftOvers();
  bool isBeside(const char *name) const;

  FileOptions options;
  int failure = 0;
  int file = -1;
  int folder = -1;         // of the place; -1 for what is written through
  bool isReadable = false; // the folder: it can be listed and synced
  bool isThere = false;    // something at the place, of this mode, user and group
  uint32_t mode = 0, user = 0, group = 0;
  char place[nameBytes], beside[nameBytes] = ""; // names in the folder
  size_t used = 0;
  bool isComplete = false;
  bool holdsPlace = false; // between takePlace() and the end
  alignas(8) char buffer[bufferBytes];
};

// Commits files that belong together: all of them take their places, or none does and what was
// there is there again (on file systems that can exchange two names). The number of the writer that
// failed, whose error() says why; `count` if none did. What goes to devices and pipes, which
// nothing can take back, is sent when all else is written.
size_t commitTogether(FileWriter *const *writers, size_t count);

// All at once: 0, or the errno of what failed.
int writeFile(const char *path, const void *data, size_t bytes, const FileOptions &options = {});

// At most 256 hexadecimal digits that nobody can guess, and a terminator. False, and errno, if
// there are none.
bool randomDigits(char *text, size_t digits);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_FILES_FILEWRITER_H
