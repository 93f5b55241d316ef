// The bytes of a file where the system has them.
#ifndef KERATIN_FRONTEND_ONNX_MAPPEDFILE_H
#define KERATIN_FRONTEND_ONNX_MAPPEDFILE_H

#include <cstdint>
#include <memory>
#include <string>

namespace keratin::frontend::onnx_models {

// To read only. Who changes the file in its place changes the bytes; one that takes its place does
// not.
class MappedFile {
public:
  // Of a regular file. Null where it cannot be read, and why; bad_alloc where there is no room.
  static std::shared_ptr<const MappedFile> open(const std::string &path, std::string &problem);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const char *data() const { return bytes; } // null for an empty file
  uint64_t size() const { return count; }

private:
  MappedFile() = default;

  const char *bytes = nullptr;
  uint64_t count = 0;
};

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_MAPPEDFILE_H
