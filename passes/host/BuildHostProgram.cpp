#include "ir/dialect/GraphError.h"
#include "ir/dialect/Signature.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/interfaces/KernelName.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/host/HostPasses.h"
#include "passes/host/ProgramBuilder.h"
#include "passes/memory/KernelProgram.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace keratin::passes {
#define GEN_PASS_DEF_BUILDHOSTPROGRAM
#include "passes/host/Passes.h.inc"
} // namespace keratin::passes

using namespace keratin;
using namespace keratin::passes;
using namespace mlir;
using ir::DimExpr;

// All work is launched here: a target with several streams would deal it out.
static constexpr int64_t onlyStream = 0;

ProgramBuilder::ProgramBuilder(func::FuncOp source, host::ProgramOp program)
    : source(source), program(program), b(source.getContext()), loc(source.getLoc()),
      memories(ir::memoriesOf(source)), firstVariable(ir::Signature(source).firstVariable()) {
  host::NumberedOps ops = host::numberedOpsOf(source);
  for (auto [number, kernel] : llvm::enumerate(ops.kernels))
    numbers[kernel] = number;
  for (auto [number, constant] : llvm::enumerate(ops.constants))
    numbers[constant] = number;
  source.walk([&](ir::DefineSizeOp op) { computed.insert(op.getSymbol()); });
}

LogicalResult ProgramBuilder::run() {
  b.setInsertionPointToEnd(&program.getBody().front());
  return failed(buildPrepared()) ? failure() : buildBlock(source.getBody().front());
}

//===-- Values --------------------------------------------------------------------------------===//

Value ProgramBuilder::i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

ir::DimsAttr ProgramBuilder::attributeOf(const DimExpr &size) {
  return ir::DimsAttr::get(b.getContext(), {size});
}

Value ProgramBuilder::sizeOf(const DimExpr &size) {
  return b.create<host::SizeOp>(loc, attributeOf(size));
}

// In front of the outermost loop or branch: what is the same wherever it stands has one name in the
// whole program.
Value ProgramBuilder::shared(llvm::function_ref<Value()> make) {
  OpBuilder::InsertionGuard guard(b);
  Block *body = &program.getBody().front();
  if (b.getInsertionBlock() != body)
    b.setInsertionPoint(body->findAncestorOpInBlock(*b.getInsertionBlock()->getParentOp()));
  return make();
}

// Whether the place may be another one in each step: of memory that a size of the step asks for.
bool ProgramBuilder::isOwn(ir::PlaceAttr place) const {
  if (ownSymbols.empty() || !place.isInMemory())
    return false;
  ir::MemoryAttr memory = memories[place.getNumber()];
  return memory.waits() && ownSymbols.contains(memory.getSymbol());
}

bool ProgramBuilder::isOwn(OpResult result) const {
  ir::PlaceAttr place = ir::placeOf(result);
  if (!place) // of a constant
    return false;
  auto branch = dyn_cast<ir::IfOp>(result.getOwner()->getParentOp());
  return place.isReturned() && branch ? isOwn(branch->getResult(place.getNumber())) : isOwn(place);
}

// In a memory. A tape may be elsewhere the next time.
Value ProgramBuilder::placeAt(ir::PlaceAttr place) {
  auto begin = [&] { return b.create<host::MemoryOp>(loc, place.getNumber()); };
  auto at = [&](Value memory) { return b.create<host::AtOp>(loc, memory, place.getPosition()); };
  if (isOwn(place))
    return at(begin());
  return shared([&] {
    if (memories[place.getNumber()].isTape())
      return at(begin());
    Value &memory = memoryValues[place.getNumber()];
    if (!memory)
      memory = begin();
    return at(memory);
  });
}

// The place of what the terminator in `parent` returns.
FailureOr<Value> ProgramBuilder::placeOfReturned(Operation *parent, unsigned index) {
  if (isa<ir::IfOp>(parent))
    return placeOf(parent->getResult(index));
  if (isa<ir::LoopOpInterface>(parent))
    return yieldPlaces.lookup({parent, index});
  return shared([&] { return b.create<host::ResultOp>(loc, index); });
}

FailureOr<Value> ProgramBuilder::placeOfResult(OpResult result) {
  ir::PlaceAttr place = ir::placeOf(result);
  switch (place.getKind()) {
  case ir::PlaceKind::Memory:
    return placeAt(place);
  case ir::PlaceKind::Returned:
    return placeOfReturned(result.getOwner()->getParentOp(), place.getNumber());
  case ir::PlaceKind::Variable:
    return shared(
        [&] { return b.create<host::ArgumentOp>(loc, firstVariable + place.getNumber()); });
  case ir::PlaceKind::Nowhere:
  case ir::PlaceKind::Result:
  case ir::PlaceKind::Stack:
    break;
  }
  return result.getOwner()->emitError("result ") << result.getResultNumber() << " needs a place",
         failure();
}

