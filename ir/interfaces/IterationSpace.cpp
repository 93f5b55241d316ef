#include "ir/interfaces/IterationSpace.h"

#include "ir/interfaces/ContractionShape.h"
#include "ir/interfaces/OpProperties.h"

#include "ir/interfaces/WindowShape.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace keratin::ir;
using namespace mlir;

Shape keratin::ir::squeezed(const Shape &shape) {
  Shape result;
  for (const DimExpr &dim : shape)
    if (dim != DimExpr(1))
      result.push_back(dim);
  return result;
}

bool keratin::ir::isUnitReshape(ReshapeOp op) {
  return squeezed(getShape(op.getX())) == squeezed(getShape(op.getY()));
}

bool keratin::ir::isRowRange(SliceOp op) {
  Shape from = getShape(op.getX()), to = getShape(op.getY()), starts = op.getStarts().getDims();
  if (from.empty() || op.getStrides().front() != 1)
    return false;
  for (size_t i = 1; i < from.size(); ++i)
    if (from[i] != to[i] || starts[i] != DimExpr(0) || op.getStrides()[i] != 1)
      return false;
  return true;
}

// Elements of a block of rows: many more than the memory of its columns has, few enough for many
// blocks. More rows would lose too much to rounding.
static constexpr int64_t blockElements = 65536, fewestRows = 8, mostRows = 256;

DimExpr IterationSpace::elements(bool reduced) const {
  DimExpr count(1);
  for (const Group &group : groups)
    if (group.reduced == reduced)
      count = mul(count, group.extent).value_or(DimExpr(INT64_MAX));
  return count;
}

DimExpr IterationSpace::rowsOfBlock() const {
  DimExpr rows = *floordiv(DimExpr(blockElements), *max(columns(), DimExpr(1)));
  return *min(DimExpr(mostRows), *max(DimExpr(fewestRows), rows));
}

RankedTensorType IterationSpace::workspaceOf(ReductionOpInterface op) const {
  // What sums are kept in.
  Type type = getElementType(op->getResult(0));
  if (type.isF16() || type.isBF16())
    type = Float32Type::get(op->getContext());
  return getTensorType({*ceildiv(rows(), rowsOfBlock()), columns()}, type);
}

static bool isWindowReduction(Operation *op) { return isTiled(op) && !isContraction(op); }

bool keratin::ir::isUnitReduction(ReductionOpInterface op) {
  Shape shape = getShape(op->getOperand(0));
  return llvm::all_of(op.getReducedAxes(), [&](int64_t axis) { return shape[axis] == DimExpr(1); });
}

namespace {

class Analysis {
public:
  Analysis(ArrayRef<Operation *> ops, ArrayRef<Value> outputs, std::string *why)
      : ops(ops), outputs(outputs), why(why), inside(ops.begin(), ops.end()) {}

  std::optional<IterationSpace> run() {
    if (!findShape() || !classify() || !checkOutputs())
      return std::nullopt;
    formGroups();
    return std::move(space);
  }

private:
  bool fail(const Twine &reason) {
    if (why)
      *why = reason.str();
    return false;
  }

  static bool isReduction(Operation *op) {
    auto reduction = dyn_cast<ReductionOpInterface>(op);
    return reduction && !isUnitReduction(reduction);
  }

  // Positions in the squeezed shape of the axes that a reduction reduces.
  static llvm::SmallBitVector reducedPositions(ReductionOpInterface op) {
    Shape shape = getShape(op->getOperand(0));
    llvm::SmallBitVector positions;
    for (size_t i = 0; i < shape.size(); ++i)
      if (shape[i] != DimExpr(1))
        positions.push_back(llvm::is_contained(op.getReducedAxes(), int64_t(i)));
    return positions;
  }

