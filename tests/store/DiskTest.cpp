// compile() with a cache folder: what one process has made another one finds. KERATIN_CACHE is
// set anew for each test.
#include "codegen/llvm/CacheFolder.h"
#include "compiler/store/FunctionStore.h"
#include "compiler/store/Producer.h"
#include "tests/store/GraphText.h"
#include "tests/support/TemporaryFolder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <keratin/runtime.h>
#include <spawn.h>
#include <sys/wait.h>

using namespace keratin;
using namespace keratin::tests;
using compiler::CompileOptions;
using compiler::CompileReport;
using Source = compiler::CompileReport::Source;
namespace fs = std::filesystem;

extern char **environ;

namespace {
struct Cache : TemporaryFolder {
  Cache() { setenv("KERATIN_CACHE", path.c_str(), 1); }
  ~Cache() { setenv("KERATIN_CACHE", "off", 1); }
  // With code in them.
  std::vector<fs::path> entries() const {
    std::vector<fs::path> result = files();
    result.erase(std::remove_if(result.begin(), result.end(),
                                [](const fs::path &file) { return file.extension() == ".form"; }),
                 result.end());
    return result;
  }
};
} // namespace

// As another process would: nothing of it is left in this one.
static Source sourceOf(const Scaled &graph, const CompileOptions &options = {}) {
  compiler::FunctionStore::ofProcess().clear();
  auto function = GraphText(graph.text()).compile(options);
  REQUIRE(function);
  CHECK(function->descriptor().name == graph.function);
  CHECK(function->descriptor().inputs[0].name == graph.input);
  CHECK(function->report().kernels == 1);
  return function->report().source;
}

static std::string readFile(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

static void writeFile(const fs::path &file, const std::string &bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
}

// The first element that it computes of elements 1.
static float call(const compiler::CompiledFunction &function, int64_t elements) {
  keratin_executable_t *executable = nullptr;
  keratin_status_t status = {};
  keratin_executable_create(&function.descriptor(), &executable, &status);
  std::vector<float> x, y;
  x.assign(size_t(elements), 1.0f);
  y.resize(size_t(elements));
  keratin_tensor_t in = {}, out = {};
  in.dtype = out.dtype = KERATIN_DTYPE_FLOAT32;
  in.rank = out.rank = 1;
  in.dims = out.dims = &elements;
  in.data = x.data();
  out.data = y.data();
  keratin_invoke(executable, nullptr, 0, &in, 1, &out, 1, &status);
  CHECK(status.code == KERATIN_OK);
  keratin_executable_destroy(executable);
  return y[0];
}

TEST_CASE("Builds are told apart") {
  CHECK_THAT(compiler::codeProducer(), Catch::Contains("LLVM"));
}

TEST_CASE("What was compiled is found on the disk, for other texts too") {
  Cache cache;
  CHECK(sourceOf({.elements = 31}) == Source::Compiler);
  CHECK(cache.entries().size() == 1);
  CHECK(sourceOf({.elements = 31}) == Source::Disk);
  CHECK(sourceOf({.function = "g", .input = "images", .elements = 31, .line = 77}) == Source::Disk);
  CHECK(sourceOf({.factor = "2.5", .elements = 31}) == Source::Compiler);
  CompileOptions options;
  options.cpu = "x86-64";
  CHECK(sourceOf({.elements = 31}, options) == Source::Compiler);
  CHECK(cache.entries().size() == 3);
}

TEST_CASE("Code of full effort serves who asks for quick code") {
  Cache cache;
  CompileOptions quick;
  quick.effort = codegen::Effort::Quick;
  const Scaled graph{.elements = 32};
  CHECK(sourceOf(graph, quick) == Source::Compiler);
  CHECK(sourceOf(graph, quick) == Source::Disk);
  CHECK(sourceOf(graph) == Source::Compiler);
  CHECK(sourceOf(graph) == Source::Disk);
  CHECK(cache.entries().size() == 2);
  const Scaled other{.elements = 33};
  CHECK(sourceOf(other) == Source::Compiler);
  CHECK(sourceOf(other, quick) == Source::Disk);
  CHECK(cache.entries().size() == 3);
}

TEST_CASE("A third process finds code for any scalar") {
  Cache cache;
  CHECK(sourceOf({.factor = "1.3", .elements = 34}) == Source::Compiler);
  CHECK(sourceOf({.factor = "1.4", .elements = 34}) == Source::Compiler);
  CHECK(sourceOf({.function = "g", .factor = "1.7", .elements = 34}) == Source::Disk);
  CHECK(sourceOf({.factor = "1.3", .elements = 34}) == Source::Disk);
  CHECK(cache.entries().size() == 2);
  compiler::FunctionStore::ofProcess().clear();
  auto function = GraphText(Scaled{.factor = "1.7", .elements = 34}.text()).compile();
  REQUIRE(function);
  CHECK(function->report().source == Source::Disk);
  CHECK(call(*function, 34) == Approx(1.7 * std::tanh(1.0)));
}

TEST_CASE("That a function came is forgotten where its file is damaged") {
  Cache cache;
  CHECK(sourceOf({.factor = "1.3", .elements = 35}) == Source::Compiler);
  for (const fs::path &file : cache.files())
    if (file.extension() == ".form") {
      std::string bytes = readFile(file);
      bytes.back() ^= 1;
      writeFile(file, bytes);
    }
  for (const char *factor : {"1.4", "1.5"})
    CHECK(sourceOf({.factor = factor, .elements = 35}) == Source::Compiler);
  CHECK(sourceOf({.factor = "1.6", .elements = 35}) == Source::Disk);
}

TEST_CASE("Code of the disk computes what it did, and says what it said") {
  Cache cache;
  const Scaled graph{.elements = 3, .line = 5};
  std::string text = graph.text();
  text.replace(text.find("<1.25>"), 6, "<[1.5, 2.0, 3.0]>");
  auto first = GraphText(text).compile();
  REQUIRE(first);
  const float expected = call(*first, 3);
  const std::string plan = first->report().memoryPlan;
  first = nullptr;
  compiler::FunctionStore::ofProcess().clear();
  auto second = GraphText(text).compile();
  REQUIRE(second);
  CHECK(second->report().source == Source::Disk);
  CHECK(second->report().memoryPlan == plan);
  CHECK(second->descriptor().inputs[0].location == std::string("a.cc:5"));
  CHECK(call(*second, 3) == expected);
  CHECK(expected == Approx(1.5 * std::tanh(1.0)));
}

TEST_CASE("Code for a device is kept with its images") {
  Cache cache;
  CompileOptions options;
  options.target = "cuda";
  auto compiled = [&] {
    compiler::FunctionStore::ofProcess().clear();
    return GraphText(Scaled{.elements = 36}.text()).compile(options);
  };
  auto first = compiled();
  REQUIRE(first);
  std::vector<std::string> images, kernels;
  auto list = [&](const keratin_device_code_t &code) {
    for (const keratin_image_t &image : llvm::ArrayRef(code.images, size_t(code.num_images)))
      images.push_back(std::string(image.kind) + ": " +
                       std::string(static_cast<const char *>(image.data), size_t(image.bytes)));
    for (const char *kernel : llvm::ArrayRef(code.kernels, size_t(code.num_kernels)))
      kernels.push_back(kernel);
  };
  list(*first->descriptor().device_code);
  const std::vector<std::string> hadImages = std::exchange(images, {}),
                                 hadKernels = std::exchange(kernels, {});
  CHECK(hadImages.size() == 2);
  CHECK(hadKernels.size() == 1);
  first = nullptr;
  auto second = compiled();
  REQUIRE(second);
  CHECK(second->report().source == Source::Disk);
  list(*second->descriptor().device_code);
  CHECK(images == hadImages);
  CHECK(kernels == hadKernels);
}

TEST_CASE("An entry that is damaged at any place is compiled and written anew") {
  Cache cache;
  const Scaled graph{.elements = 32};
  CHECK(sourceOf(graph) == Source::Compiler);
  const fs::path file = cache.entries()[0];
  const std::string bytes = readFile(file);
  codegen::CacheFolder folder(cache.path);
  REQUIRE(folder.find(file.filename()));
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = char(damaged[at] ^ 0x10);
    writeFile(file, damaged);
    REQUIRE_FALSE(folder.find(file.filename()));
  }
  CHECK(sourceOf(graph) == Source::Compiler);
  CHECK(sourceOf(graph) == Source::Disk);
  writeFile(file, bytes.substr(0, bytes.size() / 2));
  CHECK(sourceOf(graph) == Source::Compiler);
  CHECK(sourceOf(graph) == Source::Disk);
}

