#include "compiler/driver/SparseDerivative.h"

#include "compiler/diagnostics/DiagnosticCollector.h"
#include "compiler/driver/Attempt.h"
#include "compiler/pipelines/Pipelines.h"
#include "ir/builder/DifferentiablePaths.h"
#include "ir/dialect/Keratin.h"
#include "passes/sparsity/Colouring.h"
#include "passes/sparsity/Dependencies.h"
#include "passes/sparsity/Diagonals.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace keratin::compiler;
namespace ir = keratin::ir;
namespace passes = keratin::passes;

// With the ops that derivatives inside the function become.
static FailureOr<passes::SparsityPattern> findStructure(ModuleOp module, const std::string &name) {
  PhaseOptions options;
  options.shards = false;
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  buildPipeline(manager.nest<func::FuncOp>(), PipelinePhase::Gradient, options);
  if (failed(manager.run(module)))
    return failure();
  return passes::structureOf(*module.getOps<func::FuncOp>().begin(), 0, 0, name);
}

static std::optional<int64_t> opsByElement(func::FuncOp function) {
  Block &block = function.front();
  ir::OpsBetween between(Value(block.getArgument(0)));
  if (failed(between.find(&block, block.getTerminator()->getOperand(0))) ||
      !llvm::all_of(between.ops(), [](Operation *op) {
        return isa<ir::ElementwiseOpInterface, ir::IndexingOpInterface, ir::ReshapeOp>(op);
      }))
    return std::nullopt;
  return int64_t(between.ops().size());
}

static void addPlaces(SparseDerivative &derivative, const passes::SparsityPattern &pattern) {
  for (int64_t i = 0; i < pattern.rows; ++i)
    derivative.rows.insert(derivative.rows.end(), pattern.row(i).size(), i);
  derivative.columns.assign(pattern.indices.begin(), pattern.indices.end());
}

// Without products, where the function's ops allow it.
static std::optional<SparseDerivative> direct(ModuleOp module,
                                              const passes::SparsityPattern &pattern) {
  // What is compiled grows with it.
  constexpr int64_t mostRules = 4096;
  func::FuncOp function = *module.getOps<func::FuncOp>().begin();
  std::optional<passes::Diagonals> found =
      passes::buildDiagonals(function, 0, 0, pattern, mostRules);
  if (!found)
    return std::nullopt;
  Operation *end = function.front().getTerminator();
  end->setOperands(found->elements);
  function.setType(
      FunctionType::get(module.getContext(), function.getArgumentTypes(), end->getOperandTypes()));
  SparseDerivative result;
  addPlaces(result, pattern);
  result.places = std::move(found->places);
  result.isOfFunction = true;
  return result;
}

static passes::TwoWayColouring coloured(const passes::SparsityPattern &pattern, ProductMode mode) {
  if (mode == ProductMode::Forward)
    return {passes::bestColouring(pattern, passes::colourColumns),
            passes::uncoloured(pattern.rows)};
  if (mode == ProductMode::Reverse)
    return {passes::uncoloured(pattern.columns), passes::bestColouringOfRows(pattern)};
  return passes::colourBothWays(pattern);
}

static ProductGroups groupsOf(passes::Colouring colouring) {
  return {std::move(colouring.colours), colouring.count};
}

static SparseDerivative compressed(const passes::SparsityPattern &pattern, ProductMode mode) {
  SparseDerivative result;
  addPlaces(result, pattern);
  passes::TwoWayColouring both = coloured(pattern, mode);
  result.places = passes::placesByBoth(pattern, both);
  result.forward = groupsOf(std::move(both.columns));
  result.reverse = groupsOf(std::move(both.rows));
  return result;
}

// Of a symmetric structure.
static SparseDerivative compressedSymmetric(const passes::SparsityPattern &pattern) {
  SparseDerivative result;
  addPlaces(result, pattern);
  passes::Colouring stars = passes::bestColouring(pattern, passes::colourStars);
  result.places = passes::placesByStars(pattern, stars);
  result.forward = groupsOf(std::move(stars));
  return result;
}

static SparseDerivative derivativeOf(ModuleOp module, const passes::SparsityPattern &found,
                                     ProductMode mode, bool mayChange) {
  const bool isSymmetric = mode == ProductMode::Symmetric;
  const passes::SparsityPattern pattern = isSymmetric ? found.symmetrized() : found;
  // Who asks for a mode wants products.
  if (mayChange && (isSymmetric || mode == ProductMode::Fewer))
    if (std::optional<SparseDerivative> result = direct(module, pattern))
      return *std::move(result);
  SparseDerivative result = isSymmetric ? compressedSymmetric(pattern) : compressed(pattern, mode);
  result.opsByElement = opsByElement(*module.getOps<func::FuncOp>().begin());
  return result;
}

absl::StatusOr<SparseDerivative> keratin::compiler::findSparseDerivative(ModuleOp module,
                                                                         ProductMode mode,
                                                                         bool mayChange,
                                                                         const std::string &name) {
  absl::StatusOr<SparseDerivative> result;
  absl::Status status = attempt(name, [&] {
    beginCompiling(*module.getContext());
    DiagnosticCollector diagnostics(module.getContext());
    FailureOr<passes::SparsityPattern> pattern = findStructure(module, name);
    if (failed(pattern)) {
      result = diagnostics.status();
      return;
    }
    result = derivativeOf(module, *pattern, mode, mayChange);
  });
  if (!status.ok())
    return status;
  return result;
}
