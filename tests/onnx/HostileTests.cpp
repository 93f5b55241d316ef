// Loads models of ONNX that were changed at random: each is loaded, or refused by an error of ours,
// within ten seconds and two gigabytes.
//
//   onnx_hostile_tests FOLDER [--only=NUMBER [FILE]]
//
// Below FOLDER lie the models that are changed. KERATIN_TEST_HOSTILE says how many are made, others
// each day (tests/support/TestEnvironment.h). --only loads one of them in this process, and leaves
// it in the file.
#include "keratin/error.h"
#include "keratin/onnx.h"
#include "tests/onnx/ModelChanger.h"
#include "tests/support/NoExit.h"
#include "tests/support/TemporaryFile.h"
#include "tests/support/TestEnvironment.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace keratin;
namespace fs = std::filesystem;
namespace K = keratin::backend;

namespace {

constexpr int kSeconds = 10;
constexpr rlim_t kBytes = rlim_t(2) << 30;
// Of one process, which takes a while to begin.
constexpr int64_t kTogether = 50;

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool isSanitized = true;
#else
constexpr bool isSanitized = false;
#endif

std::string readBytes(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

struct Shared {
  int64_t number; // of the model that is being loaded
  int64_t loaded, refused;
  char wrong[400];
};

class Models {
public:
  explicit Models(const char *folder) {
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder))
      if (entry.path().filename() == "model.onnx" && entry.file_size() < (1 << 20))
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
  }

  std::string make(int64_t number, std::string *name = nullptr) const {
    std::mt19937_64 random{~uint64_t(number)};
    const fs::path &path = paths[random() % paths.size()];
    if (name)
      *name = path.parent_path().filename().string();
    return tests::changedModel(readBytes(path), readBytes(paths[random() % paths.size()]),
                               uint64_t(number));
  }

  std::vector<fs::path> paths;
};

// "" where it is loaded, or refused as it should be.
std::string load(const std::string &path, Shared &shared) {
  try {
    K::load_onnx(path);
    ++shared.loaded;
    return "";
  } catch (const Error &error) {
    ++shared.refused;
    const std::string text = error.what();
    if (text.find("load_onnx") == std::string::npos && text.find("; at ") == std::string::npos)
      return "a message without a place: " + text;
    for (char c : text)
      if (uint8_t(c) < 0x20)
        return "a message of more than a line: " + text;
    return "";
  } catch (const std::exception &error) {
    return std::string("another exception: ") + error.what();
  }
}

// Those from shared.number on to the end, or to one that goes wrong.
int loadAll(const Models &models, int64_t end, Shared &shared) {
  rlimit bytes{kBytes, kBytes}, core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
  if (!isSanitized)
    setrlimit(RLIMIT_AS, &bytes);
  const tests::TemporaryFile file;
  for (; shared.number < end; ++shared.number) {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    rlimit seconds{};
    getrlimit(RLIMIT_CPU, &seconds);
    seconds.rlim_cur =
        rlim_t(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + kSeconds * (isSanitized ? 10 : 1);
    setrlimit(RLIMIT_CPU, &seconds);
    std::ofstream(file.path, std::ios::binary) << models.make(shared.number);
    const std::string wrong = load(file.path, shared);
    if (!wrong.empty()) {
      std::snprintf(shared.wrong, sizeof shared.wrong, "%s", wrong.c_str());
      return 1;
    }
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: onnx_hostile_tests FOLDER [--only=NUMBER [FILE]]\n");
    return 2;
  }
  const Models models(argv[1]);
  if (models.paths.empty()) {
    std::fprintf(stderr, "%s: no models\n", argv[1]);
    return 1;
  }
  if (argc > 2 && std::string(argv[2]).rfind("--only=", 0) == 0) {
    const int64_t number = std::atoll(argv[2] + 7);
    const tests::TemporaryFile file;
    const std::string path = argc > 3 ? argv[3] : file.path;
    std::ofstream(path, std::ios::binary) << models.make(number);
    try {
      K::load_onnx(path);
      std::printf("loaded\n");
    } catch (const std::exception &error) {
      std::printf("%s\n", error.what());
    }
    return 0;
  }
  auto *shared = static_cast<Shared *>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED)
    return 2;
  const int64_t count = tests::fromEnvironment("KERATIN_TEST_HOSTILE", 300),
                first = tests::dailySeed(), end = first + count;
  int64_t failed = 0;
  shared->number = first;
  while (shared->number < end) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0)
      return 2;
    if (child == 0)
      tests::endProcess(loadAll(models, std::min(end, shared->number + kTogether), *shared));
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      continue;
    ++failed;
    std::string name;
    (void)models.make(shared->number, &name);
    std::printf("FAILED --only=%lld (%s): ", (long long)shared->number, name.c_str());
    if (WIFSIGNALED(status))
      std::printf("ended by signal %d\n", WTERMSIG(status));
    else
      std::printf("%s\n", shared->wrong);
    ++shared->number;
  }
  std::printf("%lld loaded, %lld refused, %lld failed; the first was %lld\n",
              (long long)shared->loaded, (long long)shared->refused, (long long)failed,
              (long long)first);
  return failed || shared->loaded == 0 ? 1 : 0;
}
