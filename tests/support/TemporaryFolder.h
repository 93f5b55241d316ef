// A folder for a test, gone afterwards.
#ifndef KERATIN_TESTS_STORE_TESTFOLDER_H
#define KERATIN_TESTS_STORE_TESTFOLDER_H

#include <filesystem>
#include <stdlib.h>
#include <string>
#include <vector>

namespace keratin::tests {

struct TestFolder {
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "keratin-cache-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path); }
  TestFolder(const TestFolder &) = delete;
  TestFolder &operator=(const TestFolder &) = delete;

  std::vector<std::filesystem::path> files() const {
    return {std::filesystem::directory_iterator(path), std::filesystem::directory_iterator()};
  }

  std::string path;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_STORE_TESTFOLDER_H
