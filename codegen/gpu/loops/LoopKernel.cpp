// The function of a resident loop, after a LoopPlan.
#include "codegen/gpu/loops/LoopPlan.h"
#include "codegen/gpu/ptx/KernelEntry.h"
#include "codegen/gpu/threads/FirstThreads.h"
#include "codegen/gpu/threads/GridBarrier.h"
#include "codegen/gpu/threads/ThreadBlock.h"
#include "codegen/lowering/KernelLibrary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
namespace host = keratin::host;
using keratin::ir::DimExpr;

namespace {

class LoopKernel {
public:
  LoopKernel(const LoopPlan &plan, const KernelLibrary &library, ArrayRef<ir::KernelOp> kernels,
             ModuleOp into)
      : plan(plan), library(library), kernels(kernels), loop(plan.loop),
        b(OpBuilder::atBlockEnd(into.getBody())), loc(loop.getLoc()) {}

  LoopFunction emit(StringRef name);

private:
  // What all threads begin with.
  Value hoisted(llvm::function_ref<Value()> emit);
  Value i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }
  Value special(const char *name);
  Value argument(LoopArgument argument, Type type);
  Value sizeOf(const DimExpr &size);
  Value offsetBy(Value place, Value bytes);
  Value valueOf(Value value);
  Value outside(Value value);
  Type typeOf(Type type) { return isa<host::PlaceType>(type) ? pointer : type; }

  void meet();
  Value ask(llvm::function_ref<Value()> question);
  Value readFailure();

  void lower(Operation *op);
  void lowerBlock(Block &block);
  void lower(scf::ForOp op);
  void lower(scf::WhileOp op);
  void lower(scf::IfOp op);
  void lower(host::LaunchOp op);
  void lower(host::CopyOp op);
  void lower(host::WriteOp op);
  bool isInRegister(host::WriteOp op);
  void byThreads(Value from, Value to, Value first, Value step,
                 llvm::function_ref<void(Value)> body);

  const LoopPlan &plan;
  const KernelLibrary &library;
  ArrayRef<ir::KernelOp> kernels;
  host::LoopOp loop;
  OpBuilder b;
  Location loc;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  LoopFunction result;
  Value context, argv;
  Operation *prologueEnd = nullptr;
  Value thread, threads; // of the grid
  Value ownThread;       // in its block
  Value block, blocks;
  // Since all have met, none has done anything that others see.
  bool haveMet = false;
  llvm::DenseMap<Value, Value> values; // by those of the program
  std::map<DimExpr, Value> sizes;
  std::map<std::pair<StringRef, int64_t>, Value> beginnings; // of what has a number
};

//===-- Values --------------------------------------------------------------------------------===//

Value LoopKernel::hoisted(llvm::function_ref<Value()> emit) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(prologueEnd);
  return emit();
}

Value LoopKernel::special(const char *name) {
  Value number =
      b.create<LLVM::CallIntrinsicOp>(loc, b.getI32Type(), b.getStringAttr(name), ValueRange{})
          .getResult(0);
  return b.create<arith::ExtUIOp>(loc, b.getI64Type(), number);
}

Value LoopKernel::argument(LoopArgument argument, Type type) {
  return hoisted([&]() -> Value {
    auto slot = int32_t(result.arguments.size());
    result.arguments.push_back(std::move(argument));
    Value address =
        b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), argv, ArrayRef<LLVM::GEPArg>{slot});
    if (!type.isInteger(1))
      return b.create<LLVM::LoadOp>(loc, type, address);
    Value number = b.create<LLVM::LoadOp>(loc, b.getI64Type(), address);
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, number, i64(0));
  });
}

Value LoopKernel::sizeOf(const DimExpr &size) {
  if (size.isConstant())
    return i64(size.constantValue());
  Value &known = sizes[size];
  if (!known)
    known = argument({{}, KernelArgument{KernelArgument::Kind::Size, 0, size, {}, loc}},
                     b.getI64Type());
  return known;
}

Value LoopKernel::offsetBy(Value place, Value bytes) {
  return b.create<LLVM::GEPOp>(loc, pointer, b.getI8Type(), place, ArrayRef<LLVM::GEPArg>{bytes});
}

