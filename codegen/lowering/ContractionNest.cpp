#include "codegen/lowering/ContractionNest.h"

#include "codegen/lowering/KernelKind.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::ContractionShape;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;

std::optional<ContractionNest> ContractionNest::of(ir::KernelOp kernel) {
  auto dot = cast<ir::DotGeneralOp>(mainOp(kernel));
  std::optional<ir::IterationSpace> space = iterationSpaceOf(kernel);
  if (!space)
    return std::nullopt;
  std::optional<ContractionShape> shape = ir::getContractionShape(dot);
  if (!shape) {
    dot.emitError("not implemented: a contraction whose dimensions have no single stride");
    return std::nullopt;
  }
  return ContractionNest{dot, *shape, std::move(*space)};
}

DimExpr ContractionNest::operations() const {
  DimExpr products = 2;
  for (const DimExpr &size : {shape.batch, shape.m, shape.n, shape.k})
    products = mul(products, size).value_or(DimExpr(INT64_MAX));
  return products;
}

void ContractionNest::print(llvm::raw_ostream &out) const {
  out << "nest: batch " << shape.batch.str() << ", m " << shape.m.str() << ", n " << shape.n.str()
      << ", k " << shape.k.str() << "\n";
}

void ContractionNest::turn() { isTurned = !isTurned; }

Value ContractionNest::a() const {
  return ir::inMemory(isTurned ? ir::DotGeneralOp(dot).getB() : ir::DotGeneralOp(dot).getA());
}

Value ContractionNest::b() const {
  return ir::inMemory(isTurned ? ir::DotGeneralOp(dot).getA() : ir::DotGeneralOp(dot).getB());
}

//===-- For generators ------------------------------------------------------------------------===//

// `index` gives a size as such, or null where only what is known counts.
static ContractionOperand operandOf(Type elementType, const ContractionShape::Strides &strides,
                                    const DimExpr &rows, const DimExpr &columns, SizeOf index) {
  ContractionOperand result;
  result.elementType = elementType;
  result.batchStride = index(strides.batch);
  // A run of one element has any stride: say the one that reads best.
  DimExpr row = rows == DimExpr(1) && columns != DimExpr(1) && strides.column != DimExpr(1)
                    ? DimExpr(1)
                    : strides.row;
  DimExpr column = columns == DimExpr(1) && row != DimExpr(1) ? DimExpr(1) : strides.column;
  result.rowStride = index(row);
  result.colStride = index(column);
  result.constantRowStride = constantOf(row);
  result.constantColStride = constantOf(column);
  return result;
}

// The shape of B^T times A^T.
static ContractionShape turned(ContractionShape shape) {
  std::swap(shape.m, shape.n);
  std::swap(shape.a, shape.b);
  std::swap(shape.a.row, shape.a.column);
  std::swap(shape.b.row, shape.b.column);
  return shape;
}

static ContractionSpec specOf(const ContractionNest &nest, SizeOf index) {
  auto extent = [&](const DimExpr &size) {
    return ContractionSize{index(size), constantOf(size), size};
  };
  const ContractionShape shape = nest.isTurned ? turned(nest.shape) : nest.shape;
  ir::DotGeneralOp dot = nest.dot;
  ContractionSpec spec;
  Type element = signless(getElementType(dot.getY()));
  bool isNarrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  spec.accumulatorType = isNarrow ? Type(Float32Type::get(dot.getContext())) : element;
  spec.batch = extent(shape.batch);
  spec.m = extent(shape.m);
  spec.n = extent(shape.n);
  spec.k = extent(shape.k);
  // Of what is widened the sign counts.
  auto typeOf = [&](Value operand) {
    Type type = getElementType(operand);
    return type.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth() ? type : signless(type);
  };
  spec.a = operandOf(typeOf(nest.a()), shape.a, shape.m, shape.k, index);
  spec.b = operandOf(typeOf(nest.b()), shape.b, shape.k, shape.n, index);
  return spec;
}

ContractionSpec ContractionNest::describe() const {
  return specOf(*this, [](const DimExpr &) { return Value(); });
}

ContractionSpec ContractionNest::describe(OpBuilder &b, Location loc, SizeOf sizeOf) const {
  return specOf(*this, [&](const DimExpr &size) -> Value {
    return b.create<arith::IndexCastOp>(loc, b.getIndexType(), sizeOf(size));
  });
}
