// Names of architectures, what ptxas says, and the cache of what it made.
#include "codegen/gpu/ptx/CubinCache.h"
#include "codegen/gpu/ptx/CudaArchitectures.h"
#include "codegen/gpu/ptx/NvJitLink.h"
#include "codegen/gpu/ptx/Ptxas.h"
#include "tests/support/NoExit.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

using namespace keratin::codegen;

TEST_CASE("architectures are known by their names, each once") {
  std::string error;
  CHECK(cudaArchitecturesOf("sm_90,sm_80,sm_90", &error) ==
        std::vector<std::string>{"sm_90", "sm_80"});
  for (const char *wrong : {"", "sm_90,", "sm_75", "sm_9", "SM_90", " sm_90", "compute_90", "90"}) {
    INFO(wrong);
    CHECK_FALSE(cudaArchitecturesOf(wrong, &error));
    CHECK(error.find("known architectures: sm_80, sm_86") != std::string::npos);
  }
}

TEST_CASE("a device runs machine code of its major number and no higher minor one") {
  CHECK(cudaArchitectureFor("sm_80") == "sm_80");
  CHECK(cudaArchitectureFor("sm_87") == "sm_86");
  CHECK(cudaArchitectureFor("sm_89") == "sm_89");
  CHECK(cudaArchitectureFor("sm_90") == "sm_90a");
  CHECK(cudaArchitectureFor("sm_103") == "sm_100");
  CHECK(cudaArchitectureFor("sm_121") == "sm_120");
  CHECK(cudaArchitectureFor("sm_75") == "");
  CHECK(cudaArchitectureFor("sm_110") == "");
  CHECK(cudaArchitectureFor("") == "");
}

TEST_CASE("what ptxas says of each kernel") {
  auto kernels = resourcesOf(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'b' for 'sm_90'
ptxas info    : Function properties for b
    400 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 34 registers, used 0 barriers, 400 bytes cumulative stack size
ptxas info    : Compile time = 52.927 ms
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 256 bytes smem
)");
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].kernel == "b");
  CHECK(kernels[0].registers == 34);
  CHECK(kernels[0].stackBytes == 400);
  CHECK(kernels[0].spillStores == 8);
  CHECK(kernels[0].spillLoads == 12);
  CHECK(kernels[0].sharedBytes == 0);
  CHECK(kernels[1].kernel == "a");
  CHECK(kernels[1].registers == 10);
  CHECK(kernels[1].sharedBytes == 256);
  CHECK(resourcesOf("ptxas fatal   : nothing").empty());
}

namespace {
struct Folder {
  Folder() {
    char name[] = "/tmp/keratin-cache-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

std::filesystem::path onlyFile(const std::string &folder) {
  std::filesystem::directory_iterator files(folder);
  return files->path();
}
} // namespace

TEST_CASE("keys tell PTX, architecture and assembler apart") {
  const std::string key = CubinCache::keyOf("ptx", "sm_90", "1");
  CHECK(key.size() == 64);
  CHECK(key == CubinCache::keyOf("ptx", "sm_90", "1"));
  CHECK(key != CubinCache::keyOf("ptx2", "sm_90", "1"));
  CHECK(key != CubinCache::keyOf("ptx", "sm_90a", "1"));
  CHECK(key != CubinCache::keyOf("ptx", "sm_90", "2"));
  // The same bytes, cut elsewhere.
  CHECK(CubinCache::keyOf("ptxs", "m_90", "1") != CubinCache::keyOf("ptx", "sm_90", "1"));
}

TEST_CASE("the cache gives back what it was given, and nothing that is damaged") {
  Folder folder;
  CubinCache cache(folder.path + "/a/b");
  const std::string key = CubinCache::keyOf("ptx", "sm_90", "1"), cubin("\x7f"
                                                                        "ELF\0code",
                                                                        9);
  CHECK_FALSE(cache.find(key));
  cache.keep(key, cubin);
  CHECK(cache.find(key) == cubin);
  CHECK_FALSE(cache.find(CubinCache::keyOf("other", "sm_90", "1")));
  auto file = onlyFile(folder.path + "/a/b");
  auto size = std::filesystem::file_size(file);
  for (uintmax_t at = 0; at < size; ++at) {
    cache.keep(key, cubin);
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(long(at));
    char old = char(bytes.get());
    bytes.seekp(long(at));
    bytes.put(char(old ^ 1));
    bytes.close();
    INFO(at);
    CHECK_FALSE(cache.find(key));
  }
  for (uintmax_t length = 0; length < size; ++length) {
    cache.keep(key, cubin);
    std::filesystem::resize_file(file, length);
    INFO(length);
    CHECK_FALSE(cache.find(key));
  }
  cache.keep(key, cubin);
  CHECK(cache.find(key) == cubin);
  CHECK_FALSE(CubinCache("").find(key)); // no folder
  CubinCache("/proc/none").keep(key, cubin);
}

static void setAge(const std::string &path, int minutes) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() -
                                             std::chrono::minutes(minutes));
}

