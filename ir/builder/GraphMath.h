// Building graphs the way formulas are written: for gradients, rewrites and compositions.
#ifndef KERATIN_IR_BUILDER_GRAPHMATH_H
#define KERATIN_IR_BUILDER_GRAPHMATH_H

#include "ir/dialect/Keratin.h"

#include "mlir/IR/Builders.h"

namespace keratin::ir {

// Every method emits one op (or a short fixed composition) at the builder's insertion point with
// one location. Operands of the elementwise methods have equal shapes and element types; nothing is
// broadcast implicitly. Axes are not negative.
class GraphMath {
public:
  GraphMath(mlir::OpBuilder &builder, mlir::Location location) : b(builder), loc(location) {}

  mlir::OpBuilder &builder() { return b; }
  mlir::Location location() const { return loc; }

  // Constants. A scalar of the element type; `like` gives it the shape of x by broadcast.
  mlir::Value scalar(double value, mlir::Type elementType);
  mlir::Value integerScalar(int64_t value, mlir::Type elementType);
  mlir::Value splat(double value, mlir::RankedTensorType type);
  mlir::Value constantLike(double value, mlir::Value x) { return splat(value, getTensorType(x)); }
  mlir::Value zeroLike(mlir::Value x) { return constantLike(0.0, x); }
  mlir::Value oneLike(mlir::Value x) { return constantLike(1.0, x); }
  mlir::Value scale(mlir::Value x, double factor) { return mul(x, constantLike(factor, x)); }
  mlir::Value iota(mlir::RankedTensorType type, int64_t axis);
  // The product of the sizes of these dimensions of x as a scalar; exact integer arithmetic before
  // it is cast.
  mlir::Value count(mlir::Value x, llvm::ArrayRef<int64_t> axes, mlir::Type elementType);

  // Elementwise: a method for each op that is a function of its operands, by the op's name.
  mlir::Value identity(mlir::Value x) { return x; }
#define KERATIN_ELEMENTWISE(method, Op, parameters, arguments) mlir::Value method parameters;
#include "ir/builder/GraphMath.inc"

  mlir::Value compare(Comparison direction, mlir::Value a, mlir::Value b);
  mlir::Value equal(mlir::Value a, mlir::Value b) { return compare(Comparison::EQ, a, b); }
  mlir::Value notEqual(mlir::Value a, mlir::Value b) { return compare(Comparison::NE, a, b); }
  mlir::Value less(mlir::Value a, mlir::Value b) { return compare(Comparison::LT, a, b); }
  mlir::Value greater(mlir::Value a, mlir::Value b) { return compare(Comparison::GT, a, b); }
  mlir::Value greaterEqual(mlir::Value a, mlir::Value b) { return compare(Comparison::GE, a, b); }
  // x, but 0 where x is NaN and `zeros` is 0: for x = zeros * (something infinite). Differentiates
  // like x wherever x is a number, also where `zeros` is 0.
  mlir::Value keepZeros(mlir::Value zeros, mlir::Value x);
  mlir::Value cast(mlir::Value x, mlir::Type elementType);

  // Shape. Ops that would change nothing are not emitted.
  mlir::Value reshape(mlir::Value x, const Shape &shape);
  mlir::Value broadcast(mlir::Value x, const Shape &shape, llvm::ArrayRef<int64_t> dims);
  // From the shape of x with the axes removed back to the shape `like` has.
  mlir::Value broadcastAlong(mlir::Value x, const Shape &like, llvm::ArrayRef<int64_t> axes);
  mlir::Value broadcastScalar(mlir::Value x, const Shape &shape) { return broadcast(x, shape, {}); }
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  mlir::Value slice(mlir::Value x, const Shape &starts, const Shape &sizes,
                    llvm::ArrayRef<int64_t> strides);
  mlir::Value pad(mlir::Value x, const Shape &low, llvm::ArrayRef<int64_t> interior,
                  const Shape &result);
  mlir::Value concatenate(mlir::ValueRange xs, int64_t axis);
  mlir::Value reverse(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value gather(mlir::Value x, mlir::Value indices);
  mlir::Value scatterAdd(mlir::Value indices, mlir::Value updates, const Shape &shape);

  // Along axes (removed from the result).
  mlir::Value reduceSum(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value reduceProd(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value reduceMax(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value reduceMin(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value reduceAny(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value reduceAll(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value cumsum(mlir::Value x, int64_t axis, bool exclusive = false, bool reverse = false);
  mlir::Value cumprod(mlir::Value x, int64_t axis, bool exclusive = false, bool reverse = false);
  mlir::Value linearRecurrence(mlir::Value a, mlir::Value b, int64_t axis, bool reverse = false);

  // Contraction with the dimension numbers of keratin.dot_general.
  mlir::Value dotGeneral(mlir::Value a, mlir::Value b, llvm::ArrayRef<int64_t> aBatch,
                         llvm::ArrayRef<int64_t> bBatch, llvm::ArrayRef<int64_t> aContract,
                         llvm::ArrayRef<int64_t> bContract);

  // Windows, with the attributes of keratin.convolution and keratin.window_sum; what `result` says
  // of sizes is their high padding.
  struct ConvolutionWindows {
    std::string dims;
    llvm::SmallVector<int64_t> strides;
    Shape low;
    llvm::SmallVector<int64_t> xDilation, dilation;
    llvm::SmallVector<bool> reversed;
  };
  mlir::Value convolution(mlir::Value x, mlir::Value filter, const ConvolutionWindows &windows,
                          const Shape &result);
  mlir::Value windowSum(mlir::Value x, llvm::ArrayRef<int64_t> window,
                        llvm::ArrayRef<int64_t> strides, const Shape &low,
                        llvm::ArrayRef<int64_t> xDilation, const Shape &result);
  mlir::Value windowMax(mlir::Value x, llvm::ArrayRef<int64_t> window,
                        llvm::ArrayRef<int64_t> strides, const Shape &low, const Shape &result);

  // What a rank does by itself, and what all ranks have of it.
  mlir::Value enterRank(mlir::Value x);
  mlir::Value leaveRank(mlir::Value x);
  // What all ranks do together, or those along an axis of their mesh; where they have parts along
  // an axis of x, by the size of the result.
  mlir::Value allReduce(mlir::Value x, RankReduction reduction, mlir::StringAttr along = {});
  mlir::Value allGather(mlir::Value x, int64_t axis, const DimExpr &whole,
                        mlir::StringAttr along = {});
  mlir::Value reduceScatter(mlir::Value x, RankReduction reduction, int64_t axis,
                            const DimExpr &part, mlir::StringAttr along = {});
  mlir::Value broadcastFrom(mlir::Value x, int64_t root, mlir::StringAttr along = {});
  mlir::Value allToAll(mlir::Value x, mlir::StringAttr along = {});
  mlir::Value permute(mlir::Value x, llvm::ArrayRef<int64_t> pairs, mlir::StringAttr along = {});
  // An int64 scalar.
  mlir::Value rankIndex(mlir::StringAttr along = {});

private:
  mlir::Value alongAxis(mlir::Value x, int64_t axis,
                        llvm::function_ref<mlir::Value(mlir::Value)> rows);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace keratin::ir

#endif // KERATIN_IR_BUILDER_GRAPHMATH_H