  bool findShape() {
    for (Operation *op : ops)
      if (isTiled(op)) {
        space.shape = squeezed(getShape(op->getResult(0)));
        reduced = llvm::SmallBitVector(space.shape.size());
        rowShape = space.shape;
        if (auto dot = dyn_cast<DotGeneralOp>(op))
          findRuns(dot);
        else if (isWindowReduction(op))
          cutAtWindows(op);
        else // a convolution has an index for each dimension
          runCuts.resize(space.shape.size(), true);
        return true;
      }
    for (Operation *op : ops)
      if (isReduction(op)) {
        llvm::SmallBitVector positions = reducedPositions(cast<ReductionOpInterface>(op));
        if (!reduced.empty() && !positions.test(positions.size() - 1))
          continue;
        space.shape = squeezed(getShape(op->getOperand(0)));
        reduced = std::move(positions);
        // Those that reduce the innermost axis decide.
        if (reduced.test(reduced.size() - 1))
          break;
      }
    if (reduced.none()) {
      if (outputs.empty())
        return fail("the kernel yields nothing");
      space.shape = squeezed(getShape(outputs.front()));
      reduced = llvm::SmallBitVector(space.shape.size());
    }
    for (size_t i = 0; i < space.shape.size(); ++i)
      if (!reduced.test(i))
        rowShape.push_back(space.shape[i]);
    return true;
  }

  Domain domainOf(Value value) const { return space.domains.lookup(value); }
  unsigned stageOf(Value value) const { return space.stageOf.lookup(value); }

