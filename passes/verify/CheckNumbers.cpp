// What looks through a function's numbers is a copy of the function in a branch: kernels keep
// nothing of what happens inside them, and a call that goes well must not pay for keeping it.
#include "ir/dialect/NameScope.h"
#include "ir/dialect/Signature.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"
#include "passes/loops/CheapValues.h"
#include "passes/simplify/Matchers.h"
#include "passes/verify/NumberUse.h"

#include "ir/builder/LoopBuilder.h"

#include "mlir/IR/IRMapping.h"

#include <cmath>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_CHECKNUMBERS
#include "passes/Passes.h.inc"

namespace {

//===-- The copy ------------------------------------------------------------------------------===//

// The body of a function once more inside a branch of it.
class Copy {
public:
  explicit Copy(Block &body);

  ArrayRef<Value> captures() const { return captured; }
  // Emits the copy; gives what it returns.
  SmallVector<Value> build(OpBuilder &builder, ValueRange arguments);

private:
  void cloneWhile(OpBuilder &builder, WhileOp loop);

  SmallVector<Operation *> ops; // that there were when this was made
  OperandRange returned;
  SmallVector<Value> captured; // the function's arguments first
  IRMapping map;
};

// Whether the copy reads what the function has computed: large constants, which take memory, and
// numbers of steps, by which values know their sizes.
bool isShared(Operation *op) { return isa<ConstantOp>(op) && !isCheapInside(op->getResult(0)); }

Copy::Copy(Block &body) : returned(body.getTerminator()->getOperands()) {
  captured.append(body.args_begin(), body.args_end());
  for (Operation &op : body.without_terminator()) {
    ops.push_back(&op);
    if (isShared(&op))
      captured.push_back(op.getResult(0));
    if (auto loop = dyn_cast<WhileOp>(op); loop && loop.getLength())
      captured.push_back(loop.getStepCount());
  }
}

// By now it is known how many steps there are, and the symbol that stands for them has its value.
void Copy::cloneWhile(OpBuilder &builder, WhileOp loop) {
  unsigned numStates = loop.getNumStates();
  SmallVector<Value> inits, captures;
  for (Value init : loop.getInits())
    inits.push_back(map.lookup(init));
  for (Value capture : loop.getCaptures())
    captures.push_back(map.lookup(capture));
  SmallVector<Type> types;
  for (Value result : loop->getResults())
    if (result != loop.getStepCount())
      types.push_back(result.getType());
  auto length = DimsAttr::get(builder.getContext(), {loop.getSteps()});
  auto scan = builder.create<ScanOp>(loop.getLoc(), types, length, /*reverse=*/false, inits,
                                     ValueRange(), captures);
  IRMapping inside;
  loop.getBody().cloneInto(&scan.getBody(), inside);
  for (unsigned i = 0; i < loop->getNumResults(); ++i)
    if (i != numStates)
      map.map(loop->getResult(i), scan->getResult(i < numStates ? i : i - 1));
}

SmallVector<Value> Copy::build(OpBuilder &builder, ValueRange arguments) {
  map.map(captured, arguments);
  for (Operation *op : ops) {
    // Sizes have their values; what prints has done so.
    if (isa<DefineSizeOp>(op) || isShared(op))
      continue;
    if (auto print = dyn_cast<PrintOp>(op))
      map.map(print.getY(), map.lookup(print.getX()));
    else if (auto loop = dyn_cast<WhileOp>(op); loop && loop.getLength())
      cloneWhile(builder, loop);
    else
      builder.clone(*op, map);
  }
  builder.getInsertionBlock()->walk([](PrintOp print) {
    print.getY().replaceAllUsesWith(print.getX());
    print.erase();
  });
  SmallVector<Value> values;
  for (Value value : returned)
    values.push_back(map.lookup(value));
  return values;
}

//===-- The checks ----------------------------------------------------------------------------===//

bool isFloatTensor(Value value) { return isa<FloatType>(getElementType(value)); }

// Whether the op computes numbers: others hand on what they are given, or hold what was meant. A
// path that beam search does not find has the logarithm of 0 as its probability.
bool computes(Operation *op) {
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  return op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<IndexingOpInterface, CtcBeamSearchOp>(op) && !costsNothing(op) &&
         !(differentiable && differentiable.choosesElements());
}

// The user's name for the op: of the K function, where that is the op's own.
std::string culpritOf(Operation *op) {
  StringRef name = op->getName().stripDialect();
  name.consume_front("reduce_");
  std::string own = isa<DotGeneralOp>(op) ? "dot" : isa<ConvolutionOp>(op) ? "conv" : name.str();
  StringRef of = differentiatedOp(op->getLoc());
  return of.empty() ? own : (kGradientOf + of + ", " + own).str();
}

class Checks {
public:
  explicit Checks(MLIRContext *context) : context(context) {}

