#include "codegen/lowering/EntryFunction.h"

#include "ir/dialect/SourceLine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OperationSupport.h"

#include "llvm/ADT/StringExtras.h"

#include <unordered_map>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

// Elementary operations from which on handing chunks to threads pays (a fork and join costs about
// as much as 4 us of work).
static constexpr int64_t parallelWork = 1 << 18;

int64_t EntryDescription::slotOf(const DimExpr &size) {
  if (size.isSymbol()) {
    auto found = llvm::find(symbols, size.symbolId());
    if (found != symbols.end())
      return found - symbols.begin();
  }
  auto found = llvm::find(sizes, size);
  if (found == sizes.end()) {
    sizes.push_back(size);
    return int64_t(symbols.size() + sizes.size()) - 1;
  }
  return int64_t(symbols.size()) + (found - sizes.begin());
}

namespace {

// Kernels that are equal but for the numbers and pointers they are called with become one.
class KernelLibrary {
public:
  KernelLibrary(ModuleOp into, StringRef prefix, const MachineTarget &target)
      : into(into), prefix(prefix), target(target) {}

  FailureOr<KernelFunction> get(ir::KernelOp kernel) {
    OpBuilder builder = OpBuilder::atBlockEnd(into.getBody());
    FailureOr<KernelFunction> lowered =
        lowerKernel(kernel, builder, (prefix + "_kernel_" + Twine(known.size())).str(), target);
    if (failed(lowered))
      return failure();
    auto &candidates = byHash[hash(lowered->function)];
    for (LLVM::LLVMFuncOp other : candidates)
      if (OperationEquivalence::isRegionEquivalentTo(&other.getBody(), &lowered->function.getBody(),
                                                     OperationEquivalence::IgnoreLocations)) {
        lowered->function.erase();
        lowered->function = other;
        return lowered;
      }
    candidates.push_back(lowered->function);
    known.push_back(lowered->function);
    return lowered;
  }

  size_t size() const { return known.size(); }

private:
  static size_t hash(LLVM::LLVMFuncOp function) {
    llvm::hash_code code = 0;
    function.getBody().walk([&](Operation *op) {
      code = llvm::hash_combine(code, op->getName().getAsOpaquePointer(), op->getNumOperands(),
                                op->getNumResults());
    });
    return code;
  }

  ModuleOp into;
  std::string prefix;
  const MachineTarget &target;
  std::vector<LLVM::LLVMFuncOp> known;
  std::unordered_map<size_t, std::vector<LLVM::LLVMFuncOp>> byHash;
};

class EntryBuilder {
public:
  EntryBuilder(func::FuncOp source, ModuleOp into, StringRef name, const MachineTarget &target,
               EntryDescription &description)
      : source(source), name(name), library(into, name, target), description(description),
        b(into.getContext()), loc(source.getLoc()) {
    b.setInsertionPointToEnd(into.getBody());
    pointer = LLVM::LLVMPointerType::get(b.getContext());
  }

  LogicalResult run();

private:
  Value i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }
  Value sizeOf(const DimExpr &size);
  Value bufferAt(int64_t number);
  FailureOr<Value> pointerOf(Value value);
  LogicalResult numberBuffers();
  LogicalResult call(ir::KernelOp op);
  void leaveIfFailed();
  void tellProfile(int64_t kernel, bool end);
  Value contextField(size_t offset, Type type);

  func::FuncOp source;
  std::string name;
  KernelLibrary library;
  EntryDescription &description;
  OpBuilder b;
  Location loc;
  Type pointer;
  Value context, buffers, sizes, argv;
  Block *exit = nullptr;
  llvm::DenseMap<Value, Value> pointers;
  SmallVector<int64_t> resultBuffers; // buffer of each result of the function
  llvm::DenseMap<Value, int64_t> constantBuffers;
  int64_t arenaBuffer = 0;
  std::vector<DimExpr> offsets;
  SmallVector<bool> isInPlaceResult;
  bool mayHaveFailed = false;
};

Value EntryBuilder::sizeOf(const DimExpr &size) {
  if (size.isConstant())
    return i64(size.constantValue());
  Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), sizes,
                                        ArrayRef<LLVM::GEPArg>{int32_t(description.slotOf(size))});
  return b.create<LLVM::LoadOp>(loc, b.getI64Type(), address);
}

Value EntryBuilder::bufferAt(int64_t number) {
  Value address = b.create<LLVM::GEPOp>(loc, pointer, pointer, buffers,
                                        ArrayRef<LLVM::GEPArg>{int32_t(number)});
  return b.create<LLVM::LoadOp>(loc, pointer, address);
}

