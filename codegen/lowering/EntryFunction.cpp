#include "codegen/lowering/EntryFunction.h"

#include "codegen/lowering/EntryBuilder.h"
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SourceLine.h"
#include "ir/interfaces/ComputedSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

// Elementary operations from which on handing chunks to threads pays (a fork and join costs about
// as much as 4 us of work).
static constexpr int64_t parallelWork = 1 << 18;
// LLVM takes the square of the length of straight code. What stands between two calls of parts is
// not shared, which costs as little as these calls.
static constexpr int64_t mostNodesOfPart = 256;

bool EntryDescription::addSymbol(int64_t id) {
  assert(sizes.empty() && "slots of symbols come first");
  return symbolSlots.try_emplace(id, int64_t(symbolSlots.size())).second;
}

std::optional<int64_t> EntryDescription::slotOfSymbol(int64_t id) const {
  auto found = symbolSlots.find(id);
  return found == symbolSlots.end() ? std::nullopt : std::optional(found->second);
}

int64_t EntryDescription::slotOf(const DimExpr &size) {
  if (size.isSymbol())
    if (std::optional<int64_t> slot = slotOfSymbol(size.symbolId()))
      return *slot;
  auto [found, isNew] = sizeSlots.try_emplace(size, int64_t(symbolSlots.size() + sizes.size()));
  if (isNew)
    sizes.push_back(size);
  return found->second;
}

//===-- Kernels -------------------------------------------------------------------------------===//

// Three of its ops say what a kernel is, after the user's name for the first.
static ProfiledKernel profiledKernel(ir::KernelOp op) {
  ProfiledKernel result;
  SmallVector<StringRef> names;
  size_t more = 0;
  StringRef scope;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (result.location.empty()) {
      result.location = ir::sourceLine(inner.getLoc());
      if (auto named = inner.getLoc()->findInstanceOf<NameLoc>())
        scope = named.getName().getValue();
    }
    StringRef name = inner.getName().stripDialect();
    if (llvm::is_contained(names, name) || isa<ir::ConstantOp>(inner))
      continue;
    if (names.size() < 3)
      names.push_back(name);
    else
      ++more;
  }
  if (result.location.empty())
    result.location = ir::sourceLine(op.getLoc());
  result.name = (scope.empty() ? "" : scope + ": ").str() + llvm::join(names, " + ");
  if (names.empty())
    result.name += "constant";
  if (more)
    result.name += " + " + std::to_string(more) + " more";
  return result;
}

//===-- Values --------------------------------------------------------------------------------===//

EntryBuilder::EntryBuilder(func::FuncOp source, ModuleOp into, StringRef name,
                           const MachineTarget &target, EntryDescription &description)
    : source(source), into(into), name(name), library(into, name, target), description(description),
      b(into.getContext()), loc(source.getLoc()) {
  pointer = LLVM::LLVMPointerType::get(b.getContext());
}

Value EntryBuilder::i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

bool EntryBuilder::isOwnSize(const DimExpr &size) const {
  return !frame.ownSymbols.empty() &&
         llvm::any_of(size.symbols(), [&](int64_t id) { return frame.ownSymbols.contains(id); });
}

// Whether the place may be another one in each step: of memory that a size of the step asks for.
bool EntryBuilder::isOwnPlace(ir::PlaceAttr place) const {
  if (frame.ownSymbols.empty() || !place.isInMemory())
    return false;
  ir::MemoryAttr memory = memories[place.getNumber()];
  return memory.waits() && frame.ownSymbols.contains(memory.getSymbol());
}

bool EntryBuilder::isOwnPlace(OpResult result) const {
  ir::PlaceAttr place = ir::placeOf(result);
  if (!place) // of a constant
    return false;
  auto branch = dyn_cast<ir::IfOp>(result.getOwner()->getParentOp());
  return place.isReturned() && branch ? isOwnPlace(branch->getResult(place.getNumber()))
                                      : isOwnPlace(place);
}

bool EntryBuilder::mentionsOwnSize(Operation *op) const {
  bool found = false;
  if (!frame.ownSymbols.empty())
    ir::forEachSymbol(op, [&](int64_t id) { found |= frame.ownSymbols.contains(id); });
  return found;
}

