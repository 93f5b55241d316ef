// A saved graph on its way to functions; private to GraphReader, and the files beside it by what
// they do: GraphTables, FunctionChecks, OpChecks and FunctionBuilding.
//
// First the tables that all functions refer to, which are checked as they are read. Then everything
// else is checked, and only then built: what builds relies on it.
#ifndef KERATIN_IR_SAVED_GRAPHREADING_H
#define KERATIN_IR_SAVED_GRAPHREADING_H

#include "ir/dialect/SizeLimits.h"
#include "ir/dialect/ValuePart.h"
#include "ir/saved/ReadingSteps.h"
#include "ir/saved/SavedGraph.h"
#include "ir/saved/SavedOps.h"
#include "ir/saved/graph.pb.h"
#include "ir/shapes/DimExpr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace keratin::ir {

// Names come from the file: what is shown of them is short and printable.
std::string quoted(llvm::StringRef name);

class GraphReading {
public:
  GraphReading(const v1::Graph &graph, mlir::MLIRContext &context, ReadingSteps &steps);

  // Fails with an error, or without one where the steps are ended.
  mlir::LogicalResult run(SavedGraph &result);

  std::string error;

private:
  struct TypeEntry {
    mlir::RankedTensorType type;
    int64_t symbolEnd = 0; // above all symbols
    uint64_t bytes = 0;    // if static
    uint64_t sizeWork = 0; // numbers of its size expressions
  };

  // Says where the reader stands, then what is wrong.
  mlir::LogicalResult fail(const llvm::Twine &what);
  // Goes on to a function, or from the last one.
  void enter(const v1::Function *next);
  // An op or an entry of a table, and so many bytes of elements, are done next. Fails where the
  // reading ends.
  mlir::LogicalResult advance(uint64_t bytes = 0) {
    return mlir::success(steps.advance(ReadingSteps::kThing + bytes));
  }
  // Of its elements.
  static uint64_t bytesOf(const v1::Op &op);

  // Tables.
  mlir::LogicalResult readLocations();
  mlir::LogicalResult readTypes();
  mlir::LogicalResult readVariables();
  // False if it is not a size in its one encoding.
  static bool readDim(const v1::Dim &saved, DimExpr &dim, int64_t &symbolEnd);
  // What is wrong, "" if nothing is.
  std::string typeError(uint32_t index);
  // Elements have a type of known sizes, and are as many bytes as it takes. "" if so.
  std::string denseError(const v1::Dense &dense);
  // "the function has not", or has not yet.
  std::string whoLacks(int64_t symbolEnd) const;
  mlir::LogicalResult checkLocation(uint32_t index);
  mlir::LogicalResult checkType(uint32_t index);
  // Precondition of both: checked.
  mlir::Location location(uint32_t index);
  mlir::DenseElementsAttr elements(const v1::Dense &dense);

  // Checks of functions.
  mlir::LogicalResult checkFunctions();
  mlir::LogicalResult checkFunction();
  mlir::LogicalResult checkArguments();
  mlir::LogicalResult checkSizeNames();
  mlir::LogicalResult checkSizeLimits(const llvm::DenseSet<int64_t> &dimensions);
  mlir::LogicalResult checkShards(const llvm::DenseSet<int64_t> &dimensions);
  mlir::LogicalResult checkResults();
  mlir::LogicalResult failUndefined();
  // Of an input or the use of a variable: index + 1, or 0.
  template <typename Argument> static uint32_t symbolOf(const Argument &saved, ValuePart part) {
    return part == ValuePart::Whole      ? saved.value_symbol()
           : part == ValuePart::Positive ? saved.positive_part_symbol()
                                         : saved.negative_part_symbol();
  }
  static SizeLimits limitsOf(const v1::SizeLimits &saved);

  // Checks of ops.
  using Ops = google::protobuf::RepeatedPtrField<v1::Op>;
  mlir::LogicalResult checkOps(const Ops &ops);
  mlir::LogicalResult checkOp(const v1::Op &op);
  mlir::LogicalResult checkRegion(const v1::Region &region);
  mlir::LogicalResult checkAttribute(const v1::Attribute &attribute, SavedAttributeKind kind);
  mlir::LogicalResult checkDefinition(const v1::Op &op);
  mlir::LogicalResult checkDefinition(bool found, const DimExpr &size);
  mlir::LogicalResult checkSteps(const v1::Op &op);
  uint32_t minorOf(const v1::Op &op, const SavedOp &known) const;

  // Building.
  mlir::LogicalResult buildFunction(const v1::Function &saved, mlir::ModuleOp module,
                                    SavedFunction &result);
  mlir::LogicalResult buildOps(const Ops &ops);
  mlir::LogicalResult buildOp(const v1::Op &op);
  mlir::LogicalResult buildRegion(mlir::Region &region, const v1::Region &saved,
                                  mlir::Location place);
  mlir::Attribute buildAttribute(const v1::Attribute &attribute, SavedAttributeKind kind);

  const v1::Graph &graph;
  mlir::MLIRContext &context;
  ReadingSteps &steps;
  mlir::OpBuilder b;
  // What verifiers say; nothing gets out to the user's handlers.
  std::string reported;
  mlir::ScopedDiagnosticHandler diagnostics;

  std::vector<mlir::Location> locations;
  std::vector<TypeEntry> types;
  std::vector<SavedVariable> variables;
  uint64_t splatBytes = 0;
  uint64_t sizeWork = 0;

  // Of the function at hand.
  const v1::Function *function = nullptr;
  // The op at hand with its number, after those that it is in.
  llvm::SmallVector<std::pair<const v1::Op *, size_t>> opPath;
  // Of the region at hand.
  std::vector<uint32_t> valueTypes;
  int64_t definedSymbols = 0; // that many have values so far
  llvm::SmallVector<mlir::Value> values;
};

} // namespace keratin::ir

#endif // KERATIN_IR_SAVED_GRAPHREADING_H
