// A folder for a test, gone afterwards.
#ifndef KERATIN_TESTS_SUPPORT_TEMPORARYFOLDER_H
#define KERATIN_TESTS_SUPPORT_TEMPORARYFOLDER_H

#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <string>
#include <vector>

namespace keratin::tests {

struct TemporaryFolder {
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "keratin-test-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string operator/(const std::string &name) const { return path + "/" + name; }
  // A file with these bytes.
  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream(*this / name, std::ios::binary) << bytes;
    return *this / name;
  }
  std::vector<std::filesystem::path> files() const {
    return {std::filesystem::directory_iterator(path), std::filesystem::directory_iterator()};
  }

  std::string path;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_TEMPORARYFOLDER_H
