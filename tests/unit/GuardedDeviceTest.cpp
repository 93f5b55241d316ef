// That the blocks of devices end where they say: kernels which go a byte, or an element, too far
// are caught.
#include "tests/support/GuardedDevice.h"

#include "codegen/cpu/MachineTarget.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "tests/runtime/CudaHarness.h"
#include "tests/support/NoExit.h"
#include "tests/support/PlainDevice.h"
#include "tests/support/PlainTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace keratin;
using namespace keratin::testing;

namespace {

// What became of a process of its own.
struct Ending {
  int signal = 0; // that ended it; 0: none
  std::string said;

  bool says(const char *what) const { return said.find(what) != std::string::npos; }
};

// What `action` returns, or writes to the errors before it dies. The driver is started in there
// alone: a kernel that goes wrong takes the device along.
Ending endingOf(const std::function<std::string()> &action) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    for (int number : {SIGSEGV, SIGABRT})
      signal(number, SIG_DFL); // not the sanitizer's, nor Catch's
    try {
      std::fputs(action().c_str(), stderr);
    } catch (...) {
      std::fputs("a check failed", stderr);
    }
    std::fflush(stderr);
    tests::endProcess(0);
  }
  close(ends[1]);
  Ending ending;
  char buffer[512];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof(buffer))) > 0;)
    ending.said.append(buffer, size_t(got));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return ending;
}

//===-- The plain device ----------------------------------------------------------------------===//

enum PlainKernel { Put, Get };
const char *const plainKernels[] = {"put", "get"};

// Kernels that write a byte to, or read one from, the address that they are given.
std::unique_ptr<llvm::MemoryBuffer> plainObject() {
  mlir::DialectRegistry registry;
  codegen::registerCodegenDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED); // processes fork
  codegen::loadCodegenDialects(&context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    llvm.func @put(%c: !llvm.ptr, %argv: !llvm.ptr, %begin: i64, %end: i64) {
      %one = llvm.mlir.constant(1 : i8) : i8
      %number = llvm.load %argv : !llvm.ptr -> i64
      %place = llvm.inttoptr %number : i64 to !llvm.ptr
      llvm.store volatile %one, %place : i8, !llvm.ptr
      llvm.return
    }
    llvm.func @get(%c: !llvm.ptr, %argv: !llvm.ptr, %begin: i64, %end: i64) {
      %number = llvm.load %argv : !llvm.ptr -> i64
      %place = llvm.inttoptr %number : i64 to !llvm.ptr
      %byte = llvm.load volatile %place : !llvm.ptr -> i8
      llvm.return
    })",
                                                        &context);
  REQUIRE(module);
  auto object = codegen::emitCode(*module, codegen::hostMachine());
  REQUIRE(mlir::succeeded(object));
  return std::move(*object);
}

// A block of the plain device, and kernels that touch its bytes.
class PlainBlock {
public:
  PlainBlock(size_t bytes, size_t alignment) : bytes(bytes), alignment(alignment) {
    tests::registerPlainTarget();
    device = keratin_device_find(tests::plainTarget);
    REQUIRE(device);
    image = {tests::plainImageKind, object->getBufferStart(), int64_t(object->getBufferSize()), {}};
    code = {.device = tests::plainTarget,
            .num_images = 1,
            .images = &image,
            .num_kernels = 2,
            .kernels = plainKernels,
            .reserved = {}};
    builder.descriptor.device_code = &code;
    REQUIRE_DONE(device->load(device->user, builder.build(), &module, &status));
    REQUIRE_DONE(device->open(device->user, &queue, &status));
    REQUIRE_DONE(device->begin(device->user, queue, &status));
    data = device->allocate(device->user, bytes, alignment);
    REQUIRE(data);
  }
  ~PlainBlock() {
    release();
    device->close(device->user, queue);
    device->unload(device->user, module);
  }
  PlainBlock(const PlainBlock &) = delete;

