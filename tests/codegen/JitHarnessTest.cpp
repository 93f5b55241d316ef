#include "tests/support/JitHarness.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace keratin;
using namespace keratin::tests;

TEST_CASE("an element-wise kernel covers whole vectors and the rest", "[jit]") {
  for (const char *name : {"native", "x86-64-v3", "x86-64-v2"}) {
    JitHarness harness(codegen::machineByName(name));
    if (!harness.runsHere())
      continue;
    mlir::Type f32 = mlir::Float32Type::get(harness.context());
    ElementwiseKernel kernel = harness.elementwise(
        {f32, f32}, {f32, f32}, [](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
          mlir::Value sum = b.create<mlir::arith::AddFOp>(loc, in[0], in[1]);
          mlir::Value difference = b.create<mlir::arith::SubFOp>(loc, in[0], in[1]);
          return llvm::SmallVector<mlir::Value>{sum, difference};
        });
    std::vector<float> x(37), y(37), sum(38, -1.0f), difference(38, -1.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    std::iota(y.begin(), y.end(), 100.0f);
    kernel({x.data(), y.data()}, {sum.data(), difference.data()}, 37);
    for (int i = 0; i < 37; ++i) {
      CHECK(sum[i] == 100.0f + 2 * i);
      CHECK(difference[i] == -100.0f);
    }
    CHECK(sum[37] == -1.0f);
    CHECK(difference[37] == -1.0f);
  }
}

TEST_CASE("a kernel that does not verify says why", "[jit]") {
  JitHarness harness(codegen::hostMachine());
  mlir::Type f32 = mlir::Float32Type::get(harness.context());
  mlir::Type f64 = mlir::Float64Type::get(harness.context());
  auto body = [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
    mlir::Type narrow = in[0].getType();
    mlir::Type wide = mlir::isa<mlir::VectorType>(narrow)
                          ? mlir::Type(mlir::VectorType::get(
                                mlir::cast<mlir::VectorType>(narrow).getShape(), f64))
                          : f64;
    // Truncation to a wider type.
    return llvm::SmallVector<mlir::Value>{b.create<mlir::arith::TruncFOp>(loc, wide, in[0])};
  };
  CHECK_THROWS_WITH(harness.elementwise({f32}, {f64}, body), Catch::Contains("arith.truncf"));
}
