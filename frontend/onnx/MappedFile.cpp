#include "frontend/onnx/MappedFile.h"

#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace keratin::frontend::onnx_models;

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path, std::string &problem) {
  std::shared_ptr<MappedFile> mapped(new MappedFile());
  // A pipe would be waited for.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  bool isTooLarge = false;
  if (file < 0 || fstat(file, &status) != 0) {
    problem = std::strerror(errno);
  } else if (!S_ISREG(status.st_mode)) {
    problem = "it is no file";
  } else if (status.st_size) {
    void *data = mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED && errno == ENOMEM)
      isTooLarge = true;
    else if (data == MAP_FAILED)
      problem = std::strerror(errno);
    else
      mapped->bytes = static_cast<const char *>(data);
  }
  if (file >= 0)
    ::close(file);
  if (isTooLarge)
    throw std::bad_alloc();
  if (!problem.empty())
    return nullptr;
  mapped->count = uint64_t(status.st_size);
  return mapped;
}

MappedFile::~MappedFile() {
  if (bytes)
    munmap(const_cast<char *>(bytes), count);
}
