// Several files that appear together.
#include "runtime/files/FileWriter.h"
#include "runtime/files/KernelCalls.h"

namespace keratin::runtime {

// Whether the place has the file of this writer: another one may have come since.
bool FileWriter::hasPlace() const {
  struct statx there, ours;
  return kernel::status(folder, place, AT_SYMLINK_NOFOLLOW, there) == 0 &&
         kernel::status(file, "", AT_EMPTY_PATH, ours) == 0 && there.stx_ino == ours.stx_ino &&
         there.stx_dev_major == ours.stx_dev_major && there.stx_dev_minor == ours.stx_dev_minor;
}

bool FileWriter::takePlace() {
  if (!isReplaced())
    return true;
  struct statx about;
  if (kernel::status(folder, place, AT_SYMLINK_NOFOLLOW, about) == 0 && !S_ISREG(about.stx_mode))
    return fail(S_ISDIR(about.stx_mode) ? EISDIR : EAGAIN); // it has changed meanwhile
  if (kernel::exchange(folder, beside, place) == 0) {
    holdsPlace = true;
  } else {
    // Nothing is there, or the file system cannot do that.
    if (errno != ENOENT && errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
      return fail(errno);
    if (kernel::rename(folder, beside, place) != 0)
      return fail(errno);
    beside[0] = '\0';
    holdsPlace = true;
  }
  if (!options.isDurable || !isReadable || kernel::syncIfPossible(folder))
    return true;
  int code = errno;
  giveBack();
  return fail(code);
}

void FileWriter::giveBack() {
  if (holdsPlace && hasPlace()) {
    if (beside[0])
      (void)kernel::exchange(folder, beside, place);
    else
      (void)kernel::unlink(folder, place);
  }
  holdsPlace = false;
}

size_t commitTogether(FileWriter *const *writers, size_t count) {
  // The last one first: a path may be there twice.
  auto giveUp = [&](size_t failed) {
    for (size_t i = count; i-- > 0;) {
      if (i == failed)
        continue;
      writers[i]->giveBack();
      writers[i]->abandon();
    }
    return failed;
  };
  for (size_t i = 0; i < count; ++i)
    if (writers[i]->file < 0 && !writers[i]->isComplete)
      return giveUp(i);
  for (size_t i = 0; i < count; ++i)
    if (writers[i]->isReplaced() && !writers[i]->complete())
      return giveUp(i);
  for (size_t i = 0; i < count; ++i)
    if (!writers[i]->complete())
      return giveUp(i);
  for (size_t i = 0; i < count; ++i)
    if (!writers[i]->takePlace())
      return giveUp(i);
  for (size_t i = 0; i < count; ++i)
    writers[i]->abandon(); // what was there, too
  return count;
}

} // namespace keratin::runtime