// A part of its operand; the rest of its dimensions is whole.
FailureOr<Value> ProgramBuilder::placeOfRows(ir::SliceOp rows) {
  FailureOr<Value> base = placeOf(rows.getX());
  DimExpr first = rows.getStarts().getDims().front();
  if (failed(base) || first == DimExpr(0))
    return base;
  ir::Shape row = ir::getShape(rows.getX());
  row[0] = first;
  std::optional<DimExpr> bytes = ir::byteCount(row, ir::getElementType(rows.getX()));
  if (!bytes)
    return ir::emitGraphError(rows, ir::GraphError::TooLarge)
               << "slice: the bytes before its rows do not fit 64 bits",
           failure();
  return Value(b.create<host::AtOp>(loc, *base, attributeOf(*bytes)));
}

FailureOr<Value> ProgramBuilder::placeOf(Value value) {
  // Views are where their operand is, and so are captures.
  while (true) {
    auto argument = dyn_cast<BlockArgument>(value);
    Operation *owner = argument ? argument.getOwner()->getParentOp() : nullptr;
    if (Operation *view = value.getDefiningOp();
        isa_and_nonnull<ir::ReshapeOp, ir::AsPartsOp, ir::FromPartsOp>(view))
      value = view->getOperand(0);
    else if (auto branch = dyn_cast_or_null<ir::IfOp>(owner))
      value = branch.getCaptures()[argument.getArgNumber()];
    else if (auto loop = dyn_cast_or_null<ir::LoopOpInterface>(owner);
             loop && llvm::is_contained(loop.getCaptureArguments(), value))
      value = loop->getOperand(argument.getArgNumber() - 1);
    else
      break;
  }
  if (Value known = places.lookup(value))
    return known;
  if (auto rows = value.getDefiningOp<ir::SliceOp>())
    return placeOfRows(rows);
  FailureOr<Value> result = failure();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = shared([&] { return b.create<host::ArgumentOp>(loc, argument.getArgNumber()); });
  } else if (isa<ir::ConstantOp>(value.getDefiningOp())) {
    int64_t number = numbers.lookup(value.getDefiningOp());
    result = shared([&] { return b.create<host::ConstantOp>(loc, number); });
  } else if (ir::isNode(value.getDefiningOp())) {
    result = placeOfResult(cast<OpResult>(value));
  } else {
    emitError(value.getLoc(), "not implemented: a value made outside a kernel");
  }
  auto made = dyn_cast<OpResult>(value);
  if (succeeded(result) && !(made && isOwn(made)))
    places[value] = *result;
  return result;
}

//===-- Nodes ---------------------------------------------------------------------------------===//

// Of a kernel: of the op that decides what it is.
static StringRef runtimeFunctionOf(ir::KernelOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (StringRef function = ir::runtimeFunctionOf(&op); !function.empty())
      return function;
  return {};
}

LogicalResult ProgramBuilder::buildWork(ir::KernelOp op) {
  SmallVector<Value> inputs, outputs;
  for (auto [list, values] : {std::pair(&inputs, ValueRange(op.getInputs())),
                              std::pair(&outputs, ValueRange(op.getOutputs()))})
    for (Value value : values) {
      FailureOr<Value> place = placeOf(value);
      if (failed(place))
        return failure();
      list->push_back(*place);
    }
  ir::DimsAttr after;
  if (!computed.empty()) {
    llvm::SmallSetVector<int64_t, 4> symbols;
    ir::forEachSymbol(op, [&](int64_t id) {
      if (computed.contains(id))
        symbols.insert(id);
    });
    std::vector<DimExpr> sizes;
    for (int64_t symbol : symbols)
      sizes.push_back(DimExpr::symbol(symbol));
    if (!sizes.empty())
      after = ir::DimsAttr::get(b.getContext(), sizes);
  }
  uint64_t number = numbers.lookup(op);
  Operation *work;
  if (isMessage(op))
    work = b.create<host::StartCollectiveOp>(loc, number, inputs, outputs, after, onlyStream);
  else if (StringRef callee = runtimeFunctionOf(op); !callee.empty())
    work = b.create<host::CallOp>(loc, callee, number, inputs, outputs, after, onlyStream);
  else
    work = b.create<host::LaunchOp>(loc, number, inputs, outputs, after, onlyStream);
  work->setAttr("name", b.getStringAttr(ir::nameOf(op).str()));
  mayHaveFailed |= op->hasAttr(ir::kFallibleAttr);
  if (isMessage(op))
    messages.push_back({op, waiterFor(op)});
  return success();
}

// The first of what the block has started.
void ProgramBuilder::waitFor(size_t count) {
  for (const Message &message : ArrayRef(messages).take_front(count))
    b.create<host::WaitCollectiveOp>(loc, numbers.lookup(message.kernel));
  messages.erase(messages.begin(), messages.begin() + count);
}