// What the whole loop has one of: places are offsets of few beginnings, which are its arguments.
Value LoopKernel::outside(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto at = dyn_cast_or_null<host::AtOp>(op))
    return hoisted([&] {
      Value base = valueOf(at.getBase());
      return offsetBy(base, sizeOf(at.getOffset().getDims().front()));
    });
  if (isa_and_nonnull<host::ArgumentOp, host::ResultOp, host::ConstantOp, host::MemoryOp>(op)) {
    int64_t number = op->getAttrOfType<IntegerAttr>("number").getInt();
    Value &known = beginnings[{op->getName().getStringRef(), number}];
    if (!known)
      known = argument({value, {}}, pointer);
    return known;
  }
  if (auto size = dyn_cast_or_null<host::SizeOp>(op))
    return sizeOf(size.getSize().getDims().front());
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return hoisted(
        [&]() -> Value { return b.create<arith::ConstantOp>(loc, constant.getValue()); });
  return argument({value, {}}, typeOf(value.getType()));
}

Value LoopKernel::valueOf(Value value) {
  if (Value known = values.lookup(value))
    return known;
  Value made = outside(value);
  values[value] = made;
  return made;
}

//===-- Meeting -------------------------------------------------------------------------------===//

void LoopKernel::meet() {
  if (!haveMet)
    GridBarrier(b, loc).wait();
  haveMet = true;
}

Value LoopKernel::ask(llvm::function_ref<Value()> question) {
  haveMet = true;
  return GridBarrier(b, loc).ask(question);
}

// Whether something has failed.
Value LoopKernel::readFailure() {
  Value address = launchParameter(b, loc, KERATIN_CUDA_FAILURE);
  Value place = b.create<LLVM::IntToPtrOp>(
      loc, LLVM::LLVMPointerType::get(b.getContext(), globalMemory), address);
  Value site = b.create<LLVM::LoadOp>(loc, b.getI32Type(), place, 4, /*isVolatile=*/true);
  Value none = b.create<arith::ConstantIntOp>(loc, int32_t(KERATIN_CUDA_NO_FAILURE), 32);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, site, none);
}

//===-- Work ----------------------------------------------------------------------------------===//

void LoopKernel::byThreads(Value from, Value to, Value first, Value step,
                           llvm::function_ref<void(Value)> body) {
  Value begin = b.create<arith::AddIOp>(loc, from, first);
  auto units = b.create<scf::ForOp>(loc, begin, to, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(units.getBody());
  body(units.getInductionVar());
}

// The units of a kernel, in strides of the grid. Threads that do a unit together count as one, and
// so do blocks.
void LoopKernel::lower(host::LaunchOp op) {
  meet();
  const KernelFunction &kernel = library.get(kernels[op.getKernel()]);
  auto function = LLVM::LLVMFuncOp(kernel.function);
  Value slots = hoisted([&]() -> Value {
    auto type = LLVM::LLVMArrayType::get(b.getI64Type(), kernel.arguments.size());
    return b.create<LLVM::AllocaOp>(loc, pointer, type, i64(1), 8);
  });
  for (auto [slot, argument] : llvm::enumerate(kernel.arguments)) {
    Value value;
    switch (argument.kind) {
    case KernelArgument::Kind::Input:
      value = valueOf(op.getInputs()[argument.index]);
      break;
    case KernelArgument::Kind::Output:
      value = valueOf(op.getOutputs()[argument.index]);
      break;
    case KernelArgument::Kind::Size:
      value = sizeOf(argument.size);
      break;
    case KernelArgument::Kind::Site:
      value = this->argument({{}, argument}, b.getI64Type());
      break;
    case KernelArgument::Kind::Number:
      value = i64(int64_t(argument.number));
      break;
    }
    Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), slots,
                                          ArrayRef<LLVM::GEPArg>{int32_t(slot)});
    b.create<LLVM::StoreOp>(loc, value, address);
  }
  auto size = [&](const DimExpr &size) { return sizeOf(size); };
  Value units = kernel.countUnits ? kernel.countUnits(b, loc, size) : sizeOf(kernel.units);
  auto doUnits = [&](Value first, Value step) {
    byThreads(i64(0), units, first, step, [&](Value unit) {
      Value next = b.create<arith::AddIOp>(loc, unit, i64(1));
      b.create<LLVM::CallOp>(loc, function, ValueRange{context, slots, unit, next});
    });
  };
  const DevicePlan &form = *plan.plans.lookup(int64_t(op.getKernel()));
  if (unsigned ofBlock = LoopPlan::threadsOfUnit(form)) {
    Value isOne = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, ownThread, i64(ofBlock));
    auto some = b.create<scf::IfOp>(loc, isOne, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(some.thenBlock());
    doUnits(block, blocks);
  } else {
    Value shift = i64(llvm::Log2_64(form.unitThreads));
    doUnits(b.create<arith::ShRUIOp>(loc, thread, shift),
            b.create<arith::ShRUIOp>(loc, threads, shift));
  }
  haveMet = false;
}