  // Whether a broadcast puts a row value back along exactly the reduced axes of the full shape.
  bool broadcastsRow(BroadcastOp op) const {
    Shape from = getShape(op.getX()), to = getShape(op.getY());
    if (squeezed(to) != space.shape)
      return false;
    llvm::SmallBitVector present; // for each squeezed dimension of the result
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i] == DimExpr(1))
        continue;
      auto dims = op.getDims();
      auto found = llvm::find(dims, int64_t(i));
      present.push_back(found != dims.end() && from[found - dims.begin()] != DimExpr(1));
    }
    for (unsigned i = 0; i < present.size(); ++i)
      if (present.test(i) == reduced.test(i))
        return false;
    return true;
  }

  // Whether it reduces the axes that the others keep, all of which are further out. Of numbers: no
  // iota stands for memory of others.
  bool isOfColumns(ReductionOpInterface op) const {
    int first = reduced.find_first();
    return !getElementType(op->getResult(0)).isInteger(1) && first > 0 &&
           reduced.count() == reduced.size() - unsigned(first) &&
           reducedPositions(op).flip() == reduced;
  }

  bool classify() {
    for (Operation *op : ops) {
      if (op->getNumResults() != 1)
        return fail("an op with several results");
      Value result = op->getResult(0);
      Shape shape = squeezed(getShape(result));
      unsigned stage = 0;
      bool anyRow = false, anyFull = false;
      for (Value operand : op->getOperands()) {
        stage = std::max(stage, stageOf(operand));
        anyRow |= domainOf(operand) == Domain::Row;
        anyFull |= domainOf(operand) == Domain::Full;
        if (domainOf(operand) == Domain::Column)
          return fail("an op that reads what is reduced of columns");
      }
      Domain domain = Domain::External;
      if (auto reduction = dyn_cast<ReductionOpInterface>(op); reduction && isReduction(op)) {
        if (tiledOps)
          return fail("a reduction of a contraction's tile");
        bool isOfColumns = false;
        if (squeezed(getShape(op->getOperand(0))) != space.shape ||
            (reducedPositions(reduction) != reduced &&
             !(isOfColumns = this->isOfColumns(reduction))))
          return fail("reductions along different axes or of different shapes");
        if (anyRow)
          return fail("a reduction of what is reduced already");
        if (isOfColumns) {
          space.columnReductions.push_back(reduction);
          domain = Domain::Column;
        } else {
          if (space.stages.size() <= stage)
            space.stages.resize(stage + 1);
          space.stages[stage].push_back(reduction);
          domain = Domain::Row;
          ++stage;
        }
      } else if (isa<ElementwiseOpInterface>(op) || isa<ReductionOpInterface>(op) ||
                 (isa<ReshapeOp>(op) && isUnitReshape(cast<ReshapeOp>(op)))) {
        if (anyRow && anyFull)
          return fail("a row value meets a full value without a broadcast");
        if (anyRow && shape != rowShape)
          return fail("a row value in another shape");
        domain = anyRow ? Domain::Row : shape == space.shape ? Domain::Full : Domain::External;
      } else if (auto broadcast = dyn_cast<BroadcastOp>(op); broadcast && anyRow) {
        if (!broadcastsRow(broadcast))
          return fail("a row value is broadcast along other axes than the reduced ones");
        domain = Domain::Full;
      } else if (isa<IndexingOpInterface, RandomBitsOp>(op)) {
        if (stage > 0)
          return fail("what depends on a reduction is moved, or chooses random bits");
        if (llvm::any_of(op->getOperands(), [&](Value v) { return tiles.contains(v); }))
          return fail("what depends on a contraction is moved, or chooses random bits");
        domain = shape == space.shape ? Domain::Full : Domain::External;
      } else if (isTiled(op)) {
        // Its tiles are the full values that the rest of the kernel starts from.
        if (tiledOps++ || stage ||
            llvm::any_of(op->getOperands(), [&](Value v) { return isInside(inMemory(v)); }))
          return fail("a contraction of something that is not an input");
        domain = Domain::Full;
      } else if (isa<DimOp, ConstantOp, RankOp, RankCountOp>(op)) {
        domain = Domain::External;
      } else {
        return fail("an op without a place in a loop nest: " + op->getName().getStringRef());
      }
      if (isTiled(op) ||
          llvm::any_of(op->getOperands(), [&](Value v) { return tiles.contains(v); }))
        tiles.insert(result);
      space.domains[result] = domain;
      space.stageOf[result] = stage;
    }
    return true;
  }

  bool checkOutputs() {
    for (Value output : outputs) {
      Shape shape = squeezed(getShape(output));
      Domain domain = domainOf(output);
      if (domain == Domain::Row || domain == Domain::Column || shape == space.shape)
        continue;
      return fail("an output has neither the full shape nor the row shape");
    }
    return true;
  }

  // Marks between which neighbouring dimensions of the full shape the loops must stay apart.
  void formGroups() {
    llvm::SmallBitVector cut(space.shape.size());
    for (unsigned i = 0; i + 1 < space.shape.size(); ++i)
      if (reduced.test(i) != reduced.test(i + 1))
        cut.set(i);
    cut |= runCuts;
    for (Operation *op : ops) {
      if (!isa<IndexingOpInterface>(op))
        continue;
      auto broadcast = dyn_cast<BroadcastOp>(op);
      if (broadcast && getShape(broadcast.getX()).empty())
        continue;
      Shape to = getShape(op->getResult(0));
      // Only a broadcast of an input straight into the full shape is understood dimension by
      // dimension.
      if (!broadcast || squeezed(to) != space.shape ||
          (isInside(broadcast.getX()) && domainOf(broadcast.getX()) != Domain::Row)) {
        cut.set();
        break;
      }
      Shape from = getShape(broadcast.getX());
      llvm::SmallBitVector present;
      for (size_t i = 0; i < to.size(); ++i) {
        if (to[i] == DimExpr(1))
          continue;
        auto found = llvm::find(broadcast.getDims(), int64_t(i));
        present.push_back(found != broadcast.getDims().end() &&
                          from[found - broadcast.getDims().begin()] != DimExpr(1));
      }
      for (unsigned i = 0; i + 1 < present.size(); ++i)
        if (present.test(i) != present.test(i + 1))
          cut.set(i);
    }
    for (unsigned i = 0; i < space.shape.size(); ++i) {
      std::optional<DimExpr> joined;
      if (i && !cut.test(i - 1))
        joined = mul(space.groups.back().extent, space.shape[i]);
      if (joined) {
        space.groups.back().extent = *joined;
        space.groups.back().last = i;
        continue;
      }
      space.groups.push_back({space.shape[i], bool(reduced.test(i)), i, i});
    }
  }

  bool isInside(Value value) const { return inside.contains(value.getDefiningOp()); }

  // A contraction's batch, row and column dimensions are three runs that loops never cross.
  void findRuns(DotGeneralOp dot) {
    size_t batch = dot.getABatch().size();
    size_t rows = batch + getTensorType(dot.getA()).getRank() - batch - dot.getAContract().size();
    Shape shape = getShape(dot.getY());
    runCuts.resize(space.shape.size());
    unsigned position = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      if ((i == batch || i == rows) && position)
        runCuts.set(position - 1);
      position += shape[i] != DimExpr(1);
    }
  }

  // Only dimensions that windows do not slide along are walked as one, and only if no other lies
  // between them.
  void cutAtWindows(Operation *op) {
    runCuts.resize(space.shape.size());
    unsigned position = 0;
    bool slid = false;
    for (const WindowDim &dim : getWindowDims(op)) {
      bool isPresent = dim.y != DimExpr(1);
      if (isPresent && position && (slid || dim.slides()))
        runCuts.set(position - 1);
      slid = dim.slides() || (slid && !isPresent);
      position += isPresent;
    }
  }

  ArrayRef<Operation *> ops;
  ArrayRef<Value> outputs;
  std::string *why;
  llvm::DenseSet<Operation *> inside;
  IterationSpace space;
  llvm::SmallBitVector runCuts;
  llvm::SmallBitVector reduced;
  Shape rowShape;
  unsigned tiledOps = 0;
  llvm::DenseSet<Value> tiles; // what is computed from a contraction's result
};

} // namespace

