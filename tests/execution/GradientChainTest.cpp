// Length costs time, not stack.
#include "ir/dialect/Keratin.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/thread.h"

#include <catch2/catch.hpp>

using namespace keratin::ir;
using namespace mlir;

TEST_CASE("a long chain is differentiated with 1 MiB of stack", "[gradient]") {
  constexpr int kLength = 100000;
  bool succeeded = false;
  size_t opCount = 0;
  llvm::thread thread(std::optional<unsigned>(1 << 20), [&] {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<KeratinDialect, func::FuncDialect>();
    OpBuilder builder(&context);
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    auto type = RankedTensorType::get({}, builder.getF32Type());
    auto function = builder.create<func::FuncOp>(loc, "f", builder.getFunctionType({type}, {type}));
    builder.setInsertionPointToStart(function.addEntryBlock());
    Value x = function.getArgument(0), y = x;
    for (int i = 0; i < kLength; ++i)
      y = builder.create<TanhOp>(loc, y);
    auto gradient = builder.create<GradientsOp>(loc, TypeRange{type}, y, x);
    builder.create<func::ReturnOp>(loc, gradient.getYs());
    PassManager passes(&context);
    passes.addNestedPass<func::FuncOp>(keratin::passes::createDifferentiate());
    succeeded = mlir::succeeded(passes.run(*module));
    opCount = function.front().getOperations().size();
  });
  thread.join();
  CHECK(succeeded);
  // Each op and its gradient: 1 - y * y, times dy.
  CHECK(opCount > size_t(kLength) * 3);
  CHECK(opCount < size_t(kLength) * 6);
}