  Ending touched(PlainKernel kernel, int64_t byte) {
    return endingOf([&] {
      int64_t address = int64_t(data) + byte;
      int32_t site = 0;
      REQUIRE_DONE(
          device->launch(device->user, queue, 0, module, kernel, &address, 1, 1, 1, &status));
      REQUIRE_DONE(device->wait(device->user, queue, &site, &status));
      release();
      return "done";
    });
  }

private:
  void release() { device->release(device->user, std::exchange(data, nullptr), bytes, alignment); }

  const size_t bytes, alignment;
  const std::unique_ptr<llvm::MemoryBuffer> object = plainObject();
  const keratin_device_t *device = nullptr;
  keratin_image_t image;
  keratin_device_code_t code;
  FunctionBuilder builder{"f", [](keratin_context_t *, void *const *, const int64_t *) {}};
  void *module = nullptr, *queue = nullptr, *data = nullptr;
};

//===-- The emulated device "cuda" ------------------------------------------------------------===//

// What is said of a kernel at three blocks of the given numbers of elements; a process with or
// without exact memory.
Ending added(bool isGuarded, std::array<size_t, 3> counts, int64_t units) {
  return endingOf([&] {
    const keratin_device_t &device = *cudaDevice("cuda");
    if (isGuarded)
      tests::guardCudaMemory();
    TestQueue queue(device);
    auto x = std::make_unique<DeviceArray<float>>(device, std::vector<float>(counts[0], 1.0f));
    auto y = std::make_unique<DeviceArray<float>>(device, std::vector<float>(counts[1], 2.0f));
    auto z = std::make_unique<DeviceArray<float>>(device, std::vector<float>(counts[2]));
    queue.launch(Add, {x->address(), y->address(), z->address()}, units);
    keratin_status_t status = {};
    int32_t site = 0;
    if (device.wait(device.user, queue.queue, &site, &status) == KERATIN_OK)
      return z->read() == std::vector<float>(counts[2], 3.0f) ? std::string("done") : "wrong";
    return std::string(status.message) + "\n" + tests::emulator().lastFault();
  });
}

} // namespace

TEST_CASE("a kernel of the plain device that goes a byte too far dies") {
  for (size_t bytes : {1, 4, 100, 4096, 10000}) {
    INFO(bytes << " bytes");
    PlainBlock block(bytes, 1);
    for (PlainKernel kernel : {Put, Get}) {
      CHECK(block.touched(kernel, int64_t(bytes)).signal == SIGSEGV);
      for (int64_t inside : {int64_t(0), int64_t(bytes) - 1}) {
        Ending ending = block.touched(kernel, inside);
        CHECK(ending.signal == 0);
        CHECK(ending.said == "done");
      }
    }
  }
}

TEST_CASE("a kernel that writes beside an aligned block of the plain device is found at its end") {
  PlainBlock block(100, 64); // 28 bytes of its page lie behind it
  for (int64_t beside : {-1, 100, 127}) {
    Ending ending = block.touched(Put, beside);
    CHECK(ending.signal == SIGABRT);
    CHECK(ending.says("written beside its bounds"));
  }
  CHECK(block.touched(Put, 128).signal == SIGSEGV);
  CHECK(block.touched(Put, 99).said == "done");
}

TEST_CASE("a kernel of the emulated device that goes an element too far is a fault") {
  for (size_t count : {1, 10, 64, 1000}) {
    INFO(count << " elements");
    CHECK(added(true, {count, count, count}, int64_t(count)).said == "done");
    for (int shorter = 0; shorter < 3; ++shorter) {
      std::array<size_t, 3> counts = {count + 1, count + 1, count + 1};
      counts[size_t(shorter)] = count;
      Ending ending = added(true, counts, int64_t(count) + 1);
      INFO(ending.said);
      CHECK(ending.signal == 0);
      CHECK(ending.says("device 'cuda'"));
      CHECK(ending.says(shorter == 2 ? "st.global" : "ld.global"));
    }
  }
}

TEST_CASE("the same write goes unseen into what the runtime rounds up to") {
  CHECK(added(false, {11, 11, 10}, 11).said == "done");
}
