// Whole files as strings, for all layers but the runtime, which links without the C++ library.
#ifndef KERATIN_RUNTIME_FILES_FILEBYTES_H
#define KERATIN_RUNTIME_FILES_FILEBYTES_H

#include "runtime/files/FileReader.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace keratin::runtime {

// What is left of an open file. "" if all went well, else why not: "No such file or directory",
// "this is not a regular file"; also if there are more than `most` bytes.
inline std::string readFile(FileReader &file, uint64_t most, std::string &bytes) {
  std::string tooLarge = "this has more than " + std::to_string(most) + " bytes";
  bytes.clear();
  if (file.size() > most)
    return tooLarge;
  // What grows meanwhile is not waited for; what has no size is read as far as it goes.
  for (uint64_t have = 0, room = file.size() ? file.size() : 1 << 16;;) {
    bytes.resize(size_t(std::min(room, most + 1)));
    ptrdiff_t count = file.read(bytes.data() + have, bytes.size() - have);
    if (count < 0)
      return file.refusal() ? std::string("this ") + file.refusal() : std::strerror(file.error());
    have += uint64_t(count);
    if (have > most)
      return tooLarge;
    if (have < bytes.size() || have == file.size()) {
      bytes.resize(size_t(have));
      return "";
    }
    room = 2 * have;
  }
}

inline std::string readFile(const std::string &path, FileKinds kinds, uint64_t most,
                            std::string &bytes) {
  FileReader file;
  // A failure stays, and reading tells of it.
  (void)file.open(path.c_str(), kinds);
  return readFile(file, most, bytes);
}

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_FILES_FILEBYTES_H
