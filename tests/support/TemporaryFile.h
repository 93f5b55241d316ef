// A file name of its own, gone afterwards.
#ifndef KERATIN_TESTS_SUPPORT_TEMPORARYFILE_H
#define KERATIN_TESTS_SUPPORT_TEMPORARYFILE_H

#include <cstdio>
#include <filesystem>
#include <string>

#include <unistd.h>

namespace keratin::tests {

// Tests run beside each other: no two files have one name.
struct TemporaryFile {
  TemporaryFile() {
    static int counter = 0;
    path = (std::filesystem::temp_directory_path() /
            ("keratin-test-" + std::to_string(getpid()) + "-" + std::to_string(counter++)))
               .string();
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  std::string path;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_TEMPORARYFILE_H