Value EntryBuilder::contextField(size_t offset, Type type) {
  Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI8Type(), context,
                                        ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  return b.create<LLVM::LoadOp>(loc, type, address);
}

// The order of keratin_entry_fn_t: inputs, variables, outputs, new values of updates that are not
// in place, constants, arena.
LogicalResult EntryBuilder::numberBuffers() {
  SmallVector<int64_t> variables;
  for (unsigned i = 0; i < source.getNumArguments(); ++i)
    if (auto kind = source.getArgAttrOfType<StringAttr>(i, "keratin.kind");
        kind && kind.getValue() == "variable")
      variables.push_back(i);
  auto inPlace = source->getAttrOfType<DenseI64ArrayAttr>("keratin.in_place");
  int64_t next = source.getNumArguments(), update = 0;
  for (unsigned i = 0; i < source.getNumResults(); ++i) {
    auto kind = source.getResultAttrOfType<StringAttr>(i, "keratin.kind");
    bool direct = false;
    if (kind && kind.getValue() == "update") {
      direct = inPlace && update < int64_t(inPlace.size()) && inPlace[update];
      ++update;
    }
    isInPlaceResult.push_back(direct);
    if (direct) {
      int64_t variable = source.getResultAttrOfType<IntegerAttr>(i, "keratin.variable").getInt();
      resultBuffers.push_back(variables[variable]);
    } else {
      resultBuffers.push_back(next++);
    }
  }
  for (auto constant : source.getOps<ir::ConstantOp>()) {
    constantBuffers[constant.getY()] = next++;
    description.constants.push_back(constant.getY());
  }
  arenaBuffer = next;
  if (auto attribute = source->getAttrOfType<ir::DimsAttr>("keratin.offsets"))
    offsets = attribute.getDims();
  return success();
}

FailureOr<Value> EntryBuilder::pointerOf(Value value) {
  // Views are where their operand is.
  while (auto reshape = value.getDefiningOp<ir::ReshapeOp>())
    value = reshape.getX();
  if (Value known = pointers.lookup(value))
    return known;
  Value result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = bufferAt(argument.getArgNumber());
  } else if (auto found = constantBuffers.find(value); found != constantBuffers.end()) {
    result = bufferAt(found->second);
  } else if (auto kernel = value.getDefiningOp<ir::KernelOp>()) {
    auto codes = kernel->getAttrOfType<DenseI64ArrayAttr>("keratin.results");
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (!codes || number >= codes.size())
      return kernel.emitError("has no place in memory: keratin-plan-memory must run first"),
             failure();
    int64_t code = codes[number];
    if (code < 0) {
      result = bufferAt(resultBuffers[-1 - code]);
    } else {
      Value arena = bufferAt(arenaBuffer);
      result = b.create<LLVM::GEPOp>(loc, pointer, b.getI8Type(), arena,
                                     ArrayRef<LLVM::GEPArg>{sizeOf(offsets[code])});
    }
  } else {
    return emitError(value.getLoc(), "not implemented: a value made outside a kernel"), failure();
  }
  pointers[value] = result;
  return result;
}

void EntryBuilder::leaveIfFailed() {
  Value failed = contextField(offsetof(keratin_context_t, failed_site), b.getI32Type());
  Value zero = b.create<arith::ConstantIntOp>(loc, 0, 32);
  Value bad = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, failed, zero);
  Block *next = b.getInsertionBlock()->splitBlock(b.getInsertionPoint());
  b.setInsertionPointToEnd(next->getPrevNode());
  b.create<cf::CondBranchOp>(loc, bad, exit, next);
  b.setInsertionPointToStart(next);
  mayHaveFailed = false;
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
  b.create<LLVM::CallOp>(loc, type, ValueRange{hook, context, number, isEnd});
}

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

