#include "ir/saved/SavedFile.h"

#include "ir/saved/SavedFormat.h"
#include "runtime/files/FileWriter.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// errno is read before anything else can change it.
static absl::Status failed(const std::string &path, const char *what) {
  return absl::UnavailableError("'" + path + "' cannot be " + what + ": " + std::strerror(errno));
}

absl::StatusOr<std::string> keratin::ir::readFileBytes(const std::string &path) {
  // Not blocking: a pipe is refused, not waited for.
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return failed(path, "opened");
  struct stat info;
  absl::Status status;
  std::string bytes;
  if (fstat(file, &info) != 0)
    status = failed(path, "read");
  else if (!S_ISREG(info.st_mode))
    status = absl::UnavailableError("'" + path + "' is not a regular file");
  else if (uint64_t(info.st_size) > kMaxSavedBytes)
    status = absl::UnavailableError("'" + path + "' has more than 2 GiB");
  else
    bytes.resize(size_t(info.st_size));
  size_t done = 0;
  while (status.ok() && done < bytes.size()) {
    ssize_t count = read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR)
      status = failed(path, "read");
    else if (count == 0)
      bytes.resize(done); // it became shorter
    else if (count > 0)
      done += size_t(count);
  }
  close(file);
  if (!status.ok())
    return status;
  return bytes;
}

absl::Status keratin::ir::writeFileBytes(const std::string &path, const std::string &bytes) {
  runtime::FileOptions options;
  options.isDurable = true;
  if ((errno = runtime::writeFile(path.c_str(), bytes.data(), bytes.size(), options)))
    return failed(path, "written");
  return absl::OkStatus();
}