// Words of eight bytes where both places have them, and the rest by bytes.
void LoopKernel::lower(host::CopyOp op) {
  meet();
  Value from = valueOf(op.getFrom()), to = valueOf(op.getTo());
  Value bytes = sizeOf(op.getBytes().getDims().front());
  auto number = [&](Value place) -> Value {
    return b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), place);
  };
  Value together = b.create<arith::OrIOp>(loc, number(from), number(to));
  Value low = b.create<arith::AndIOp>(loc, together, i64(7));
  Value isAligned = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, low, i64(0));
  Value words = b.create<arith::AndIOp>(loc, bytes, i64(-8));
  Value whole = b.create<arith::SelectOp>(loc, isAligned, words, i64(0));
  auto move = [&](Value begin, Value end, int64_t width) {
    Value own = b.create<arith::MulIOp>(loc, thread, i64(width));
    Value step = b.create<arith::MulIOp>(loc, threads, i64(width));
    Type type = b.getIntegerType(unsigned(width) * 8);
    byThreads(begin, end, own, step, [&](Value at) {
      Value value = b.create<LLVM::LoadOp>(loc, type, offsetBy(from, at), unsigned(width));
      b.create<LLVM::StoreOp>(loc, value, offsetBy(to, at), unsigned(width));
    });
  };
  move(i64(0), whole, 8);
  move(whole, bytes, 1);
  haveMet = false;
}

// Whether kernels of the loop are all that reads the number, by this very place: then it need be in
// no memory.
bool LoopKernel::isInRegister(host::WriteOp op) {
  Value place = op.getPlace();
  for (OpOperand &use : place.getUses()) {
    auto launch = dyn_cast<host::LaunchOp>(use.getOwner());
    bool isRead =
        launch && loop->isAncestor(launch) && use.getOperandNumber() < launch.getInputs().size();
    if (!isRead && use.getOwner() != op)
      return false;
  }
  auto at = place.getDefiningOp<host::AtOp>();
  auto memory = at ? at.getBase().getDefiningOp<host::MemoryOp>() : host::MemoryOp();
  if (!memory)
    return false;
  bool hasOther = false;
  loop->getParentOfType<host::ProgramOp>().walk([&](host::AtOp other) {
    auto same = other.getBase().getDefiningOp<host::MemoryOp>();
    hasOther |=
        other != at && same && same.getNumber() == memory.getNumber() &&
        other.getOffset() == at.getOffset() &&
        llvm::any_of(other->getUsers(), [&](Operation *user) { return loop->isAncestor(user); });
  });
  return !hasOther;
}

void LoopKernel::lower(host::WriteOp op) {
  Value number = valueOf(op.getValue());
  if (isInRegister(op)) {
    Value &place = values[op.getPlace()];
    place = hoisted([&]() -> Value {
      return b.create<LLVM::AllocaOp>(loc, pointer, b.getI64Type(), i64(1), 8);
    });
    b.create<LLVM::StoreOp>(loc, number, place);
    return;
  }
  meet();
  Value place = valueOf(op.getPlace());
  byThreads(i64(0), i64(1), thread, i64(1),
            [&](Value) { b.create<LLVM::StoreOp>(loc, number, place); });
  haveMet = false;
}

//===-- Steps and branches --------------------------------------------------------------------===//

void LoopKernel::lower(scf::ForOp op) {
  SmallVector<Value> init;
  for (Value value : op.getInitArgs())
    init.push_back(valueOf(value));
  auto steps = b.create<scf::ForOp>(loc, valueOf(op.getLowerBound()), valueOf(op.getUpperBound()),
                                    valueOf(op.getStep()), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(steps.getBody());
  for (auto [argument, value] :
       llvm::zip(op.getBody()->getArguments(), steps.getBody()->getArguments()))
    values[argument] = value;
  haveMet = false; // behind the step before
  lowerBlock(*op.getBody());
  haveMet = false;
  SmallVector<Value> next;
  for (Value value : op.getYieldedValues())
    next.push_back(valueOf(value));
  if (!init.empty())
    b.create<scf::YieldOp>(loc, next);
  for (auto [result, value] : llvm::zip(op.getResults(), steps.getResults()))
    values[result] = value;
}

void LoopKernel::lower(scf::WhileOp op) {
  SmallVector<Value> init;
  for (Value value : op.getInits())
    init.push_back(valueOf(value));
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(typeOf(type));
  auto steps = b.create<scf::WhileOp>(loc, types, init);
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Block *from, Region &to) {
    SmallVector<Type> arguments;
    for (Type type : from->getArgumentTypes())
      arguments.push_back(typeOf(type));
    SmallVector<Location> locations(arguments.size(), loc);
    Block *block = b.createBlock(&to, {}, arguments, locations);
    for (auto [argument, value] : llvm::zip(from->getArguments(), block->getArguments()))
      values[argument] = value;
    lowerBlock(*from);
    SmallVector<Value> last;
    for (Value value : from->getTerminator()->getOperands())
      last.push_back(valueOf(value));
    return last;
  };
  haveMet = false; // behind the step before
  SmallVector<Value> condition = fill(op.getBeforeBody(), steps.getBefore());
  b.create<scf::ConditionOp>(loc, condition.front(), ArrayRef<Value>(condition).drop_front());
  bool metAtEnd = haveMet;
  SmallVector<Value> next = fill(op.getAfterBody(), steps.getAfter());
  b.create<scf::YieldOp>(loc, next);
  haveMet = metAtEnd;
  for (auto [result, value] : llvm::zip(op.getResults(), steps.getResults()))
    values[result] = value;
}

