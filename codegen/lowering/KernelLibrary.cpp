#include "codegen/lowering/KernelLibrary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

// From so many on, kernels that differ in numbers only are one. Nets that people write stay below.
static constexpr size_t manyAlike = 64;

// The scalar that the op is, or has in each lane, if it may come from elsewhere.
static TypedAttr numberOf(Operation *op) {
  if (!isa<arith::ConstantOp, LLVM::ConstantOp>(op))
    return {};
  Attribute value = op->getAttr("value");
  if (auto elements = dyn_cast<DenseElementsAttr>(value)) {
    auto vector = dyn_cast<VectorType>(elements.getType());
    if (!vector || vector.getRank() != 1 || !elements.isSplat())
      return {};
    value = elements.getSplatValue<Attribute>();
  }
  auto number = dyn_cast<TypedAttr>(value);
  Type type = getElementTypeOrSelf(op->getResult(0));
  // What takes room on the stack must be known.
  if (!number || number.getType() != type ||
      !(type.isF32() || type.isF64() || type.isInteger(8) || type.isInteger(16) ||
        type.isInteger(32) || type.isInteger(64)) ||
      llvm::any_of(op->getUsers(), llvm::IsaPred<LLVM::AllocaOp>))
    return {};
  return number;
}

// Names, types, attributes and the ways of values, a word each: types and attributes are unique in
// their context.
KernelLibrary::Description KernelLibrary::describe(Region &body) {
  Description result;
  Words &form = result.form;
  llvm::DenseMap<Value, uintptr_t> values;
  llvm::DenseMap<Block *, uintptr_t> blocks;
  auto add = [&](auto... words) { (form.push_back(uintptr_t(words)), ...); };
  // In the order of their first mention.
  auto numbered = [](auto &map, auto key) {
    return map.try_emplace(key, map.size()).first->second;
  };
  auto define = [&](Value value) {
    add(numbered(values, value), value.getType().getAsOpaquePointer());
  };
  body.walk<WalkOrder::PreOrder>([&](Block *block) {
    add(numbered(blocks, block), block->getNumArguments());
    llvm::for_each(block->getArguments(), define);
    for (Operation &op : *block) {
      add(op.getName().getAsOpaquePointer(), op.getNumOperands(), op.getNumResults(),
          op.getNumRegions(), op.getNumSuccessors());
      if (TypedAttr number = numberOf(&op)) {
        result.numbers.push_back(uintptr_t(number.getAsOpaquePointer()));
        result.constants.push_back(&op);
        add(0);
      } else {
        add(op.getAttrDictionary().getAsOpaquePointer());
      }
      for (Value operand : op.getOperands())
        add(numbered(values, operand));
      for (Block *successor : op.getSuccessors())
        add(numbered(blocks, successor));
      llvm::for_each(op.getResults(), define);
      for (Region &region : op.getRegions())
        add(llvm::range_size(region));
    }
  });
  return result;
}

FailureOr<KernelLibrary::Lowered> KernelLibrary::emit(Numbered numbered) {
  auto [number, kernel] = numbered;
  OpBuilder builder = OpBuilder::atBlockEnd(into.getBody());
  FailureOr<KernelFunction> made =
      lowering(kernel, builder, (prefix + ".kernel_" + Twine(number)).str());
  if (failed(made))
    return failure();
  Description description = describe(made->function.getBody());
  Family &family = families[std::move(description.form)];
  auto [member, isNew] =
      family.members.try_emplace(std::move(description.numbers), family.lists.size());
  if (isNew)
    family.lists.push_back(&member->first);
  if (isNew && family.bodies.size() < manyAlike) {
    family.bodies.push_back(made->function);
    ++functions;
  } else {
    made->function.erase();
  }
  if (member->second < family.bodies.size())
    made->function = family.bodies[member->second];
  kernels.push_back(std::move(*made));
  return Lowered{kernels.size() - 1, &family, member->second, kernel};
}

LogicalResult KernelLibrary::add(Numbered numbered) {
  ir::KernelOp kernel = numbered.second;
  Words source = describe(kernel.getBody()).form;
  auto known = sources.find(source);
  FailureOr<Lowered> made = failure();
  if (known != sources.end()) {
    made = known->second;
    kernels.push_back(KernelFunction(kernels[made->kernel]));
    made->kernel = kernels.size() - 1;
  } else if (failed(made = emit(numbered))) {
    return failure();
  }
  // A site tells of a line and a scope, which are no part of what was described.
  bool hasSite = llvm::any_of(kernels.back().arguments, [](const KernelArgument &argument) {
    return argument.kind == KernelArgument::Kind::Site;
  });
  if (known == sources.end() && !hasSite)
    sources.try_emplace(std::move(source), *made);
  made->family->users.push_back({made->kernel, made->member});
  numbers[kernel] = made->kernel;
  firsts[kernel] = made->source;
  return success();
}

static uint64_t bitsOf(Attribute number) {
  if (auto real = dyn_cast<FloatAttr>(number))
    return real.getValue().bitcastToAPInt().getZExtValue();
  return cast<IntegerAttr>(number).getValue().getZExtValue();
}

// Makes the members one function that takes the numbers in which they differ.
void KernelLibrary::unite(Family &family) {
  LLVM::LLVMFuncOp function = family.bodies.front();
  Description description = describe(function.getBody());
  std::vector<size_t> places;
  for (size_t place = 0; place < description.constants.size(); ++place)
    if (!description.constants[place]->use_empty() &&
        llvm::any_of(family.lists, [&](const Words *list) {
          return (*list)[place] != family.lists.front()->at(place);
        }))
      places.push_back(place);

  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  int32_t slot = kernels[family.users.front().first].arguments.size();
  for (size_t place : places) {
    Operation *constant = description.constants[place];
    Location loc = constant->getLoc();
    Type type = constant->getResult(0).getType();
    Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), function.getArgument(1),
                                          ArrayRef<LLVM::GEPArg>{slot++});
    Value number = b.create<LLVM::LoadOp>(loc, getElementTypeOrSelf(type), address);
    if (isa<VectorType>(type))
      number = b.create<vector::SplatOp>(loc, type, number);
    constant->getResult(0).replaceAllUsesWith(number);
  }
  for (auto [index, member] : family.users) {
    KernelFunction &kernel = kernels[index];
    kernel.function = function;
    for (size_t place : places) {
      auto number = Attribute::getFromOpaquePointer(
          reinterpret_cast<const void *>((*family.lists[member])[place]));
      kernel.arguments.push_back({.kind = KernelArgument::Kind::Number,
                                  .location = function.getLoc(),
                                  .number = bitsOf(number)});
    }
  }
  for (LLVM::LLVMFuncOp body : llvm::drop_begin(family.bodies)) {
    body.erase();
    --functions;
  }
}

LogicalResult KernelLibrary::lower(ArrayRef<Numbered> list,
                                   const std::function<LogicalResult(Location)> &before) {
  for (const Numbered &numbered : list)
    if ((before && failed(before(ir::KernelOp(numbered.second).getLoc()))) || failed(add(numbered)))
      return failure();
  for (auto &[form, family] : families)
    if (family.lists.size() >= manyAlike)
      unite(family);
  families.clear();
  sources.clear();
  return success();
}
