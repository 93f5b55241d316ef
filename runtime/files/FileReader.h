// Reading of files: all that Keratin reads is opened here.
#ifndef KERATIN_RUNTIME_FILES_FILEREADER_H
#define KERATIN_RUNTIME_FILES_FILEREADER_H

#include <stddef.h>
#include <stdint.h>

namespace keratin::runtime {

// What a path may lead to. A device may have no end, and to open one may do something.
enum class FileKinds {
  Regular,
  // Named or not, for what a tool reads from front to back. A pipe out of which nothing comes for
  // some time is a failure: nobody may ever write to it.
  RegularOrPipe
};

// Reads from front to back. Not for several threads at once.
class FileReader {
public:
  FileReader() = default;
  ~FileReader();
  FileReader(const FileReader &) = delete;
  FileReader &operator=(const FileReader &) = delete;

  // Once, before all others. False if it cannot be opened or is of another kind.
  bool open(const char *path, FileKinds kinds = FileKinds::Regular, int waitSeconds = 60);
  // Whatever it is, and waited for as long as it takes: who calls a program decides what it reads.
  void openStandardInput();

  // Of a regular file, when it was opened; 0 if it does not say.
  uint64_t size() const { return bytes; }
  // So many bytes, or fewer where the file ends before; -1 for a failure.
  ptrdiff_t read(void *data, size_t bytes);

  // Of the first failure: its errno, or 0 and what is wrong with the file, "is not a regular file".
  int error() const { return failure; }
  const char *refusal() const { return reason; }

private:
  bool refuse(const char *why);

  int file = -1;
  int waitSeconds = -1; // for a pipe; forever if negative
  bool isOwned = false; // to be closed; standard input is not
  bool isPipe = false;
  bool isThere = false; // somebody at the other end, now or before
  uint64_t bytes = 0;
  int failure = 0;
  const char *reason = nullptr;
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_FILES_FILEREADER_H
