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

TEST_CASE("keys tell PTX, architecture and assembler apart") {
  const std::string key = CubinCache::keyOf("ptx", "sm_90", "1");
  CHECK(key.size() == 64 + 6);
  CHECK(key == CubinCache::keyOf("ptx", "sm_90", "1"));
  CHECK(key != CubinCache::keyOf("ptx2", "sm_90", "1"));
  CHECK(key != CubinCache::keyOf("ptx", "sm_90a", "1"));
  CHECK(key != CubinCache::keyOf("ptx", "sm_90", "2"));
  // The same bytes, cut elsewhere.
  CHECK(CubinCache::keyOf("ptxs", "m_90", "1") != CubinCache::keyOf("ptx", "sm_90", "1"));
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