Value EntryBuilder::hoistedIf(bool isSame, llvm::function_ref<Value()> emit) {
  return isSame ? hoisted(emit) : emit();
}

Value EntryBuilder::hoisted(llvm::function_ref<Value()> emit) {
  if (!frame.isLoop())
    return emit();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(frame.prologueEnd);
  return emit();
}

Value EntryBuilder::sizeOf(const DimExpr &size) {
  if (size.isConstant())
    return i64(size.constantValue());
  bool isOwn = isOwnSize(size);
  Value known = frame.isLoop() && !isOwn ? frame.sizeValues[size] : Value();
  if (known)
    return known;
  Value loaded = hoistedIf(!isOwn, [&]() -> Value {
    int32_t slot = description.slotOf(size);
    Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), frame.sizes,
                                          ArrayRef<LLVM::GEPArg>{slot});
    return b.create<LLVM::LoadOp>(loc, b.getI64Type(), address);
  });
  if (!isOwn)
    frame.sizeValues[size] = loaded;
  return loaded;
}

Value EntryBuilder::bufferAt(int64_t number) {
  Value address = b.create<LLVM::GEPOp>(loc, pointer, pointer, frame.buffers,
                                        ArrayRef<LLVM::GEPArg>{int32_t(number)});
  return b.create<LLVM::LoadOp>(loc, pointer, address);
}

Value EntryBuilder::offsetBy(Value base, Value bytes) {
  return b.create<LLVM::GEPOp>(loc, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{bytes});
}

Value EntryBuilder::contextField(size_t offset, Type type) {
  Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI8Type(), frame.context,
                                        ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  return b.create<LLVM::LoadOp>(loc, type, address);
}

// The order of keratin_entry_fn_t: inputs, variables, outputs, new values of updates that are not
// in place, constants, arena.
void EntryBuilder::numberBuffers() {
  ir::Signature signature(source);
  memories = ir::memoriesOf(source);
  firstVariable = signature.firstVariable();
  int64_t next = source.getNumArguments();
  for (unsigned i = 0; i < source.getNumResults(); ++i)
    resultBuffers.push_back(signature.isInPlace(i) ? firstVariable + *signature.updatedVariable(i)
                                                   : next++);
  source.walk([&](ir::ConstantOp constant) {
    if (isa<ir::KernelOp>(constant->getParentOp()))
      return;
    constantBuffers[constant.getY()] = next++;
    description.constants.push_back(constant.getY());
  });
  arenaBuffer = next;
}

// The place of what the terminator in `parent` returns.
FailureOr<Value> EntryBuilder::placeOfReturned(Operation *parent, unsigned index) {
  if (isa<ir::IfOp>(parent))
    return pointerOf(parent->getResult(index));
  if (isa<ir::LoopOpInterface>(parent))
    return frame.yieldPlaces.lookup({parent, index});
  return hoisted([&] { return bufferAt(resultBuffers[index]); });
}

FailureOr<Value> EntryBuilder::placeOf(OpResult result) {
  ir::PlaceAttr place = ir::placeOf(result);
  switch (place.getKind()) {
  case ir::PlaceKind::Memory:
    return hoistedIf(!isOwnPlace(place), [&] { return placeAt(place); });
  case ir::PlaceKind::Returned:
    return placeOfReturned(result.getOwner()->getParentOp(), place.getNumber());
  case ir::PlaceKind::Variable:
    return hoisted([&] { return bufferAt(firstVariable + place.getNumber()); });
  case ir::PlaceKind::Nowhere:
  case ir::PlaceKind::Result:
  case ir::PlaceKind::Stack:
    break;
  }
  return result.getOwner()->emitError("result ") << result.getResultNumber() << " needs a place",
         failure();
}

// In a memory.
Value EntryBuilder::placeAt(ir::PlaceAttr place) {
  return offsetBy(bufferAt(arenaBuffer + place.getNumber()), sizeOf(place.getOffset()));
}

