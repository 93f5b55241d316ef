// Whole files as strings, for all layers but the runtime, which links without the C++ library.
#ifndef KERATIN_RUNTIME_FILES_FILEBYTES_H
#define KERATIN_RUNTIME_FILES_FILEBYTES_H

#include "runtime/files/FileReader.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

namespace keratin::runtime {

// Why reading failed: "No such file or directory", "this is not a regular file".
inline std::string failureOf(const FileReader &file) {
  return file.refusal() ? std::string("this ") + file.refusal() : std::strerror(file.error());
}

// The beginning of an open file, of at most so many bytes. "" if all went well, else why not.
inline std::string readBeginning(FileReader &file, size_t count, std::string &bytes) {
  bytes.resize(count);
  ptrdiff_t have = file.read(bytes.data(), count);
  bytes.resize(size_t(std::max<ptrdiff_t>(have, 0)));
  return have < 0 ? failureOf(file) : "";
}

// Told of so many more bytes; false ends the reading.
using GoesOnReading = std::function<bool(size_t)>;

// The rest of it, behind its beginning; it is refused if that makes more than `most` bytes.
inline std::string readRest(FileReader &file, uint64_t most, std::string &bytes,
                            const GoesOnReading &goesOn = nullptr) {
  constexpr uint64_t mostAtOnce = 1 << 20;
  std::string tooLarge = "this has more than " + std::to_string(most) + " bytes";
  if (file.size() > most)
    return tooLarge;
  if (file.size() && bytes.size() >= file.size())
    return "";
  // What grows meanwhile is not waited for; what has no size is read as far as it goes.
  for (uint64_t have = bytes.size(), room = file.size() ? file.size() : 1 << 16;;) {
    // The last step but one of doubling would take as much memory again for one byte.
    const uint64_t end = room < most ? room : most + 1;
    bytes.reserve(size_t(end));
    while (have < end) {
      const uint64_t wanted = std::min(end - have, mostAtOnce);
      bytes.resize(size_t(have + wanted));
      const ptrdiff_t count = file.read(bytes.data() + have, size_t(wanted));
      if (count < 0)
        return failureOf(file);
      have += uint64_t(count);
      if (have > most)
        return tooLarge;
      if (uint64_t(count) < wanted || have == file.size()) {
        bytes.resize(size_t(have));
        return "";
      }
      if (goesOn && !goesOn(size_t(count)))
        return "the reading was ended";
    }
    room = 2 * have;
  }
}

inline std::string readFile(const std::string &path, FileKinds kinds, uint64_t most,
                            std::string &bytes, const GoesOnReading &goesOn = nullptr) {
  FileReader file;
  // A failure stays, and reading tells of it.
  (void)file.open(path.c_str(), kinds);
  bytes.clear();
  return readRest(file, most, bytes, goesOn);
}

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_FILES_FILEBYTES_H