TEST_CASE("the cache keeps what was used last, as far as there is room") {
  Folder folder;
  auto key = [](const char *ptx) { return CubinCache::keyOf(ptx, "sm_90", "1"); };
  const std::string code(1000, 'c');
  CubinCache cache(folder.path, 3500); // room for three files of 1081 bytes
  int age = 40;
  for (const char *old : {"a", "b", "c"}) {
    cache.keep(key(old), code);
    setAge(folder.path + "/" + key(old) + ".cubin", age -= 10);
  }
  const std::string half = folder.path + "/" + key("b") + ".cubin.temp-stream-0123ab";
  std::ofstream(half) << code;
  setAge(half, 50);
  const std::string others[] = {"notes.cubin", std::string(64, 'g') + ".cubin", key("a")};
  for (const std::string &name : others)
    std::ofstream(folder.path + "/" + name) << code;
  CHECK(cache.find(key("a")) == code); // b is the oldest now
  cache.keep(key("d"), code);
  CHECK_FALSE(cache.find(key("b")));
  CHECK_FALSE(std::filesystem::exists(half));
  for (const char *kept : {"a", "c", "d"})
    CHECK(cache.find(key(kept)) == code);
  for (const std::string &name : others)
    CHECK(std::filesystem::exists(folder.path + "/" + name));
  // What there is no room for at all puts nothing out.
  cache.keep(key("e"), std::string(3500, 'e'));
  CHECK_FALSE(cache.find(key("e")));
  CHECK(cache.find(key("d")) == code);
  // Less room, at the next time.
  CubinCache(folder.path, 1500).keep(key("f"), code);
  CHECK(cache.find(key("f")) == code);
  for (const char *gone : {"a", "c", "d"})
    CHECK_FALSE(cache.find(key(gone)));
}

// Processes, so that nothing of the memory is shared.
TEST_CASE("several processes fill and trim one cache") {
  Folder folder;
  constexpr int processes = 4, rounds = 60;
  const std::string code(1000, 'c');
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      CubinCache cache(folder.path, 10 * 1081);
      bool isGood = true;
      for (int i = 0; i < rounds; ++i) {
        const std::string key = CubinCache::keyOf(std::to_string(i), "sm_90", "1");
        auto found = cache.find(key);
        isGood &= !found || *found == code;
        cache.keep(key, code);
      }
      keratin::tests::endProcess(isGood ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int end = 0;
    CHECK(waitpid(child, &end, 0) == child);
    CHECK(end == 0);
  }
  int64_t files = 0;
  for ([[maybe_unused]] const auto &file : std::filesystem::directory_iterator(folder.path))
    ++files;
  CHECK(files <= 10);
  CHECK(CubinCache(folder.path).find(CubinCache::keyOf(std::to_string(rounds - 1), "sm_90", "1")));
}

static const char *const ptx =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n ret;\n}\n";

TEST_CASE("nvJitLink assembles a module") {
  std::string error;
  auto library = NvJitLink::find(&error);
  if (!library) {
    std::cout << "not tested: " << error << "\n";
    return;
  }
  CHECK(library->version().find("nvJitLink 1") == 0);
  auto cubin = library->assemble(ptx, "sm_90", &error);
  INFO(error);
  REQUIRE(cubin);
  CHECK(cubin->substr(1, 3) == "ELF");
  CHECK_FALSE(library->assemble("no PTX", "sm_90", &error));
  CHECK(error.find("nvJitLink for sm_90: ") == 0);
  CHECK_FALSE(library->assemble(ptx, "sm_200", &error));
}

TEST_CASE("ptxas assembles a module") {
  std::string error;
  auto assembler = Ptxas::find(&error);
  if (!assembler) {
    std::cout << "not tested: " << error << "\n";
    return;
  }
  auto assembled = assembler->assemble(ptx, "sm_80", &error);
  INFO(error);
  REQUIRE(assembled);
  CHECK(assembled->cubin.substr(1, 3) == "ELF");
  REQUIRE(assembled->kernels.size() == 1);
  CHECK(assembled->kernels[0].kernel == "k");
  CHECK(assembled->kernels[0].registers > 0);
  CHECK_FALSE(assembler->assemble("no PTX", "sm_80", &error));
  CHECK(error.find("ptxas for sm_80: ") == 0);
}