// A part of its operand; the rest of its dimensions is whole.
FailureOr<Value> EntryBuilder::pointerOfRows(ir::SliceOp rows) {
  FailureOr<Value> base = pointerOf(rows.getX());
  DimExpr first = rows.getStarts().getDims().front();
  if (failed(base) || first == DimExpr(0))
    return base;
  ir::Shape row = ir::getShape(rows.getX());
  row[0] = first;
  std::optional<DimExpr> bytes = ir::elementCount(row);
  if (bytes)
    bytes = mul(*bytes, ir::dtypeBytes(ir::dtypeOf(ir::getElementType(rows.getX()))));
  if (!bytes)
    return ir::emitGraphError(rows, ir::GraphError::TooLarge)
               << "slice: the bytes before its rows do not fit 64 bits",
           failure();
  return offsetBy(*base, sizeOf(*bytes));
}

FailureOr<Value> EntryBuilder::pointerOf(Value value) {
  // Views are where their operand is, and so are captures.
  while (true) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (auto reshape = value.getDefiningOp<ir::ReshapeOp>())
      value = reshape.getX();
    else if (auto branch =
                 argument ? dyn_cast<ir::IfOp>(argument.getOwner()->getParentOp()) : ir::IfOp())
      value = branch.getCaptures()[argument.getArgNumber()];
    else if (auto loop = argument
                             ? dyn_cast<ir::LoopOpInterface>(argument.getOwner()->getParentOp())
                             : ir::LoopOpInterface();
             loop && llvm::is_contained(loop.getCaptureArguments(), value))
      value = loop->getOperand(argument.getArgNumber() - 1);
    else
      break;
  }
  if (Value known = frame.pointers.lookup(value))
    return known;
  if (auto rows = value.getDefiningOp<ir::SliceOp>())
    return pointerOfRows(rows);
  FailureOr<Value> result = failure();
  if (auto argument = dyn_cast<BlockArgument>(value))
    result = hoisted([&] { return bufferAt(argument.getArgNumber()); });
  else if (auto found = constantBuffers.find(value); found != constantBuffers.end())
    result = hoisted([&] { return bufferAt(found->second); });
  else if (isa<ir::KernelOp, ir::LoopOpInterface, ir::IfOp>(value.getDefiningOp()))
    result = placeOf(cast<OpResult>(value));
  else
    emitError(value.getLoc(), "not implemented: a value made outside a kernel");
  auto made = dyn_cast<OpResult>(value);
  if (succeeded(result) && !frame.isConditional && !(made && isOwnPlace(made)))
    frame.pointers[value] = *result;
  return result;
}

//===-- Calls ---------------------------------------------------------------------------------===//

Value EntryBuilder::hasNotFailed() {
  Value site = contextField(offsetof(keratin_context_t, failed_site), b.getI32Type());
  Value none = b.create<arith::ConstantIntOp>(loc, 0, 32);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, site, none);
}

void EntryBuilder::leaveIfFailed() {
  leaveUnless(hasNotFailed());
  mayHaveFailed = false;
}

void EntryBuilder::leaveUnless(Value sound) {
  Block *next = b.getInsertionBlock()->splitBlock(b.getInsertionPoint());
  b.setInsertionPointToEnd(next->getPrevNode());
  b.create<cf::CondBranchOp>(loc, sound, next, exit);
  b.setInsertionPointToStart(next);
}

// Hands the value to the runtime, which computes the sizes that depend on it. If that fails, the
// entry function returns; the rest of a step or of a branch is left out.
LogicalResult EntryBuilder::define(ir::DefineSizeOp op) {
  FailureOr<Value> address = pointerOf(op.getSize());
  if (failed(address))
    return failure();
  bool isInside = op->getParentOp() != source;
  if (mayHaveFailed && !isInside)
    leaveIfFailed();
  auto number = llvm::find(description.computed, op) - description.computed.begin();
  Value value = b.create<LLVM::LoadOp>(loc, b.getI64Type(), *address);
  Value target = contextField(offsetof(keratin_context_t, define_size), pointer);
  auto type =
      LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, b.getI32Type(), b.getI64Type()});
  Value which = b.create<arith::ConstantIntOp>(loc, number, 32);
  Value code = b.create<LLVM::CallOp>(loc, type, ValueRange{target, frame.context, which, value})
                   .getResult();
  Value zero = b.create<arith::ConstantIntOp>(loc, 0, 32);
  Value sound = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, code, zero);
  if (!isInside) {
    leaveUnless(sound);
    return success();
  }
  mayHaveFailed = true;
  auto rest = b.create<scf::IfOp>(loc, sound, /*withElseRegion=*/false);
  b.setInsertionPointToStart(rest.thenBlock()); // until the block ends
  return success();
}

