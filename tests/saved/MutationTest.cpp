// Damaged saved graphs by the thousand:
// keratin-mutate-ktg --seed=1 --count=20000 [--samples=FOLDER] [--corpus=FOLDER]
//
// The graphs are random ones and the .ktg files below the folder of samples. With a corpus folder
// only the undamaged graphs are written, for the fuzzer to start from.
#include "tests/saved/Mutation.h"
#include "ir/saved/SavedFile.h"
#include "tests/support/SavedSamples.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <vector>

using namespace keratin;

static const char *valueOf(const char *argument, const char *name) {
  size_t length = std::strlen(name);
  return std::strncmp(argument, name, length) == 0 ? argument + length : nullptr;
}

static bool readNumber(const char *argument, const char *name, uint64_t &number) {
  const char *text = valueOf(argument, name), *last = text ? text + std::strlen(text) : nullptr;
  auto [end, error] = std::from_chars(text, last, number);
  return text && error == std::errc() && end == last;
}

// In one order on every machine.
static std::set<std::string> savedFiles(const std::string &folder) {
  std::set<std::string> paths;
  if (!folder.empty())
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".ktg")
        paths.insert(entry.path().string());
  return paths;
}

int main(int argc, char **argv) {
  uint64_t seed = 1, count = 20000;
  std::string corpus, folder;
  for (int i = 1; i < argc; ++i) {
    if (readNumber(argv[i], "--seed=", seed) || readNumber(argv[i], "--count=", count))
      continue;
    if (const char *text = valueOf(argv[i], "--corpus="))
      corpus = text;
    else if (const char *text = valueOf(argv[i], "--samples="))
      folder = text;
    else
      return std::fprintf(stderr, "keratin-mutate-ktg: error: unknown or bad option '%s'\n",
                          argv[i]),
             2;
  }
  std::vector<std::string> samples;
  for (uint64_t i = 0; i < 40; ++i)
    samples.push_back(tests::randomSavedGraph(seed * 1000 + i, 1 + int(i) / 2));
  for (const std::string &path : savedFiles(folder)) {
    auto bytes = ir::readFileBytes(path);
    if (!bytes.ok())
      return std::fprintf(stderr, "cannot read %s\n", path.c_str()), 1;
    samples.push_back(*std::move(bytes));
  }
  if (!corpus.empty()) {
    for (size_t i = 0; i < samples.size(); ++i)
      if (!ir::writeFileBytes(corpus + "/" + std::to_string(i) + ".ktg", samples[i]).ok())
        return std::fprintf(stderr, "cannot write to %s\n", corpus.c_str()), 1;
    return 0;
  }
  std::mt19937_64 random(seed);
  std::unique_ptr<mlir::MLIRContext> context;
  uint64_t accepted = 0;
  for (uint64_t i = 0; i < count; ++i) {
    // A context keeps every type and attribute that it was asked for.
    if (i % 1000 == 0)
      context = tests::makeSavedContext();
    std::string damaged = tests::mutate(samples[random() % samples.size()], random);
    bool ok;
    if (std::string wrong = tests::complaint(damaged, *context, &ok); !wrong.empty()) {
      std::string path = "mutation-" + std::to_string(i) + ".ktg";
      (void)ir::writeFileBytes(path, damaged);
      std::fprintf(stderr, "mutation %llu of seed %llu (%s): %s\n", (unsigned long long)i,
                   (unsigned long long)seed, path.c_str(), wrong.c_str());
      return 1;
    }
    accepted += ok;
  }
  std::printf("%llu mutations, %llu accepted\n", (unsigned long long)count,
              (unsigned long long)accepted);
  // Otherwise the damage is always of the same kind, and found too early to test much.
  return accepted > 0 && accepted < count ? 0 : 1;
}
