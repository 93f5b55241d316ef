// What must hold of a host program beside what each op says of itself.
#include "ir/dialect/MemoryPlan.h"
#include "ir/dialect/Signature.h"
#include "ir/host/Host.h"

#include "llvm/ADT/SetVector.h"

#include <deque>
#include <set>

using namespace keratin;
using namespace keratin::host;
using namespace mlir;

namespace {

// Bytes that a place may be of: an argument, a result, a constant, those at an offset of a memory,
// or staged ones. A tape is one place.
struct Storage {
  Operation *base = nullptr; // which kind
  int64_t number = 0;
  Attribute offset;

  auto key() const {
    return std::tuple(base->getName().getAsOpaquePointer(), number, offset.getAsOpaquePointer());
  }
  bool operator<(const Storage &other) const { return key() < other.key(); }
};

// A collective that has been started and not waited for.
struct Message {
  int64_t kernel;
  std::set<Storage> sent, received;
};

class ProgramVerifier {
public:
  ProgramVerifier(ProgramOp program, func::FuncOp function)
      : program(program), function(function), signature(function),
        numbered(numberedOpsOf(function)), memories(ir::memoriesOf(function)) {}

  LogicalResult verify() {
    function.walk([&](ir::DefineSizeOp op) { computed.insert(op.getSymbol()); });
    // Before anything looks at what they name: a text may use a place in front of the op.
    WalkResult numbers = program.walk([&](Operation *op) { return WalkResult(verifyNumbers(op)); });
    return failure(numbers.wasInterrupted() || failed(verifyBlock(program.getBody().front())));
  }

private:
  LogicalResult verifyBlock(Block &block) {
    size_t before = messages.size();
    for (Operation &op : block)
      if (failed(verifyOp(&op)))
        return failure();
    if (messages.size() == before)
      return success();
    return block.getParentOp()->emitOpError("ends before it waits for kernel ")
           << messages.back().kernel;
  }

  LogicalResult verifyOp(Operation *op);
  LogicalResult verifyNumber(Operation *op, int64_t number, size_t count, const char *what) {
    if (number >= 0 && number < int64_t(count))
      return success();
    return op->emitOpError("names ") << what << " " << number << " of " << count;
  }
  LogicalResult verifyNumbers(Operation *op);
  LogicalResult verifyWork(Operation *op, const Work &work);
  LogicalResult verifyWait(WaitCollectiveOp op);
  LogicalResult isFree(Operation *op, ArrayRef<Storage> storages, bool isRead);
  LogicalResult verifyTypes(Operation *op);
  LogicalResult liesIn(Operation *op, ir::MemorySpace space, Value place);
  LogicalResult verifySpaces(Operation *op);
  LogicalResult verifyResident(LoopOp loop);
  LogicalResult needs(Operation *op, ir::DimsAttr sizes);
  LogicalResult reads(Operation *op, Value place);
  LogicalResult writes(Operation *op, Value place);
  SmallVector<Storage> storagesOf(Value place, bool isRead);