void EntryBuilder::tellProfile(int64_t kernel, bool end) {
  Value hook = contextField(offsetof(keratin_context_t, profile), pointer);
  Value none = b.create<LLVM::ZeroOp>(loc, pointer);
  Value wanted = b.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, hook, none);
  auto branch = b.create<scf::IfOp>(loc, wanted, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, b.getI32Type(), b.getI32Type()});
  Value number = b.create<arith::ConstantIntOp>(loc, kernel, 32);
  Value isEnd = b.create<arith::ConstantIntOp>(loc, end, 32);
  b.create<LLVM::CallOp>(loc, type, ValueRange{hook, frame.context, number, isEnd});
}

// Memory for the arguments of a call. In a loop each kernel has its own, so that those that stay
// the same are stored once; but a body of very many kernels must not fill the stack.
Value EntryBuilder::argumentSlots(size_t count) {
  constexpr size_t mostOwnSlots = 2048;
  if (!frame.isLoop() || frame.numOwnSlots + count > mostOwnSlots) {
    frame.numSharedSlots = std::max(frame.numSharedSlots, count);
    return frame.sharedSlots;
  }
  frame.numOwnSlots += count;
  return hoisted([&]() -> Value {
    auto type = LLVM::LLVMArrayType::get(b.getI64Type(), std::max<size_t>(count, 1));
    return b.create<LLVM::AllocaOp>(loc, pointer, type, i64(1), 8);
  });
}

void EntryBuilder::storeArgument(Value slots, size_t slot, Value value) {
  OpBuilder::InsertionGuard guard(b);
  if (slots != frame.sharedSlots) {
    // Out of all loops that do not make the value.
    Operation *owner = value.getParentRegion()->getParentOp();
    Operation *inside = b.getInsertionBlock()->getParentOp();
    for (; !inside->isAncestor(owner); inside = inside->getParentOp())
      b.setInsertionPoint(inside);
  }
  Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), slots,
                                        ArrayRef<LLVM::GEPArg>{int32_t(slot)});
  b.create<LLVM::StoreOp>(loc, value, address);
}

Value EntryBuilder::countUnits(const KernelFunction &kernel) {
  auto size = [&](const DimExpr &size) { return sizeOf(size); };
  if (!kernel.countUnits)
    return sizeOf(kernel.units);
  if (frame.isLoop()) // where LLVM cleans up, and sizes are kept for others
    return kernel.countUnits(b, loc, size);
  Operation *next = &*b.getInsertionPoint(), *before = next->getPrevNode();
  Value units = kernel.countUnits(b, loc, size);
  // Most of what the schedule of a kernel follows from is for the kernel itself.
  for (Operation *op = next->getPrevNode(); op != before;) {
    Operation *previous = op->getPrevNode();
    if (isOpTriviallyDead(op) && op != units.getDefiningOp())
      op->erase();
    op = previous;
  }
  return units;
}

void EntryBuilder::callKernel(const KernelFunction &kernel, Value slots, bool hasOwnSize) {
  auto function = LLVM::LLVMFuncOp(kernel.function);
  Value units = hoistedIf(!hasOwnSize, [&] { return countUnits(kernel); });
  auto direct = [&] {
    b.create<LLVM::CallOp>(loc, function, ValueRange{frame.context, slots, i64(0), units});
  };
  auto shared = [&] {
    Value target = b.create<LLVM::AddressOfOp>(loc, pointer, function.getSymName());
    Value parallelFor = contextField(offsetof(keratin_context_t, parallel_for), pointer);
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    {pointer, pointer, pointer, b.getI64Type(), b.getI64Type()});
    b.create<LLVM::CallOp>(
        loc, type,
        ValueRange{parallelFor, frame.context, target, slots, units, sizeOf(kernel.grain)});
  };
  bool several =
      kernel.countUnits || !kernel.units.isConstant() || kernel.units.constantValue() > 1;
  if (!several || (kernel.work.isConstant() && kernel.work.constantValue() < parallelWork))
    return direct();
  if (kernel.work.isConstant())
    return shared();
  Value large = hoistedIf(!hasOwnSize, [&]() -> Value {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, sizeOf(kernel.work),
                                   i64(parallelWork));
  });
  auto branch = b.create<scf::IfOp>(loc, large, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  shared();
  b.setInsertionPointToStart(branch.elseBlock());
  direct();
}