TEST_CASE("An entry with a right checksum but of another build or format is not taken") {
  Cache cache;
  const Scaled graph{.elements = 33};
  CHECK(sourceOf(graph) == Source::Compiler);
  const fs::path file = cache.entries()[0];
  codegen::CacheFolder folder(cache.path);
  const std::string entry = *folder.find(file.filename());
  auto replaced = [&](const std::string &from, const std::string &to) {
    std::string other = entry;
    size_t place = other.find(from);
    REQUIRE(place != std::string::npos);
    return other.replace(place, from.size(), to);
  };
  std::string later = compiler::codeProducer();
  later.back() = later.back() == '0' ? '1' : '0';
  for (const std::string &other :
       {replaced("code 2\n", "code 3\n"), replaced(compiler::codeProducer(), later),
        replaced("keratin.tanh", "keratin.sinh"), std::string("code 2\n")}) {
    folder.keep(file.filename(), {other});
    CHECK(sourceOf(graph) == Source::Compiler);
    CHECK(sourceOf(graph) == Source::Disk);
  }
}

TEST_CASE("Without a folder, or with one that others may write, everything is compiled") {
  Cache cache;
  setenv("KERATIN_CACHE", "/proc/none", 1);
  CHECK(sourceOf({.elements = 34}) == Source::Compiler);
  CHECK(sourceOf({.elements = 34}) == Source::Compiler);
  setenv("KERATIN_CACHE", cache.path.c_str(), 1);
  fs::permissions(cache.path, fs::perms::all);
  CHECK(sourceOf({.elements = 34}) == Source::Compiler);
  CHECK(cache.files().empty());
}

// The test below runs this in a process of its own.
TEST_CASE("A second process", "[.second]") {
  compiler::CompileOptions options;
  CHECK(GraphText(Scaled{.elements = 35}.text()).compile()->report().source == Source::Disk);
}

TEST_CASE("A program in a second process finds what the first has made") {
  Cache cache;
  CHECK(sourceOf({.elements = 35}) == Source::Compiler);
  const char *const arguments[] = {"disk_store_test", "[.second]", nullptr};
  pid_t child;
  REQUIRE(posix_spawn(&child, "/proc/self/exe", nullptr, nullptr,
                      const_cast<char *const *>(arguments), environ) == 0);
  int end = 0;
  CHECK(waitpid(child, &end, 0) == child);
  CHECK(end == 0);
}