  ProgramOp program;
  func::FuncOp function;
  ir::Signature signature;
  NumberedOps numbered;
  SmallVector<ir::MemoryAttr> memories;
  llvm::DenseSet<int64_t> computed, defined;
  std::set<Storage> written;
  std::deque<Message> messages; // in the order of their start
};

// Of an argument of a loop what it is at first, and, unless it is for a read, which the first step
// does too, what it is later.
SmallVector<Storage> ProgramVerifier::storagesOf(Value place, bool isRead) {
  SmallVector<Storage> storages;
  llvm::SmallSetVector<Value, 8> values;
  values.insert(place);
  for (size_t next = 0; next < values.size(); ++next) {
    auto follow = [&](Value other) { values.insert(other); };
    Value value = values[next];
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *owner = argument.getOwner()->getParentOp();
      unsigned number = argument.getArgNumber();
      if (auto loop = dyn_cast<scf::ForOp>(owner)) {
        follow(loop.getInitArgs()[number - 1]);
        if (!isRead)
          follow(loop.getYieldedValues()[number - 1]);
      } else if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
        bool isBefore = argument.getOwner() == loop.getBeforeBody();
        follow(isBefore ? loop.getInits()[number] : loop.getConditionOp().getArgs()[number]);
        if (!isRead && isBefore)
          follow(loop.getYieldOp().getOperand(number));
      }
      continue;
    }
    Operation *maker = value.getDefiningOp();
    unsigned number = cast<OpResult>(value).getResultNumber();
    auto at = dyn_cast<AtOp>(maker);
    auto memory = at ? at.getBase().getDefiningOp<MemoryOp>() : MemoryOp();
    if (memory && !memories[memory.getNumber()].isTape()) {
      storages.push_back({memory, int64_t(memory.getNumber()), at.getOffset()});
    } else if (isa<AtOp, ElementOp>(maker)) {
      follow(maker->getOperand(0));
    } else if (auto op = dyn_cast<arith::SelectOp>(maker)) {
      follow(op.getTrueValue());
      follow(op.getFalseValue());
    } else if (auto loop = dyn_cast<scf::ForOp>(maker)) {
      follow(loop.getInitArgs()[number]);
      follow(loop.getYieldedValues()[number]);
    } else if (auto loop = dyn_cast<scf::WhileOp>(maker)) {
      follow(loop.getConditionOp().getArgs()[number]);
    } else if (auto branch = dyn_cast<scf::IfOp>(maker)) {
      follow(branch.thenYield().getOperand(number));
      follow(branch.elseYield().getOperand(number));
    } else if (isa<StagingOp>(maker)) {
      storages.push_back({maker, int64_t(reinterpret_cast<uintptr_t>(maker)), {}});
    } else {
      auto which = maker->getAttrOfType<IntegerAttr>("number");
      storages.push_back({maker, which.getInt(), {}});
    }
  }
  return storages;
}

// Messages read what they send, which others may read, too.
LogicalResult ProgramVerifier::isFree(Operation *op, ArrayRef<Storage> storages, bool isRead) {
  for (const Message &message : messages)
    for (const Storage &storage : storages)
      if (message.received.count(storage) || (!isRead && message.sent.count(storage)))
        return op->emitOpError(isRead ? "reads" : "writes")
               << " memory of kernel " << message.kernel << " before it has been waited for";
  return success();
}

LogicalResult ProgramVerifier::reads(Operation *op, Value place) {
  SmallVector<Storage> storages = storagesOf(place, /*isRead=*/true);
  if (failed(isFree(op, storages, /*isRead=*/true)))
    return failure();
  bool isWritten = llvm::any_of(storages, [&](const Storage &storage) {
    return isa<ArgumentOp, ConstantOp>(storage.base) || written.count(storage);
  });
  if (isWritten)
    return success();
  return op->emitOpError("reads what nothing has written before");
}

LogicalResult ProgramVerifier::writes(Operation *op, Value place) {
  SmallVector<Storage> storages = storagesOf(place, /*isRead=*/false);
  if (failed(isFree(op, storages, /*isRead=*/false)))
    return failure();
  for (const Storage &storage : storages) {
    written.insert(storage);
    // A state may be where it begins, in an argument, but is not written there.
    if (storages.size() > 1)
      continue;
    if (isa<ConstantOp>(storage.base))
      return op->emitOpError("writes constant ") << storage.number;
    if (isa<ArgumentOp>(storage.base) && !signature.isVariable(unsigned(storage.number)))
      return op->emitOpError("writes input ") << storage.number;
  }
  return success();
}

// Whether the place is of the space; without memory of a device, everything is the host's.
LogicalResult ProgramVerifier::liesIn(Operation *op, ir::MemorySpace space, Value place) {
  for (const Storage &storage : storagesOf(place, /*isRead=*/false)) {
    bool isStaged = isa<StagingOp>(storage.base);
    ir::MemorySpace actual = isStaged ? ir::MemorySpace::Host : ir::spaceOf(function);
    if (actual != space)
      return op->emitOpError("needs a place in the memory of the ")
             << ir::memorySpaceName(space) << ", found one of the " << ir::memorySpaceName(actual);
  }
  return success();
}

