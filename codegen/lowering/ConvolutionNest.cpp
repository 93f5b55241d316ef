#include "codegen/lowering/ConvolutionNest.h"

#include "codegen/lowering/KernelKind.h"
#include "ir/interfaces/ContractionShape.h"
#include "ir/interfaces/OpCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::ConvolutionDims;
using keratin::ir::ConvolutionShape;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::Shape;

std::optional<ConvolutionNest> ConvolutionNest::of(ir::KernelOp kernel) {
  if (!iterationSpaceOf(kernel))
    return std::nullopt;
  auto op = cast<ir::ConvolutionOp>(mainOp(kernel));
  return ConvolutionNest{op, ir::getConvolutionShape(op)};
}

DimExpr ConvolutionNest::operations() const {
  return ir::operationCount(ir::ConvolutionOp(op)).value_or(DimExpr(INT64_MAX));
}

void ConvolutionNest::print(llvm::raw_ostream &out) const {
  out << "nest: batch " << shape.batch.str() << ", groups " << shape.groups.str() << ", filters "
      << shape.filters.str() << ", contracted " << shape.contracted.str() << ", windows ";
  llvm::interleaveComma(shape.windows, out, [&](const ConvolutionShape::Window &window) {
    out << window.ySize.str() << " of " << window.filterSize.str() << " by " << window.stride
        << " over " << window.xSize.str();
  });
  out << "\n";
}

Value ConvolutionNest::x() const { return ir::inMemory(ir::ConvolutionOp(op).getX()); }
Value ConvolutionNest::filter() const { return ir::inMemory(ir::ConvolutionOp(op).getFilter()); }

//===-- For generators ------------------------------------------------------------------------===//

// `index` gives a size as such, or null where only what is known counts.
static ConvolutionSize sizeOf(const DimExpr &value, SizeOf index) {
  return {index(value), constantOf(value), value};
}

// Of the dimension in the tensor; 0 where it has none.
static ConvolutionSize strideOf(Value tensor, int place, SizeOf index) {
  if (place < 0)
    return sizeOf(DimExpr(0), index);
  Shape dims = ir::getShape(tensor);
  // A tensor with more elements than 64 bits count was refused, unless it has none at all.
  return sizeOf(product(Shape(dims.begin() + place + 1, dims.end())).value_or(DimExpr(0)), index);
}

static ConvolutionWindow windowOf(const ConvolutionShape::Window &window, SizeOf index) {
  ConvolutionWindow result;
  result.x = sizeOf(window.xSize, index);
  result.filter = sizeOf(window.filterSize, index);
  result.y = sizeOf(window.ySize, index);
  result.low = sizeOf(window.low, index);
  result.stride = window.stride;
  result.xDilation = window.xDilation;
  result.dilation = window.dilation;
  result.reversed = window.reversed;
  return result;
}

static ConvolutionSpec specOf(const ConvolutionNest &nest, SizeOf index) {
  ir::ConvolutionOp op = nest.op;
  const ConvolutionShape &shape = nest.shape;
  ConvolutionSpec spec;
  Type element = signless(getElementType(op.getY()));
  bool isNarrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  spec.accumulatorType = isNarrow ? Type(Float32Type::get(op.getContext())) : element;
  spec.batch = sizeOf(shape.batch, index);
  spec.groups = sizeOf(shape.groups, index);
  spec.contracted = sizeOf(shape.contracted, index);
  spec.filters = sizeOf(shape.filters, index);
  // Of what is widened the sign counts.
  auto typeOf = [&](Value operand) {
    Type type = getElementType(operand);
    return type.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth() ? type : signless(type);
  };
  spec.x.elementType = typeOf(nest.x());
  spec.filter.elementType = typeOf(nest.filter());
  const ConvolutionDims &dims = shape.dims;
  spec.x.batch = strideOf(op.getX(), dims.batch.x, index);
  spec.x.groups = strideOf(op.getX(), dims.groups.x, index);
  spec.x.contracted = strideOf(op.getX(), dims.contracted.x, index);
  spec.filter.groups = strideOf(op.getFilter(), dims.groups.filter, index);
  spec.filter.contracted = strideOf(op.getFilter(), dims.contracted.filter, index);
  spec.filter.filters = strideOf(op.getFilter(), dims.filters.filter, index);
  for (const ConvolutionShape::Window &window : shape.windows) {
    spec.windows.push_back(windowOf(window, index));
    spec.x.windows.push_back(strideOf(op.getX(), window.places.x, index));
    spec.filter.windows.push_back(strideOf(op.getFilter(), window.places.filter, index));
  }
  return spec;
}

ConvolutionSpec ConvolutionNest::describe() const {
  return specOf(*this, [](const DimExpr &) { return Value(); });
}

ConvolutionSpec ConvolutionNest::describe(OpBuilder &b, Location loc, SizeOf sizeOf) const {
  return specOf(*this, [&](const DimExpr &size) -> Value {
    return b.create<arith::IndexCastOp>(loc, b.getIndexType(), sizeOf(size));
  });
}