// A failure of what has been started counts.
void ProgramBuilder::check() {
  waitFor(messages.size());
  b.create<host::CheckOp>(loc);
  mayHaveFailed = false;
}

// If it is not allowed, the call is over; the rest of a step or of a branch is left out.
LogicalResult ProgramBuilder::buildDefinition(ir::DefineSizeOp op) {
  FailureOr<Value> place = placeOf(op.getSize());
  if (failed(place))
    return failure();
  bool isInside = op->getParentOp() != source;
  if (isInside) // the rest may be left out
    waitFor(messages.size());
  if (mayHaveFailed && !isInside)
    check();
  Value value = b.create<host::ReadOp>(loc, b.getI64Type(), *place);
  Value sound = b.create<host::DefineSizeOp>(loc, op.getSymbol(), value);
  if (!isInside) {
    b.create<host::EndUnlessOp>(loc, sound);
    return success();
  }
  mayHaveFailed = true;
  auto rest = b.create<scf::IfOp>(loc, sound, /*withElseRegion=*/false);
  b.setInsertionPointToStart(rest.thenBlock()); // until the block ends
  return success();
}

LogicalResult ProgramBuilder::buildBranches(ir::IfOp op) {
  FailureOr<Value> place = placeOf(op.getCondition());
  if (failed(place))
    return failure();
  Value condition = b.create<host::ReadOp>(loc, b.getI1Type(), *place);
  auto branch = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  if (failed(buildBlock(op.getThenBody().front())))
    return failure();
  b.setInsertionPointToStart(branch.elseBlock());
  return buildBlock(op.getElseBody().front());
}

LogicalResult ProgramBuilder::buildNode(Operation *op) {
  loc = op->getLoc();
  for (size_t count = messages.size(); count > 0; --count)
    if (messages[count - 1].waiter == op) {
      waitFor(count);
      break;
    }
  bool isInPlace = llvm::any_of(op->getResults(), [](OpResult result) {
    ir::PlaceAttr place = ir::placeOf(result);
    return place && place.isInVariable();
  });
  if (mayHaveFailed && isInPlace)
    check();
  if (auto kernel = dyn_cast<ir::KernelOp>(op))
    return ir::isJoined(kernel) ? success() : buildWork(kernel);
  if (auto branches = dyn_cast<ir::IfOp>(op))
    return buildBranches(branches);
  if (auto loop = dyn_cast<ir::LoopOpInterface>(op))
    return buildLoop(loop);
  if (auto size = dyn_cast<ir::DefineSizeOp>(op))
    return buildDefinition(size);
  if (ir::isView(op) || isa<ir::ConstantOp>(op))
    return success();
  return op->emitError("not implemented: ") << op->getName() << " outside a kernel";
}

// They stand before all others.
LogicalResult ProgramBuilder::buildPrepared() {
  Block &body = source.getBody().front();
  if (llvm::none_of(body, [](Operation &op) { return ir::isPrepared(&op); }))
    return success();
  Value condition = b.create<host::MustPrepareOp>(loc);
  auto branch = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  for (Operation &op : body)
    if (ir::isPrepared(&op) && failed(buildNode(&op)))
      return failure();
  return success();
}

LogicalResult ProgramBuilder::buildBlock(Block &block) {
  // What stands behind a size that the block defines depends on that.
  std::optional<OpBuilder::InsertionGuard> guard;
  if (block.getParentOp() != source)
    guard.emplace(b);
  SmallVector<Message> outer = std::exchange(messages, {});
  for (Operation &op : block.without_terminator())
    if (!ir::isPrepared(&op) && failed(buildNode(&op)))
      return failure();
  waitFor(messages.size());
  messages = std::move(outer);
  return success();
}

namespace {

struct BuildHostProgramPass : keratin::passes::impl::BuildHostProgramBase<BuildHostProgramPass> {
  using BuildHostProgramBase::BuildHostProgramBase;

  void runOnOperation() override {
    llvm::StringMap<host::ProgramOp> programs;
    for (auto program : getOperation().getOps<host::ProgramOp>())
      programs[program.getFunction()] = program;
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (ir::memoriesOf(function).empty())
        continue;
      if (host::ProgramOp old = programs.lookup(function.getName()))
        old.erase();
      if (failed(ir::verifyMemoryPlan(function)))
        return signalPassFailure();
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(function);
      auto program = builder.create<host::ProgramOp>(
          function.getLoc(), FlatSymbolRefAttr::get(function.getSymNameAttr()));
      program.getBody().emplaceBlock();
      if (failed(ProgramBuilder(function, program).run()))
        return signalPassFailure();
      if (ir::spaceOf(function) != ir::MemorySpace::Device)
        continue;
      markResidentLoops(function, program, residentWork);
      if (failed(addTransfers(function, program)))
        return signalPassFailure();
    }
  }
};

} // namespace