LogicalResult ProgramVerifier::verifySpaces(Operation *op) {
  ir::MemorySpace work = ir::spaceOf(function), home = ir::MemorySpace::Host;
  if (isa<StagingOp, FetchOp, SendOp>(op) && work == home)
    return op->emitOpError("is for programs whose memories are a device's");
  if (work == home)
    return success();
  auto all = [&](ir::MemorySpace space, ValueRange places) {
    return success(
        llvm::all_of(places, [&](Value place) { return succeeded(liesIn(op, space, place)); }));
  };
  if (std::optional<Work> call = workOf(op)) {
    ir::MemorySpace space = isa<CallOp>(op) ? home : work;
    return success(succeeded(all(space, call->inputs)) && succeeded(all(space, call->outputs)));
  }
  if (auto copy = dyn_cast<CopyOp>(op))
    return all(work, {copy.getFrom(), copy.getTo()});
  ir::MemorySpace read = isResident(op) ? work : home;
  if (isa<ReadOp>(op))
    return all(read, op->getOperand(0));
  if (auto write = dyn_cast<WriteOp>(op))
    return all(read, write.getPlace());
  if (auto fetch = dyn_cast<FetchOp>(op))
    return success(succeeded(all(work, fetch.getFrom())) && succeeded(all(home, fetch.getTo())));
  if (auto send = dyn_cast<SendOp>(op))
    return success(succeeded(all(home, send.getFrom())) && succeeded(all(work, send.getTo())));
  return success();
}

LogicalResult ProgramVerifier::verifyResident(LoopOp loop) {
  if (ir::spaceOf(function) == ir::MemorySpace::Host)
    return loop->emitOpError("is resident in a program whose memories are the host's");
  Operation *other = nullptr;
  loop->walk([&](Operation *op) {
    if (!other && !needsNoHost(op))
      other = op;
  });
  return other ? other->emitOpError("needs the host, in a resident loop") : success();
}

LogicalResult ProgramVerifier::needs(Operation *op, ir::DimsAttr sizes) {
  for (const ir::DimExpr &size : sizes.getDims())
    for (int64_t symbol : size.symbols())
      if (computed.contains(symbol) && !defined.contains(symbol))
        return op->emitOpError("needs d") << symbol << " before it is defined";
  return success();
}

LogicalResult ProgramVerifier::verifyWork(Operation *op, const Work &work) {
  ir::KernelOp kernel = numbered.kernels[work.kernel];
  if (work.inputs.size() != kernel->getNumOperands() ||
      work.outputs.size() != kernel->getNumResults())
    return op->emitOpError("has ") << work.inputs.size() << " inputs and " << work.outputs.size()
                                   << " outputs for a kernel with " << kernel->getNumOperands()
                                   << " and " << kernel->getNumResults();
  for (Value input : work.inputs)
    if (failed(reads(op, input)))
      return failure();
  for (Value output : work.outputs)
    if (failed(writes(op, output)))
      return failure();
  if (isa<StartCollectiveOp>(op)) {
    Message &message = messages.emplace_back(Message{work.kernel, {}, {}});
    for (auto [storages, places] :
         {std::pair(&message.sent, work.inputs), std::pair(&message.received, work.outputs)})
      for (Value place : places)
        for (const Storage &storage : storagesOf(place, /*isRead=*/false))
          storages->insert(storage);
  }
  return success();
}

LogicalResult ProgramVerifier::verifyWait(WaitCollectiveOp op) {
  int64_t kernel = int64_t(op.getKernel());
  if (messages.empty() || messages.front().kernel != kernel)
    return op.emitOpError("waits for kernel ")
           << kernel << ", which is not the first that has been started";
  messages.pop_front();
  return success();
}

LogicalResult ProgramVerifier::verifyNumbers(Operation *op) {
  if (auto argument = dyn_cast<ArgumentOp>(op))
    return verifyNumber(op, argument.getNumber(), function.getNumArguments(), "argument");
  if (auto result = dyn_cast<ResultOp>(op))
    return verifyNumber(op, result.getNumber(), function.getNumResults(), "result");
  if (auto constant = dyn_cast<ConstantOp>(op))
    return verifyNumber(op, constant.getNumber(), numbered.constants.size(), "constant");
  if (auto memory = dyn_cast<MemoryOp>(op))
    return verifyNumber(op, memory.getNumber(), memories.size(), "memory");
  if (std::optional<Work> work = workOf(op))
    return verifyNumber(op, work->kernel, numbered.kernels.size(), "kernel");
  return success();
}

