// A barrier of all threads of a grid, as PTX, on the emulator: it orders what it should, whichever
// block comes last, and nothing of it can be left out.
#include "codegen/gpu/threads/GridBarrier.h"
#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/ptx/PtxModule.h"
#include "codegen/gpu/threads/ThreadBlock.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "tests/cuda/Launcher.h"
#include "tests/cuda/Mutants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

using namespace keratin::codegen;
using namespace keratin::ptx;
using namespace mlir;

namespace {

constexpr unsigned blockThreads = 64;

// Each thread i of n writes x[i] = i, reads what thread n - 1 - i has written, and adds it to its
// own number. All learn whether x[0] is n - 1 then, and y[i] is x[n - 1 - i] if so, else 0.
class GridKernel {
public:
  GridKernel() : b(OpBuilder::atBlockEnd(module->getBody())) {}

  std::string ptx() {
    Type pointer = LLVM::LLVMPointerType::get(&context), i64Type = b.getI64Type();
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&context),
                                            {pointer, pointer, i64Type, i64Type});
    auto function = b.create<LLVM::LLVMFuncOp>(loc, "grid", type);
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    x = slot(entry->getArgument(1), 0);
    y = slot(entry->getArgument(1), 1);
    emit();
    b.create<LLVM::ReturnOp>(loc, ValueRange{});
    REQUIRE(succeeded(lowerToLlvm(*module)));
    LaunchShape shape = LaunchShape::ofLoop(blockThreads);
    shape.slots = 2;
    std::vector<PtxKernel> kernels = {{"grid", shape}};
    FailureOr<std::string> text = emitPtx(*module, kernels);
    REQUIRE(succeeded(text));
    return *text;
  }

private:
  Value i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }
  Value special(const char *name) {
    Value number =
        b.create<LLVM::CallIntrinsicOp>(loc, b.getI32Type(), b.getStringAttr(name), ValueRange{})
            .getResult(0);
    return b.create<arith::ExtUIOp>(loc, b.getI64Type(), number);
  }
  Value slot(Value argv, int32_t number) {
    Type pointer = LLVM::LLVMPointerType::get(&context);
    Value address =
        b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), argv, ArrayRef<LLVM::GEPArg>{number});
    return b.create<LLVM::LoadOp>(loc, pointer, address);
  }
  Value at(Value base, Value index) {
    return b.create<LLVM::GEPOp>(loc, base.getType(), b.getI64Type(), base,
                                 ArrayRef<LLVM::GEPArg>{index});
  }
  Value read(Value base, Value index) {
    return b.create<LLVM::LoadOp>(loc, b.getI64Type(), at(base, index));
  }
  void write(Value value, Value base, Value index) {
    b.create<LLVM::StoreOp>(loc, value, at(base, index));
  }

  void emit() {
    Value ofBlock = special("llvm.nvvm.read.ptx.sreg.ntid.x");
    Value before =
        b.create<arith::MulIOp>(loc, special("llvm.nvvm.read.ptx.sreg.ctaid.x"), ofBlock);
    Value thread = b.create<arith::AddIOp>(loc, before, ThreadBlock(b, loc).thread());
    Value threads =
        b.create<arith::MulIOp>(loc, special("llvm.nvvm.read.ptx.sreg.nctaid.x"), ofBlock);
    Value last = b.create<arith::SubIOp>(loc, threads, i64(1));
    Value other = b.create<arith::SubIOp>(loc, last, thread);
    GridBarrier barrier(b, loc);
    write(thread, x, thread);
    barrier.wait();
    Value sum = b.create<arith::AddIOp>(loc, thread, read(x, other));
    barrier.wait();
    write(sum, x, thread);
    Value isRight = barrier.ask([&]() -> Value {
      Value first = b.create<LLVM::LoadOp>(loc, b.getI64Type(), x, 8, /*isVolatile=*/true);
      return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, first, last);
    });
    write(b.create<arith::SelectOp>(loc, isRight, read(x, other), i64(0)), y, thread);
  }

  static MLIRContext &loaded(MLIRContext &context) {
    DialectRegistry registry;
    registerCodegenDialects(registry);
    context.appendDialectRegistry(registry);
    loadCodegenDialects(&context);
    return context;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&loaded(context)));
  OpBuilder b;
  Location loc = UnknownLoc::get(&context);
  Value x, y;
};