LogicalResult EntryBuilder::call(ir::KernelOp op) {
  const KernelFunction &kernel = library.get(op);
  int64_t number = description.kernels++;
  description.kernelFunctions.push_back(LLVM::LLVMFuncOp(kernel.function).getSymName().str());
  description.scratchBytes = std::max(description.scratchBytes, kernel.scratchBytes);

  SmallVector<Value> values;
  for (const KernelArgument &argument : kernel.arguments) {
    switch (argument.kind) {
    case KernelArgument::Kind::Input:
    case KernelArgument::Kind::Output: {
      Value memory = argument.kind == KernelArgument::Kind::Input ? op.getInputs()[argument.index]
                                                                  : op.getOutputs()[argument.index];
      FailureOr<Value> address = pointerOf(memory);
      if (failed(address))
        return failure();
      values.push_back(*address);
      break;
    }
    case KernelArgument::Kind::Size:
      values.push_back(hoistedIf(!isOwnSize(argument.size), [&] { return sizeOf(argument.size); }));
      break;
    case KernelArgument::Kind::Site:
      values.push_back(hoisted([&] { return i64(int64_t(description.sites.size())); }));
      description.sites.push_back(argument);
      mayHaveFailed = true;
      break;
    case KernelArgument::Kind::Number:
      values.push_back(hoisted([&] { return i64(int64_t(argument.number)); }));
      break;
    }
  }
  Value slots = argumentSlots(values.size());
  for (auto [slot, value] : llvm::enumerate(values))
    storeArgument(slots, slot, value);
  if (description.profile) {
    description.profiled.push_back(profiledKernel(op));
    tellProfile(number, /*end=*/false);
  }
  callKernel(kernel, slots, mentionsOwnSize(op));
  if (description.profile)
    tellProfile(number, /*end=*/true);
  return success();
}

//===-- The function --------------------------------------------------------------------------===//

LogicalResult EntryBuilder::emitNode(Operation *op) {
  loc = op->getLoc();
  if (mayHaveFailed && op->getParentOp() == source &&
      llvm::any_of(op->getResults(), [](OpResult result) {
        ir::PlaceAttr place = ir::placeOf(result);
        return place && place.isInVariable();
      }))
    leaveIfFailed();
  if (auto kernel = dyn_cast<ir::KernelOp>(op))
    return call(kernel);
  if (auto branches = dyn_cast<ir::IfOp>(op))
    return emitBranches(branches);
  if (auto loop = dyn_cast<ir::LoopOpInterface>(op))
    return frame.isLoop() ? emitLoop(loop) : callLoop(loop);
  if (auto size = dyn_cast<ir::DefineSizeOp>(op))
    return define(size);
  if (isa<ir::ReshapeOp, ir::SliceOp, ir::ConstantOp>(op))
    return success();
  return op->emitError("not implemented: ") << op->getName() << " outside a kernel";
}

LogicalResult EntryBuilder::emitBlock(Block &block) {
  // What stands behind a size that the block defines depends on that.
  std::optional<OpBuilder::InsertionGuard> guard;
  if (block.getParentOp() != source)
    guard.emplace(b);
  for (Operation &op : block.without_terminator())
    if (failed(emitNode(&op)))
      return failure();
  return success();
}