// Places, numbers and conditions are all that a program computes with.
LogicalResult ProgramVerifier::verifyTypes(Operation *op) {
  auto isKnown = [](Type type) {
    return isa<PlaceType>(type) || type.isInteger(64) || type.isInteger(1);
  };
  bool known =
      llvm::all_of(op->getOperandTypes(), isKnown) && llvm::all_of(op->getResultTypes(), isKnown);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      known &= llvm::all_of(block.getArgumentTypes(), isKnown);
  if (known)
    return success();
  return op->emitOpError("has a type other than places, i64 and i1, which a host program knows");
}

LogicalResult ProgramVerifier::verifyOp(Operation *op) {
  if (failed(verifyTypes(op)))
    return failure();
  for (StringRef name : {"size", "offset", "bytes", "after"})
    if (auto sizes = op->getAttrOfType<ir::DimsAttr>(name)) {
      if (name != "after" && sizes.getDims().size() != 1)
        return op->emitOpError("needs one size, found ") << sizes;
      if (failed(needs(op, sizes)))
        return failure();
    }
  if (failed(verifySpaces(op)))
    return failure();
  if (auto loop = dyn_cast<LoopOp>(op); loop && loop.getResident() && failed(verifyResident(loop)))
    return failure();
  if (std::optional<Work> work = workOf(op))
    return verifyWork(op, *work);
  if (auto wait = dyn_cast<WaitCollectiveOp>(op))
    return verifyWait(wait);
  if (auto memory = dyn_cast<MemoryOp>(op)) {
    ir::MemoryAttr plan = memories[memory.getNumber()];
    if (plan.waits() && !plan.isTape() && !defined.contains(plan.getSymbol()))
      return op->emitOpError("needs d") << plan.getSymbol() << " before it is defined";
    return success();
  }
  if (auto copy = dyn_cast<CopyOp>(op))
    return failed(reads(op, copy.getFrom())) ? failure() : writes(op, copy.getTo());
  if (isa<FetchOp, SendOp>(op))
    return failed(reads(op, op->getOperand(0))) ? failure() : writes(op, op->getOperand(1));
  if (auto read = dyn_cast<ReadOp>(op))
    return reads(op, read.getPlace());
  if (auto write = dyn_cast<WriteOp>(op))
    return writes(op, write.getPlace());
  if (auto define = dyn_cast<DefineSizeOp>(op)) {
    if (!computed.contains(define.getSymbol()))
      return op->emitOpError("defines d") << define.getSymbol() << ", which the function does not";
    defined.insert(define.getSymbol());
    return success();
  }
  if (auto grow = dyn_cast<GrowTapesOp>(op)) {
    if (!computed.contains(grow.getSymbol()))
      return op->emitOpError("has tapes of d")
             << grow.getSymbol() << ", which the function does not define";
    return success();
  }
  if (isa<ArgumentOp, ResultOp, ConstantOp, AtOp, ElementOp, DiffersOp, SizeOp, CheckOp,
          EndUnlessOp, SoundOp, MustPrepareOp, StagingOp>(op))
    return success();
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp, LoopOp>(op)) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(verifyBlock(block)))
          return failure();
    return success();
  }
  if (isa<scf::YieldOp, scf::ConditionOp, arith::ConstantOp, arith::AddIOp, arith::SubIOp,
          arith::MulIOp, arith::AndIOp, arith::CmpIOp, arith::SelectOp>(op))
    return success();
  return op->emitOpError("is no op of a host program");
}

} // namespace

LogicalResult ProgramOp::verifyRegions() {
  auto function =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>((*this)->getParentOp(), getFunctionAttr());
  if (!function || function.isExternal())
    return emitOpError("needs a function ") << getFunctionAttr() << " with a body";
  return ProgramVerifier(*this, function).verify();
}