struct Trial {
  std::optional<Fault> fault;
  bool isRight = false;
};

// Twice: the second launch finds the words as the first has left them.
Trial tryGrid(const std::string &ptx, unsigned blocks, Order order) {
  const unsigned n = blocks * blockThreads;
  Launcher on(ptx);
  on.options.cooperative = true;
  on.options.blocks = on.options.warps = order;
  on.options.maxInstructions = 1 << 20;
  uint64_t counters =
      on.upload(std::vector<uint32_t>(KERATIN_CUDA_COUNTERS_OF_CALL + KERATIN_CUDA_BARRIER_WORDS));
  Trial trial;
  for (int launch = 0; launch < 2; ++launch) {
    uint64_t x = on.memory->allocate(n * 8), y = on.memory->allocate(n * 8);
    Arguments arguments = Arguments().add(x).add(y);
    for (int parameter = 0; parameter < KERATIN_CUDA_PARAMETERS; ++parameter)
      arguments.add(parameter == KERATIN_CUDA_COUNTERS ? counters : uint64_t(0));
    trial.fault = on.run("grid", {blocks}, {blockThreads}, arguments);
    if (trial.fault)
      return trial;
    trial.isRight = on.download<int64_t>(y, n) == std::vector<int64_t>(n, int64_t(n) - 1);
    if (!trial.isRight)
      return trial;
  }
  return trial;
}

// Without each fence of memory in turn.
std::vector<std::string> withoutFences(const std::string &ptx) {
  std::vector<std::string> result;
  const std::string fence = "membar.gl;";
  for (size_t at = ptx.find(fence); at != std::string::npos; at = ptx.find(fence, at + 1))
    result.push_back(std::string(ptx).replace(at, fence.size(), ""));
  return result;
}

} // namespace

TEST_CASE("a barrier of the grid orders what its threads do, in any order of blocks", "[ptx]") {
  std::string ptx = GridKernel().ptx();
  for (unsigned blocks : {1u, 2u, 7u})
    for (Order order : {Order::Fixed, Order::Reversed, Order::Seeded}) {
      INFO(blocks << " blocks");
      Trial trial = tryGrid(ptx, blocks, order);
      INFO((trial.fault ? trial.fault->message : ""));
      CHECK(!trial.fault);
      CHECK(trial.isRight);
    }
}

TEST_CASE("each barrier of the block in a barrier of the grid is needed", "[ptx]") {
  int count = 0;
  for (const Mutant &mutant : mutants(GridKernel().ptx())) {
    if (mutant.kind != Mutant::Barrier)
      continue;
    ++count;
    INFO(mutant.line << " " << mutant.what);
    bool isNoticed = false;
    for (Order order : {Order::Fixed, Order::Reversed}) {
      Trial trial = tryGrid(mutant.text, 3, order);
      isNoticed |= trial.fault || !trial.isRight;
    }
    CHECK(isNoticed);
  }
  CHECK(count == 5);
}

// Of the second of three, between the counter and the gate, the emulator cannot tell: it takes what
// an atomic access has seen for seen by whoever sees what its thread writes next.
TEST_CASE("fences of a barrier of the grid are needed", "[ptx]") {
  std::vector<std::string> texts = withoutFences(GridKernel().ptx());
  CHECK(texts.size() == 9);
  for (size_t number = 0; number < texts.size(); ++number) {
    INFO("fence " << number);
    if (number % 3 == 1)
      continue;
    bool isNoticed = false;
    for (Order order : {Order::Fixed, Order::Reversed}) {
      Trial trial = tryGrid(texts[number], 3, order);
      isNoticed |= trial.fault || !trial.isRight;
    }
    CHECK(isNoticed);
  }
}
