// What graphs are built of, before any pass.
#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace mlir;

TEST_CASE("a number that an integer type has not becomes the nearest that it has") {
  MLIRContext context;
  context.loadDialect<ir::KeratinDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder(module->getBodyRegion());
  ir::GraphMath math(builder, module->getLoc());
  auto valueOf = [&](double number, Type type) {
    auto constant = math.scalar(number, type).getDefiningOp<ir::ConstantOp>();
    return cast<DenseElementsAttr>(constant.getValueAttr()).getValues<APInt>()[0];
  };
  const Type i32 = builder.getI32Type(), i64 = builder.getI64Type(),
             ui8 = builder.getIntegerType(8, /*isSigned=*/false),
             ui64 = builder.getIntegerType(64, /*isSigned=*/false);
  CHECK(valueOf(1e30, i32).getSExtValue() == INT32_MAX);
  CHECK(valueOf(-1e10, i32).getSExtValue() == INT32_MIN);
  CHECK(valueOf(1e30, i64).getSExtValue() == INT64_MAX);
  CHECK(valueOf(-1e30, i64).getSExtValue() == INT64_MIN);
  CHECK(valueOf(300, ui8).getZExtValue() == 255);
  CHECK(valueOf(1e19, ui64).getZExtValue() == 10000000000000000000u);
  CHECK(valueOf(-7.9, i32).getSExtValue() == -7);
}