void LoopKernel::lower(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(typeOf(type));
  bool hasElse = op.elseBlock();
  auto branch = b.create<scf::IfOp>(loc, types, valueOf(op.getCondition()), hasElse);
  OpBuilder::InsertionGuard guard(b);
  const bool metBefore = haveMet;
  bool metBehind = !hasElse && haveMet;
  auto fill = [&](Block *from, Block *to) {
    haveMet = metBefore;
    b.setInsertionPointToStart(to);
    lowerBlock(*from);
    SmallVector<Value> yielded;
    for (Value value : from->getTerminator()->getOperands())
      yielded.push_back(valueOf(value));
    if (!yielded.empty())
      b.create<scf::YieldOp>(loc, yielded);
  };
  fill(op.thenBlock(), branch.thenBlock());
  bool metInThen = haveMet;
  if (hasElse) {
    fill(op.elseBlock(), branch.elseBlock());
    metBehind = haveMet;
  }
  haveMet = metInThen && metBehind;
  for (auto [result, value] : llvm::zip(op.getResults(), branch.getResults()))
    values[result] = value;
}

void LoopKernel::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      lower(&op);
}

void LoopKernel::lower(Operation *op) {
  loc = op->getLoc();
  if (isa<host::ArgumentOp, host::ResultOp, host::ConstantOp, host::MemoryOp, host::SizeOp,
          arith::ConstantOp>(op))
    return; // the same in all steps
  if (auto launch = dyn_cast<host::LaunchOp>(op))
    return lower(launch);
  if (auto copy = dyn_cast<host::CopyOp>(op))
    return lower(copy);
  if (auto write = dyn_cast<host::WriteOp>(op))
    return lower(write);
  if (auto inner = dyn_cast<host::LoopOp>(op))
    return lowerBlock(inner.getBody().front());
  if (auto steps = dyn_cast<scf::ForOp>(op))
    return lower(steps);
  if (auto steps = dyn_cast<scf::WhileOp>(op))
    return lower(steps);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return lower(branch);
  auto becomes = [&](Value made) { values[op->getResult(0)] = made; };
  if (auto at = dyn_cast<host::AtOp>(op))
    return becomes(offsetBy(valueOf(at.getBase()), sizeOf(at.getOffset().getDims().front())));
  if (auto element = dyn_cast<host::ElementOp>(op)) {
    Value bytes = sizeOf(element.getBytes().getDims().front());
    Value offset = b.create<arith::MulIOp>(loc, valueOf(element.getStep()), bytes);
    return becomes(offsetBy(valueOf(element.getBase()), offset));
  }
  if (auto differs = dyn_cast<host::DiffersOp>(op))
    return becomes(b.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, valueOf(differs.getA()),
                                          valueOf(differs.getB())));
  if (isa<host::SoundOp>(op)) {
    Value failed = ask([&] { return readFailure(); });
    Value yes = b.create<arith::ConstantIntOp>(loc, 1, 1);
    return becomes(b.create<arith::XOrIOp>(loc, failed, yes));
  }
  if (auto read = dyn_cast<host::ReadOp>(op)) {
    Value place = valueOf(read.getPlace());
    return becomes(ask([&]() -> Value {
      Value byte = b.create<LLVM::LoadOp>(loc, b.getI8Type(), place, 1, /*isVolatile=*/true);
      Value zero = b.create<arith::ConstantIntOp>(loc, 0, 8);
      return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, byte, zero);
    }));
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return becomes(b.create<LLVM::SelectOp>(loc, valueOf(select.getCondition()),
                                            valueOf(select.getTrueValue()),
                                            valueOf(select.getFalseValue())));
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, valueOf(operand));
  becomes(b.clone(*op, mapping)->getResult(0));
}

