// Variables of which each rank has a part along a dimension.
#ifndef KERATIN_PASSES_SHARD_VARIABLEPARTS_H
#define KERATIN_PASSES_SHARD_VARIABLEPARTS_H

#include "ir/builder/GraphMath.h"
#include "ir/dialect/Signature.h"
#include "passes/shard/ShardedSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace keratin::passes {

// Gives the dimension of a variable that is sharded (keratin.own_part) a symbol in its size, and so
// all dimensions that follow from it, and no others: where one of them meets the whole size, that
// value is cut. From there on it is a sharded size like any other.
class VariableParts {
public:
  explicit VariableParts(mlir::func::FuncOp function)
      : function(function), body(function.getBody().front()), signature(function) {}

  // Fails, with an error of the graph, where a size that is a part's alone cannot be told.
  mlir::LogicalResult run();
  // Of the parts' sizes.
  const SymbolsByAxis &symbols() const { return sizes; }
  // By them: where a rank's part begins in the whole.
  llvm::DenseMap<int64_t, ir::DimExpr> begins() const;
  // Sizes that are the same on all ranks are numbers again, when nothing asks any more what is a
  // part.
  void finish();

private:
  // What the symbol of a part's size counts: a rank has them from `begin` on, all ranks `whole`.
  struct Units {
    ir::DimExpr begin;
    int64_t whole;
    bool isOne; // on each rank
  };
  // A dimension that has a part's size, and the symbol in it.
  struct Along {
    unsigned dimension;
    ir::DimExpr size;
    int64_t symbol;
  };

  void takeParts();
  ir::DimExpr wholeOf(const ir::DimExpr &part) const;
  ir::DimExpr beginOf(const ir::DimExpr &part) const;
  std::optional<Along> alongOf(mlir::Value value) const;
  mlir::FailureOr<mlir::Value> partOf(mlir::Value whole, const Along &along);
  mlir::LogicalResult cut(mlir::OpOperand &operand, const Along &along);
  mlir::LogicalResult alignPairs(mlir::Operation *op, llvm::ArrayRef<int64_t> a,
                                 llvm::ArrayRef<int64_t> b);
  mlir::LogicalResult inferResults(mlir::Operation *op);
  void setShape(mlir::Value value, const ir::Shape &shape);
  mlir::LogicalResult refuse(mlir::Operation *op);

  mlir::LogicalResult follow(mlir::Operation *op);
  mlir::LogicalResult followElementwise(mlir::Operation *op);
  mlir::LogicalResult followElsewhere(mlir::Operation *op, llvm::ArrayRef<ir::DimExpr> starts,
                                      llvm::ArrayRef<int64_t> steps, int64_t step);
  mlir::LogicalResult followConcatenate(ir::ConcatenateOp op);
  mlir::LogicalResult followReshape(ir::ReshapeOp op);
  mlir::LogicalResult followReturn(mlir::func::ReturnOp op);

  //===-- Tables (VariableTables.cpp) ---------------------------------------------------------===//
  mlir::Value valueOf(ir::GraphMath &math, const ir::DimExpr &number) const;
  mlir::FailureOr<mlir::Value> ownIndices(mlir::Operation *op, mlir::Value indices,
                                          const ir::DimExpr &rows, llvm::StringRef message);
  bool arePicked(mlir::Value indices, const llvm::DenseMap<mlir::Value, mlir::Value> &known) const;
  mlir::LogicalResult followLookup(ir::GatherOp op);
  // Of which nothing is a part yet; of which the updates are.
  mlir::LogicalResult followRows(ir::ScatterAddOp op);
  mlir::LogicalResult followColumns(ir::ScatterAddOp op);

  //===-- Convolutions and windows (VariableWindows.cpp) --------------------------------------===//
  mlir::LogicalResult followConvolution(ir::ConvolutionOp op);
  mlir::LogicalResult followWindows(mlir::Operation *op, llvm::ArrayRef<int64_t> window,
                                    llvm::ArrayRef<int64_t> strides, ir::DimsAttr low);

  mlir::func::FuncOp function;
  mlir::Block &body;
  ir::Signature signature;
  SymbolsByAxis sizes;
  llvm::DenseMap<int64_t, Units> units; // by symbol
  std::map<ir::DimExpr, llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value>> cuts;
  // What picks rows of tables that are in parts, and the same counted from the rank's first row; by
  // the number of its rows.
  std::map<ir::DimExpr, llvm::DenseMap<mlir::Value, mlir::Value>> picked;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SHARD_VARIABLEPARTS_H