LogicalResult EntryBuilder::call(ir::KernelOp op) {
  loc = op.getLoc();
  FailureOr<KernelFunction> kernel = library.get(op);
  if (failed(kernel))
    return failure();
  ++description.kernels;
  description.kernelFunctions.push_back(kernel->function.getSymName().str());
  description.scratchBytes = std::max(description.scratchBytes, kernel->scratchBytes);
  auto codes = op->getAttrOfType<DenseI64ArrayAttr>("keratin.results");
  if (mayHaveFailed && codes && llvm::any_of(codes.asArrayRef(), [&](int64_t code) {
        return code < 0 && isInPlaceResult[-1 - code];
      }))
    leaveIfFailed();

  SmallVector<Value> values;
  for (KernelArgument &argument : kernel->arguments) {
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
      values.push_back(sizeOf(argument.size));
      break;
    case KernelArgument::Kind::Site:
      values.push_back(i64(int64_t(description.sites.size())));
      description.sites.push_back(argument);
      mayHaveFailed = true;
      break;
    }
  }
  for (auto [slot, value] : llvm::enumerate(values)) {
    Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), argv,
                                          ArrayRef<LLVM::GEPArg>{int32_t(slot)});
    b.create<LLVM::StoreOp>(loc, value, address);
  }
  Value units = kernel->countUnits
                    ? kernel->countUnits(b, loc, [&](const DimExpr &size) { return sizeOf(size); })
                    : sizeOf(kernel->units);
  int64_t number = description.kernels - 1;
  if (description.profile) {
    description.profiled.push_back(profiledKernel(op));
    tellProfile(number, /*end=*/false);
  }
  auto direct = [&] {
    b.create<LLVM::CallOp>(loc, kernel->function, ValueRange{context, argv, i64(0), units});
  };
  auto shared = [&] {
    Value target = b.create<LLVM::AddressOfOp>(loc, pointer, kernel->function.getSymName());
    Value parallelFor = contextField(offsetof(keratin_context_t, parallel_for), pointer);
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    {pointer, pointer, pointer, b.getI64Type(), b.getI64Type()});
    b.create<LLVM::CallOp>(
        loc, type, ValueRange{parallelFor, context, target, argv, units, sizeOf(kernel->grain)});
  };
  bool several =
      kernel->countUnits || !kernel->units.isConstant() || kernel->units.constantValue() > 1;
  if (!several || (kernel->work.isConstant() && kernel->work.constantValue() < parallelWork)) {
    direct();
  } else if (kernel->work.isConstant()) {
    shared();
  } else {
    Value large = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, sizeOf(kernel->work),
                                          i64(parallelWork));
    auto branch = b.create<scf::IfOp>(loc, large, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    shared();
    b.setInsertionPointToStart(branch.elseBlock());
    direct();
  }
  if (description.profile)
    tellProfile(number, /*end=*/true);
  return success();
}

LogicalResult EntryBuilder::run() {
  if (failed(numberBuffers()))
    return failure();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, pointer, pointer});
  auto entry = b.create<LLVM::LLVMFuncOp>(loc, name, type);
  // Straight code that runs once a call: the fast instruction selector does.
  entry.setNoInline(true);
  entry.setOptimizeNone(true);
  Block *block = entry.addEntryBlock(b);
  exit = b.createBlock(&entry.getBody());
  b.create<LLVM::ReturnOp>(loc, ValueRange{});
  context = block->getArgument(0);
  buffers = block->getArgument(1);
  sizes = block->getArgument(2);
  b.setInsertionPointToEnd(block);
  Value one = i64(1);
  // Grown below to the longest argument list.
  auto slots =
      b.create<LLVM::AllocaOp>(loc, pointer, LLVM::LLVMArrayType::get(b.getI64Type(), 1), one, 8);
  argv = slots;
  auto jump = b.create<cf::BranchOp>(loc, exit);
  b.setInsertionPoint(jump);
  size_t longest = 1;
  for (Operation &op : source.getBody().front()) {
    if (auto kernel = dyn_cast<ir::KernelOp>(op)) {
      if (failed(call(kernel)))
        return failure();
    } else if (!isa<ir::ReshapeOp, ir::ConstantOp, func::ReturnOp>(op)) {
      return op.emitError("not implemented: ") << op.getName() << " outside a kernel";
    }
  }
  entry.walk([&](LLVM::StoreOp store) {
    if (auto gep = store.getAddr().getDefiningOp<LLVM::GEPOp>())
      longest = std::max<size_t>(longest, size_t(gep.getRawConstantIndices().back()) + 1);
  });
  slots.setElemType(LLVM::LLVMArrayType::get(b.getI64Type(), longest));
  // The exit stands last.
  exit->moveBefore(&entry.getBody(), entry.getBody().end());
  description.uniqueKernels = library.size();
  return success();
}

} // namespace

LogicalResult keratin::codegen::lowerFunction(func::FuncOp function, ModuleOp into, StringRef name,
                                              const MachineTarget &target,
                                              EntryDescription &description) {
  return EntryBuilder(function, into, name, target, description).run();
}
