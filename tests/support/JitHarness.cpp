#include "tests/support/JitHarness.h"

#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/ObjectEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <stdexcept>

using namespace mlir;
using namespace keratin::codegen;

namespace keratin::tests {

static DialectRegistry codegenRegistry() {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  return registry;
}

JitHarness::JitHarness(MachineTarget machine)
    : target(std::move(machine)), mlirContext(codegenRegistry(), MLIRContext::Threading::DISABLED) {
  mlirContext.loadAllAvailableDialects();
}

bool JitHarness::runsHere() const {
  if (target.triple.empty())
    return false;
  MachineTarget host = hostMachine();
  return target.vectorBits <= host.vectorBits && (host.hasFma || !target.hasFma);
}

// One loop over the elements from `lower` to `upper`, `lanes` at a time.
static void buildLoop(OpBuilder &builder, Location loc, Value lower, Value upper, unsigned lanes,
                      ArrayRef<Type> inputTypes, ArrayRef<Value> inputs, ArrayRef<Type> outputTypes,
                      ArrayRef<Value> outputs, const JitHarness::Body &body, bool scalar) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value step =
      builder.create<arith::ConstantOp>(loc, builder.getI64IntegerAttr(scalar ? 1 : lanes));
  auto loop = builder.create<scf::ForOp>(loc, lower, upper, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  auto address = [&](Value base, Type element) -> Value {
    return builder.create<LLVM::GEPOp>(loc, pointer, element, base,
                                       ArrayRef<LLVM::GEPArg>{loop.getInductionVar()});
  };
  SmallVector<Value> arguments;
  for (auto [base, element] : llvm::zip(inputs, inputTypes)) {
    Type type = scalar ? element : Type(VectorType::get({lanes}, element));
    unsigned bytes = element.getIntOrFloatBitWidth() / 8;
    arguments.push_back(builder.create<LLVM::LoadOp>(loc, type, address(base, element), bytes));
  }
  SmallVector<Value> results = body(builder, loc, arguments);
  for (auto [base, element, result] : llvm::zip(outputs, outputTypes, results))
    builder.create<LLVM::StoreOp>(loc, result, address(base, element),
                                  element.getIntOrFloatBitWidth() / 8);
}

OwningOpRef<ModuleOp> JitHarness::buildModule(ArrayRef<Type> inputTypes, ArrayRef<Type> outputTypes,
                                              const Body &body, unsigned lanes) {
  OpBuilder builder(&mlirContext);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  if (lanes == 0) {
    unsigned widest = 8;
    for (Type type : llvm::concat<const Type>(inputTypes, outputTypes))
      widest = std::max(widest, type.getIntOrFloatBitWidth());
    lanes = target.lanes(widest);
  }

  Type pointer = LLVM::LLVMPointerType::get(&mlirContext);
  auto function = builder.create<func::FuncOp>(
      loc, "kernel", builder.getFunctionType({pointer, pointer, builder.getI64Type()}, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  auto loadPointers = [&](Value table, size_t count) {
    SmallVector<Value> pointers;
    for (size_t i = 0; i < count; ++i) {
      Value slot = builder.create<LLVM::GEPOp>(loc, pointer, pointer, table,
                                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      pointers.push_back(builder.create<LLVM::LoadOp>(loc, pointer, slot));
    }
    return pointers;
  };
  SmallVector<Value> inputs = loadPointers(entry->getArgument(0), inputTypes.size());
  SmallVector<Value> outputs = loadPointers(entry->getArgument(1), outputTypes.size());
  Value count = entry->getArgument(2);
  Value zero = builder.create<arith::ConstantOp>(loc, builder.getI64IntegerAttr(0));
  Value width = builder.create<arith::ConstantOp>(loc, builder.getI64IntegerAttr(lanes));
  Value rest = builder.create<arith::RemUIOp>(loc, count, width);
  Value whole = builder.create<arith::SubIOp>(loc, count, rest);
  buildLoop(builder, loc, zero, whole, lanes, inputTypes, inputs, outputTypes, outputs, body,
            /*scalar=*/false);
  buildLoop(builder, loc, whole, count, lanes, inputTypes, inputs, outputTypes, outputs, body,
            /*scalar=*/true);
  builder.create<func::ReturnOp>(loc);
  return module;
}

// Runs `action`, which reports through diagnostics; throws what they said if it fails.
static void orThrow(MLIRContext *context, const std::function<LogicalResult()> &action) {
  std::string messages;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return success();
  });
  if (failed(action()))
    throw std::runtime_error("kernel does not compile: " + messages);
}

ElementwiseKernel JitHarness::elementwise(ArrayRef<Type> inputs, ArrayRef<Type> outputs,
                                          const Body &body, unsigned lanes) {
  OwningOpRef<ModuleOp> module = buildModule(inputs, outputs, body, lanes);
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  orThrow(&mlirContext, [&]() -> LogicalResult {
    if (failed(verify(*module)) || failed(lowerToLlvm(*module)))
      return failure();
    auto object = emitCode(*module, target);
    if (failed(object))
      return failure();
    objects.push_back(std::move(*object));
    return success();
  });
  std::string error;
  ElementwiseKernel kernel;
  kernel.library = JitLibrary::load(std::move(objects), &error);
  if (kernel.library)
    kernel.function =
        reinterpret_cast<ElementwiseKernel::Function>(kernel.library->lookup("kernel"));
  if (!kernel.function)
    throw std::runtime_error("kernel does not link: " + error);
  return kernel;
}

std::string JitHarness::assembly(ArrayRef<Type> inputs, ArrayRef<Type> outputs, const Body &body,
                                 unsigned lanes) {
  OwningOpRef<ModuleOp> module = buildModule(inputs, outputs, body, lanes);
  std::string text;
  orThrow(&mlirContext, [&]() -> LogicalResult {
    if (failed(verify(*module)) || failed(lowerToLlvm(*module)))
      return failure();
    auto code = emitCode(*module, target, CodeKind::Assembly);
    if (failed(code))
      return failure();
    text = (*code)->getBuffer().str();
    return success();
  });
  return text;
}

} // namespace keratin::tests