  // What is handed on is read by others than the block's own ops.
  void addTo(Block &block, ValueRange handedOn);
  // Of what the caller has given, who minds if one of the values returned is not finite.
  void addFed(OpBuilder &builder, func::FuncOp function, ValueRange given, ValueRange returned);

private:
  void check(OpBuilder &builder, Operation *op, Value made, Value counts);
  SmallVector<Value> readFrom(OpBuilder &builder, Operation *op, bool isElementwise);

  MLIRContext *context;
  int64_t order = 0;
};

// A number that is the same for all elements is read where it stands alone; one that is finite
// whatever happens need not be read, but is worth telling where elements are told.
SmallVector<Value> Checks::readFrom(OpBuilder &builder, Operation *op, bool isElementwise) {
  SmallVector<Value> result;
  for (Value operand : op->getOperands()) {
    if (!isFloatTensor(operand))
      continue;
    std::optional<double> number = getSplatNumber(operand);
    if (!isElementwise && number && std::isfinite(*number))
      continue;
    auto broadcast = operand.getDefiningOp<BroadcastOp>();
    if (isElementwise && number)
      operand = GraphMath(builder, op->getLoc()).scalar(*number, getElementType(operand));
    else if (isElementwise && broadcast && broadcast.getDims().empty())
      operand = broadcast.getX();
    result.push_back(operand);
  }
  return result;
}

void Checks::check(OpBuilder &builder, Operation *op, Value made, Value counts) {
  bool isElementwise = isa<ElementwiseOpInterface>(op);
  Value step;
  // Branches are not given the step of the loop around them.
  if (auto loop = dyn_cast<LoopOpInterface>(op->getParentOp()))
    step = loop.getStepNumber();
  builder.create<CheckNumbersOp>(
      op->getLoc(), isElementwise ? NumberRule::Elementwise : NumberRule::Mixing, culpritOf(op),
      uint64_t(order++), made, readFrom(builder, op, isElementwise), counts, step);
}

void Checks::addTo(Block &block, ValueRange handedOn) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  NumberUse use(block, handedOn);
  for (Operation *op : ops) {
    for (Region &region : op->getRegions())
      addTo(region.front(), {});
    if (!computes(op))
      continue;
    for (Value made : op->getResults()) {
      if (!isFloatTensor(made))
        continue;
      // What says whether an element counts is known at the end.
      Value counts = use.countsOf(made);
      OpBuilder builder(context);
      if (counts)
        builder.setInsertionPoint(block.getTerminator());
      else
        builder.setInsertionPointAfter(op);
      check(builder, op, made, counts);
    }
  }
  use.eraseUnread();
}

void Checks::addFed(OpBuilder &builder, func::FuncOp function, ValueRange given,
                    ValueRange returned) {
  SmallVector<Value> minding;
  for (Value value : returned)
    if (isFloatTensor(value) && !llvm::is_contained(minding, value))
      minding.push_back(value);
  for (auto [i, value] : llvm::enumerate(given.take_front(function.getNumArguments()))) {
    if (!isFloatTensor(value) || minding.empty())
      continue;
    StringAttr name = Signature(function).argumentName(i);
    std::string what = Signature(function).argumentKind(i).str();
    what += name ? " '" + name.getValue().str() + "'" : " " + std::to_string(i);
    builder.create<CheckNumbersOp>(function.getArgument(i).getLoc(), NumberRule::Fed, what,
                                   uint64_t(order++), value, minding, Value(), Value());
  }
}

struct CheckNumbersPass : impl::CheckNumbersBase<CheckNumbersPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock() || function.getNumResults() == 0)
      return;
    function->setAttr("keratin.check_numbers", UnitAttr::get(&getContext()));
    Block &body = function.getBody().front();
    Copy copy(body);
    OpBuilder builder(body.getTerminator());
    Location loc = function.getLoc();
    Value suspect = builder.create<SuspectNumbersOp>(
        loc, RankedTensorType::get({}, builder.getI1Type()), body.getTerminator()->getOperands());
    GraphMath math(builder, loc);
    SmallVector<Value> returned;
    auto again = [&](GraphMath &inside, ValueRange captures) {
      returned = copy.build(inside.builder(), captures);
      return SmallVector<Value>();
    };
    auto nothing = [](GraphMath &, ValueRange) { return SmallVector<Value>(); };
    Block &look = buildIf(math, suspect, copy.captures(), again, nothing).getThenBody().front();
    Checks checks(&getContext());
    checks.addTo(look, returned);
    builder.setInsertionPoint(look.getTerminator());
    checks.addFed(builder, function, look.getArguments(), returned);
    // The sizes that bodies define are defined in their copies too.
    nameSizesApart(function);
  }
};

} // namespace
} // namespace keratin::passes
