#include "runtime/files/FileReader.h"

#include "runtime/files/KernelCalls.h"

namespace keratin::runtime {

FileReader::~FileReader() {
  if (isOwned)
    (void)kernel::close(file);
}

bool FileReader::refuse(const char *why) {
  reason = why;
  return false;
}

bool FileReader::open(const char *path, FileKinds kinds, int wait) {
  waitSeconds = wait;
  bool takesPipes = kinds == FileKinds::RegularOrPipe;
  struct statx about = {};
  auto isWanted = [&] {
    return S_ISREG(about.stx_mode) || (takesPipes && S_ISFIFO(about.stx_mode));
  };
  auto unwanted = [&] {
    return S_ISDIR(about.stx_mode) ? "is a folder"
           : takesPipes            ? "is neither a regular file nor a pipe"
                                   : "is not a regular file";
  };
  // Looked at first, since it is not to be opened if it is a device, and then again, since it may
  // be another one by now. Opening waits for nobody, and neither does reading.
  if (kernel::status(AT_FDCWD, path, 0, about) == 0 && !isWanted())
    return refuse(unwanted());
  file = kernel::open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  isOwned = file >= 0;
  if (!isOwned || kernel::status(file, "", AT_EMPTY_PATH, about) != 0) {
    failure = errno;
    return false;
  }
  if (!isWanted())
    return refuse(unwanted());
  isPipe = S_ISFIFO(about.stx_mode);
  if (S_ISREG(about.stx_mode))
    bytes = about.stx_size;
  return true;
}

void FileReader::openStandardInput() { file = STDIN_FILENO; }

ptrdiff_t FileReader::read(void *data, size_t wanted) {
  size_t have = 0;
  while (have < wanted && !failure && !reason) {
    ptrdiff_t count = kernel::read(file, static_cast<char *>(data) + have, wanted - have);
    if (count > 0) {
      have += size_t(count);
      isThere = true;
      continue;
    }
    // A pipe that nobody has opened for writing yet looks as if it had ended.
    if (count == 0 && (isThere || !isPipe))
      break;
    if (count < 0 && errno != EAGAIN) {
      failure = errno;
      break;
    }
    int ready = kernel::waitForInput(file, waitSeconds);
    if (ready < 0)
      failure = errno;
    else if (ready == 0)
      refuse("is a pipe that nothing comes out of");
    isThere = true;
  }
  return failure || reason ? -1 : ptrdiff_t(have);
}

} // namespace keratin::runtime