// Begins a function with the parameters of the entry function, with the builder at its first block.
void EntryBuilder::openFunction(StringRef name, Type result) {
  b.setInsertionPointToEnd(into.getBody());
  auto type = LLVM::LLVMFunctionType::get(result, {pointer, pointer, pointer});
  frame = Frame();
  frame.function = b.create<LLVM::LLVMFuncOp>(loc, name, type);
  Block *block = frame.function.addEntryBlock(b);
  frame.context = block->getArgument(0);
  frame.buffers = block->getArgument(1);
  frame.sizes = block->getArgument(2);
  b.setInsertionPointToEnd(block);
  frame.sharedSlots = b.create<LLVM::AllocaOp>(
      loc, pointer, LLVM::LLVMArrayType::get(b.getI64Type(), 1), i64(1), 8);
}

void EntryBuilder::closeFunction() {
  frame.sharedSlots.setElemType(LLVM::LLVMArrayType::get(b.getI64Type(), frame.numSharedSlots));
}

// A function of straight code that runs once a call: the fast instruction selector does. A part of
// the entry function returns whether the call is over.
LogicalResult EntryBuilder::emitStraight(StringRef functionName, bool isPart,
                                         llvm::function_ref<LogicalResult()> body) {
  openFunction(functionName,
               isPart ? Type(b.getI32Type()) : LLVM::LLVMVoidType::get(b.getContext()));
  LLVM::LLVMFuncOp function = frame.function;
  function.setNoInline(true);
  function.setOptimizeNone(true);
  auto leave = [&](bool isOver) -> Operation * {
    SmallVector<Value, 1> results;
    if (isPart)
      results.push_back(b.create<arith::ConstantIntOp>(loc, isOver, 32));
    return b.create<LLVM::ReturnOp>(loc, results);
  };
  b.setInsertionPoint(leave(false));
  Block *early = exit = new Block;
  function.getBody().push_back(early);
  LogicalResult done = body();
  closeFunction();
  if (early->hasNoPredecessors()) {
    early->erase();
  } else { // stands last
    early->moveBefore(&function.getBody(), function.getBody().end());
    b.setInsertionPointToEnd(early);
    leave(true);
  }
  return done;
}

// The ops from `op` on, as many as a part holds, as a function of their own that is called here.
LogicalResult EntryBuilder::callPart(StringRef partName, Block::iterator &op, Block::iterator end) {
  auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer, pointer});
  Value isOver = b.create<LLVM::CallOp>(loc, type, partName,
                                        ValueRange{frame.context, frame.buffers, frame.sizes})
                     .getResult();
  Value zero = b.create<arith::ConstantIntOp>(loc, 0, 32);
  leaveUnless(b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, isOver, zero));
  OpBuilder::InsertionGuard guard(b);
  Frame entry = std::move(frame);
  Block *entryExit = exit;
  LogicalResult done = emitStraight(partName, /*isPart=*/true, [&] {
    for (int64_t nodes = 0; op != end && nodes < mostNodesOfPart; ++op) {
      if (failed(emitNode(&*op)))
        return failure();
      nodes += isa<ir::KernelOp, ir::LoopOpInterface, ir::IfOp>(*op);
    }
    return success();
  });
  frame = std::move(entry);
  exit = entryExit;
  return done;
}

LogicalResult EntryBuilder::emitFunction() {
  Block &block = source.getBody().front();
  int64_t nodes = llvm::count_if(
      block, [](Operation &op) { return isa<ir::KernelOp, ir::LoopOpInterface, ir::IfOp>(op); });
  if (nodes <= mostNodesOfPart)
    return emitBlock(block);
  auto op = block.begin(), end = Block::iterator(block.getTerminator());
  for (int64_t part = 0; op != end; ++part)
    if (failed(callPart((name + ".part_" + Twine(part)).str(), op, end)))
      return failure();
  return success();
}

LogicalResult EntryBuilder::run() {
  if (failed(ir::verifyMemoryPlan(source)))
    return failure();
  numberBuffers();
  if (failed(library.lower(source, description.beforeKernel)) ||
      failed(emitStraight(name, /*isPart=*/false, [&] { return emitFunction(); })))
    return failure();
  description.uniqueKernels = library.size();
  return success();
}

LogicalResult keratin::codegen::lowerFunction(func::FuncOp function, ModuleOp into, StringRef name,
                                              const MachineTarget &target,
                                              EntryDescription &description) {
  return EntryBuilder(function, into, name, target, description).run();
}
