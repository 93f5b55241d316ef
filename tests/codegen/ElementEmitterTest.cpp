// What a thread without lanes makes of a fused chain: scalar code with the bits of the CPU's
// vectors.
#include "codegen/cpu/KernelLowering.h"
#include "codegen/elements/NestBody.h"
#include "codegen/llvm/JitLibrary.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "tests/support/JitHarness.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace keratin;
using namespace keratin::codegen;

namespace {

// Everything that moves and much that computes, over 5 rows of 11.
constexpr const char *chain = R"mlir(
func.func @main(%x: tensor<5x8xf32>, %s: tensor<11xf32>, %n: tensor<5x3xbf16>) -> tensor<5x11xf32> {
  %y = keratin.kernel(%x, %s, %n) : (tensor<5x8xf32>, tensor<11xf32>, tensor<5x3xbf16>) -> tensor<5x11xf32> {
  ^bb0(%a: tensor<5x8xf32>, %b: tensor<11xf32>, %c: tensor<5x3xbf16>):
    %0 = keratin.cast %c : (tensor<5x3xbf16>) -> tensor<5x3xf32>
    %1 = keratin.concatenate %a, %0 {axis = 1 : i64} : (tensor<5x8xf32>, tensor<5x3xf32>) -> tensor<5x11xf32>
    %2 = keratin.broadcast %b dims = [1] : (tensor<11xf32>) -> tensor<5x11xf32>
    %3 = keratin.mul %1, %2 : (tensor<5x11xf32>, tensor<5x11xf32>) -> tensor<5x11xf32>
    %4 = keratin.tanh %3 : (tensor<5x11xf32>) -> tensor<5x11xf32>
    %5 = keratin.exp %1 : (tensor<5x11xf32>) -> tensor<5x11xf32>
    %6 = keratin.reverse %5 axes = [1] : (tensor<5x11xf32>) -> tensor<5x11xf32>
    %7 = keratin.pow %5, %4 : (tensor<5x11xf32>, tensor<5x11xf32>) -> tensor<5x11xf32>
    %8 = keratin.add %6, %7 : (tensor<5x11xf32>, tensor<5x11xf32>) -> tensor<5x11xf32>
    %9 = keratin.sin %8 : (tensor<5x11xf32>) -> tensor<5x11xf32>
    keratin.yield %9 : tensor<5x11xf32>
  }
  return %y : tensor<5x11xf32>
}
)mlir";

bool hasVectors(Operation *function) {
  auto isVector = [](Type type) { return isa<VectorType>(type); };
  return function
      ->walk([&](Operation *op) {
        return WalkResult(failure(llvm::any_of(op->getOperandTypes(), isVector) ||
                                  llvm::any_of(op->getResultTypes(), isVector)));
      })
      .wasInterrupted();
}

// Units are elements.
LLVM::LLVMFuncOp emitScalars(ir::KernelOp kernel, OpBuilder &builder, const ElementTarget &target) {
  KernelBuilder k(kernel, builder, "scalars");
  LoopNest nest(kernel, *iterationSpaceOf(kernel));
  ElementEmitter emitter(k, k.loc, target, /*lanes=*/1);
  NestBody body(k, nest, emitter);
  k.b.setInsertionPoint(k.result.function.getBody().front().getTerminator());
  emitter.loop(k.begin, k.end, 1, {}, [&](Value unit, ArrayRef<Value>) {
    Value columns = emitter.extent(nest.innermost().extent);
    body.index(0) = emitter.scalarIndex(k.b.create<arith::DivUIOp>(k.loc, unit, columns));
    body.innermost() = emitter.scalarIndex(k.b.create<arith::RemUIOp>(k.loc, unit, columns));
    body.emit(0, {});
    return SmallVector<Value>();
  });
  return k.result.function;
}

using KernelFn = void (*)(void *context, void **argv, int64_t begin, int64_t end);

} // namespace

TEST_CASE("an element for a thread without lanes has the bits of the CPU's vectors") {
  tests::JitHarness harness(machineByName("x86-64-v3"));
  if (!harness.runsHere())
    return;
  MLIRContext &context = *harness.context();
  context.loadDialect<ir::KeratinDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> source = parseSourceString<ModuleOp>(chain, &context);
  REQUIRE(source);
  ir::KernelOp kernel;
  source->walk([&](ir::KernelOp op) { kernel = op; });

  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  EntryDescription description;
  KernelLowering lower = loweringFor(harness.machine(), /*callsMath=*/false, description);
  FailureOr<KernelFunction> vectors = lower(kernel, builder, "vectors");
  REQUIRE(succeeded(vectors));
  builder.setInsertionPointToEnd(module->getBody());
  LLVM::LLVMFuncOp scalars = emitScalars(kernel, builder, harness.machine());
  CHECK(hasVectors(vectors->function));
  CHECK(!hasVectors(scalars));
  vectors->function.setLinkage(LLVM::Linkage::External);
  scalars.setLinkage(LLVM::Linkage::External);

  REQUIRE(succeeded(verify(*module)));
  REQUIRE(succeeded(lowerToLlvm(*module)));
  auto object = emitCode(*module, harness.machine());
  REQUIRE(succeeded(object));
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  objects.push_back(std::move(*object));
  std::string error;
  std::unique_ptr<JitLibrary> library = JitLibrary::load(std::move(objects), &error);
  INFO(error);
  REQUIRE(library);

  float x[5 * 8], s[11], expected[5 * 11], found[5 * 11];
  uint16_t n[5 * 3];
  for (int i = 0; i < 40; ++i)
    x[i] = std::sin(i * 1.7f) * 3;
  for (int i = 0; i < 11; ++i)
    s[i] = 0.3f * i - 1;
  for (int i = 0; i < 15; ++i)
    n[i] = 0x3f00 + 37 * i;
  x[3] = -0.0f;
  x[7] = 1e-40f;
  auto run = [&](const char *name, float *y, int64_t units) {
    void *argv[] = {x, s, n, y};
    reinterpret_cast<KernelFn>(library->lookup(name))(nullptr, argv, 0, units);
  };
  run("vectors", expected, 5);
  run("scalars", found, 55);
  CHECK(std::memcmp(expected, found, sizeof expected) == 0);
}