//===-- The function --------------------------------------------------------------------------===//

// Behind a guard nothing is done after a failure.
LoopFunction LoopKernel::emit(StringRef name) {
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, pointer, b.getI64Type(), b.getI64Type()});
  result.function = b.create<LLVM::LLVMFuncOp>(loc, name, type);
  Block *entry = result.function.addEntryBlock(b);
  context = entry->getArgument(0);
  argv = entry->getArgument(1);
  b.setInsertionPointToStart(entry);
  prologueEnd = b.create<LLVM::ReturnOp>(loc, ValueRange{});
  b.setInsertionPoint(prologueEnd);
  Value ofBlock = special("llvm.nvvm.read.ptx.sreg.ntid.x");
  ownThread = ThreadBlock(b, loc).thread();
  block = special("llvm.nvvm.read.ptx.sreg.ctaid.x");
  blocks = special("llvm.nvvm.read.ptx.sreg.nctaid.x");
  thread = b.create<arith::AddIOp>(loc, b.create<arith::MulIOp>(loc, block, ofBlock), ownThread);
  threads = b.create<arith::MulIOp>(loc, blocks, ofBlock);
  Value guarded = launchParameter(b, loc, KERATIN_CUDA_GUARDED);
  Value looks = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, guarded, i64(0));
  Value goesOn = b.create<arith::ConstantIntOp>(loc, 1, 1);
  auto look = b.create<scf::IfOp>(loc, TypeRange{b.getI1Type()}, looks, /*withElseRegion=*/true);
  auto all = b.create<scf::IfOp>(loc, look.getResult(0), /*withElseRegion=*/false);
  prologueEnd = look;
  b.setInsertionPointToStart(look.thenBlock());
  Value failed = GridBarrier(b, loc).ask([&] { return readFailure(); });
  b.create<scf::YieldOp>(loc, Value(b.create<arith::XOrIOp>(loc, failed, goesOn)));
  b.setInsertionPointToStart(look.elseBlock());
  b.create<scf::YieldOp>(loc, goesOn);
  b.setInsertionPointToStart(all.thenBlock());
  haveMet = true; // nobody has done anything
  lowerBlock(loop.getBody().front());

  std::vector<std::pair<KernelFunction, unsigned>> counted;
  for (const auto &[number, form] : plan.plans)
    counted.emplace_back(library.get(kernels[size_t(number)]),
                         LoopPlan::threadsOfUnit(*form) ? 1
                                                        : plan.blockThreads / form->unitThreads);
  result.countBlocks = [counted](OpBuilder &b, Location loc, SizeOf sizeOf) -> Value {
    auto i64 = [&](int64_t value) -> Value {
      return b.create<arith::ConstantIntOp>(loc, value, 64);
    };
    Value most = i64(1);
    for (const auto &[kernel, perBlock] : counted) {
      Value units = kernel.countUnits ? kernel.countUnits(b, loc, sizeOf) : sizeOf(kernel.units);
      Value room = b.create<arith::AddIOp>(loc, units, i64(int64_t(perBlock) - 1));
      Value blocks = b.create<arith::DivSIOp>(loc, room, i64(perBlock));
      most = b.create<arith::MaxSIOp>(loc, most, blocks);
    }
    return most;
  };
  return std::move(result);
}

} // namespace

FailureOr<LoopFunction> LoopPlan::lower(ModuleOp into, ArrayRef<ir::KernelOp> kernels,
                                        StringRef name, const MachineTarget &machine) const {
  llvm::DenseMap<Operation *, DevicePlanPtr> plansOf;
  SmallVector<ir::KernelOp> own;
  for (const auto &[number, form] : plans) {
    own.push_back(kernels[size_t(number)]);
    plansOf[own.back()] = form;
  }
  auto lowerOne = [&](ir::KernelOp kernel, OpBuilder &builder, StringRef kernelName) {
    DevicePlanPtr form = plansOf.lookup(kernel);
    KernelFunction made = form->lower(builder, kernelName, machine);
    unsigned ofBlock = threadsOfUnit(*form);
    if (ofBlock != 0 && ofBlock < blockThreads)
      meetAsFirstThreads(made.function, ofBlock);
    return FailureOr(std::move(made));
  };
  KernelLibrary library(into, name, lowerOne);
  if (failed(library.lower(own)))
    return failure();
  LoopFunction made = LoopKernel(*this, library, kernels, into).emit(name);
  if (made.arguments.size() > KERATIN_CUDA_MOST_SLOTS)
    made.function = nullptr;
  return made;
}