std::optional<IterationSpace> keratin::ir::analyzeIterationSpace(ArrayRef<Operation *> ops,
                                                                 ArrayRef<Value> outputs,
                                                                 std::string *why) {
  return Analysis(ops, outputs, why).run();
}

static unsigned workspacesOf(KernelOp kernel) {
  auto count = kernel->getAttrOfType<IntegerAttr>(kWorkspacesAttr);
  if (!count || count.getInt() < 0)
    return 0;
  return std::min(unsigned(count.getInt()), kernel.getNumResults());
}

OperandRange keratin::ir::valuesOf(KernelOp kernel) {
  return kernel.getBody().front().getTerminator()->getOperands().drop_back(workspacesOf(kernel));
}

std::optional<IterationSpace> keratin::ir::analyzeIterationSpace(KernelOp kernel,
                                                                 std::string *why) {
  Block &body = kernel.getBody().front();
  SmallVector<Value> outputs(valuesOf(kernel));
  auto workspaces = body.getTerminator()->getOperands().drop_front(outputs.size());
  llvm::SmallPtrSet<Operation *, 4> memory;
  for (Value workspace : workspaces)
    memory.insert(workspace.getDefiningOp());
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    if (!memory.contains(&op))
      ops.push_back(&op);
  std::optional<IterationSpace> space = analyzeIterationSpace(ops, outputs, why);
  if (!space)
    return std::nullopt;
  if (!llvm::equal(workspaces.getTypes(),
                   llvm::map_range(space->columnReductions, [&](ReductionOpInterface op) {
                     return Type(space->workspaceOf(op));
                   }))) {
    if (why)
      *why = "reductions of columns without the memory that they work in";
    return std::nullopt;
  }
  return space;
}

SmallVector<RankedTensorType> keratin::ir::columnWorkspaces(ArrayRef<Operation *> ops,
                                                            ArrayRef<Value> outputs) {
  SmallVector<RankedTensorType> types;
  ReductionOpInterface first;
  bool areAlike = true;
  for (Operation *op : ops)
    if (auto reduction = dyn_cast<ReductionOpInterface>(op)) {
      areAlike = areAlike && (!first || first.getReducedAxes() == reduction.getReducedAxes());
      first = reduction;
    }
  if (areAlike)
    return types;
  if (std::optional<IterationSpace> space = analyzeIterationSpace(ops, outputs))
    for (ReductionOpInterface op : space->columnReductions)
      types.push_back(space->workspaceOf(op));
  return types;
}
