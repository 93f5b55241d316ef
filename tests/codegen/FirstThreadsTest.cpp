// A kernel for blocks of 64 threads, done by the first 64 of 128, on the emulator.
#include "codegen/gpu/threads/FirstThreads.h"
#include "codegen/gpu/ptx/PtxModule.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "tests/cuda/Launcher.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace keratin::codegen;
using namespace keratin::ptx;
using namespace mlir;

namespace {

// Thread i of the kernel learns what thread 63 - i has written, and whether any is the 40th.
constexpr const char *text = R"(
  llvm.func @part(%x: !llvm.ptr, %y: !llvm.ptr) {
    %i = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %own = llvm.getelementptr %x[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %i, %own : i32, !llvm.ptr
    llvm.call_intrinsic "llvm.nvvm.barrier0"() : () -> ()
    %last = llvm.mlir.constant(63 : i32) : i32
    %j = llvm.sub %last, %i : i32
    %other = llvm.getelementptr %x[%j] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %v = llvm.load %other : !llvm.ptr -> i32
    %number = llvm.mlir.constant(40 : i32) : i32
    %is = llvm.icmp "eq" %i, %number : i32
    %word = llvm.zext %is : i1 to i32
    %any = llvm.call_intrinsic "llvm.nvvm.barrier0.or"(%word) : (i32) -> i32
    %sum = llvm.add %v, %any : i32
    %to = llvm.getelementptr %y[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %sum, %to : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @k(%context: !llvm.ptr, %argv: !llvm.ptr, %begin: i64, %end: i64) {
    %x = llvm.load %argv : !llvm.ptr -> !llvm.ptr
    %second = llvm.getelementptr %argv[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %y = llvm.load %second : !llvm.ptr -> !llvm.ptr
    %i = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %count = llvm.mlir.constant(64 : i32) : i32
    %isOne = llvm.icmp "ult" %i, %count : i32
    llvm.cond_br %isOne, ^some, ^all
  ^some:
    llvm.call @part(%x, %y) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.br ^all
  ^all:
    llvm.call_intrinsic "llvm.nvvm.barrier0"() : () -> ()
    llvm.return
  })";

std::string ptx(bool isMade) {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  loadCodegenDialects(&context);
  auto module = parseSourceString<ModuleOp>(text, &context);
  REQUIRE(module);
  if (isMade)
    meetAsFirstThreads(module->lookupSymbol<LLVM::LLVMFuncOp>("part"), 64);
  REQUIRE(succeeded(lowerToLlvm(*module)));
  LaunchShape shape = LaunchShape::ofLoop(128);
  shape.slots = 2;
  std::vector<PtxKernel> kernels = {{"k", shape}};
  FailureOr<std::string> made = emitPtx(*module, kernels);
  REQUIRE(succeeded(made));
  return *made;
}

std::optional<Fault> run(const std::string &ptx, Order order, std::vector<int32_t> &y) {
  Launcher on(ptx);
  on.options.warps = order;
  uint64_t xAt = on.memory->allocate(256), yAt = on.memory->allocate(256);
  Arguments arguments = Arguments().add(xAt).add(yAt);
  for (int parameter = 0; parameter < KERATIN_CUDA_PARAMETERS; ++parameter)
    arguments.add(uint64_t(0));
  std::optional<Fault> fault = on.run("k", {1}, {128}, arguments);
  if (!fault)
    y = on.download<int32_t>(yAt, 64);
  return fault;
}

} // namespace

TEST_CASE("the first threads of a block meet without the others", "[ptx]") {
  std::vector<int32_t> expected;
  for (int32_t i = 0; i < 64; ++i)
    expected.push_back(63 - i + 1);
  for (Order order : {Order::Fixed, Order::Reversed, Order::Seeded}) {
    std::vector<int32_t> y;
    std::optional<Fault> fault = run(ptx(true), order, y);
    INFO((fault ? fault->message : ""));
    CHECK(!fault);
    CHECK(y == expected);
  }
}

TEST_CASE("barriers of the block are none of its first threads", "[ptx]") {
  bool isNoticed = false;
  for (Order order : {Order::Fixed, Order::Reversed}) {
    std::vector<int32_t> y;
    isNoticed |= run(ptx(false), order, y).has_value();
  }
  CHECK(isNoticed);
}
