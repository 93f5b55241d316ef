#include "compiler/freestanding/CallCode.h"

#include "codegen/llvm/ModulePasses.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "codegen/lowering/KernelFunction.h"
#include "ir/dialect/SiteMessage.h"
#include "ir/dialect/TensorShape.h"
#include "runtime/abi/keratin_abi.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace keratin;
using namespace keratin::compiler;
using namespace llvm;

namespace {

class CallBuilder {
public:
  CallBuilder(Module &module, const std::string &model, const ir::SavedGraph &graph,
              const ModelLayout &layout, const codegen::LlvmTarget &target)
      : module(module), model(model), graph(graph), layout(layout), target(target),
        b(module.getContext()), pointer(PointerType::get(module.getContext(), 0)),
        variables(graph.variables.size()) {}

  void addFail();
  void addFunction(const FreestandingFunction &function);
  void addMessages(const FreestandingFunction &function);
  void addStateInit();

private:
  Function *begin(const Twine &name, Type *result, ArrayRef<Type *> parameters,
                  GlobalValue::LinkageTypes linkage) {
    Function *function = module.getFunction(name.str());
    if (!function)
      function = Function::Create(FunctionType::get(result, parameters, /*isVarArg=*/false),
                                  linkage, name, module);
    function->setLinkage(linkage);
    codegen::setAttributes(*function, target);
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
    return function;
  }

  // Goes on in a new block; returns `result` before it where the condition holds.
  void returnIf(Value *condition, Value *result) {
    Function *function = b.GetInsertBlock()->getParent();
    BasicBlock *leaves = BasicBlock::Create(module.getContext(), "", function);
    BasicBlock *goesOn = BasicBlock::Create(module.getContext(), "", function);
    b.CreateCondBr(condition, leaves, goesOn);
    b.SetInsertPoint(leaves);
    b.CreateRet(result);
    b.SetInsertPoint(goesOn);
  }

  // In the entry block, where its place is known.
  AllocaInst *memoryOf(Type *type) {
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    return new AllocaInst(type, 0, nullptr, Align(8), "", entry.begin());
  }

  Value *at(Value *base, int64_t offset) {
    return offset == 0 ? base : b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, uint64_t(offset));
  }

  Constant *constant(const void *data, int64_t count, int32_t dtype);
  Value *variable(int32_t number, Value *state);
  // A function that copies so many words of eight bytes, or bytes; from null: zeros.
  Function *copy(bool isOfWords);
  void copyBytes(Value *to, Value *from, int64_t count);

  Module &module;
  const std::string &model;
  const ir::SavedGraph &graph;
  const ModelLayout &layout;
  const codegen::LlvmTarget &target;
  IRBuilder<> b;
  PointerType *pointer;
  std::vector<Constant *> variables; // those that are constants, once somebody has used them
  Function *copies[2] = {nullptr, nullptr};
};

} // namespace

// The lowest site counts, as in a call of the runtime's.
void CallBuilder::addFail() {
  Function *function = begin(codegen::kFailFunction, b.getVoidTy(), {pointer, b.getInt32Ty()},
                             GlobalValue::InternalLinkage);
  Value *place = at(function->getArg(0), offsetof(keratin_context_t, failed_site));
  Value *known = b.CreateLoad(b.getInt32Ty(), place);
  Value *site = function->getArg(1);
  Value *isFirst = b.CreateICmpULT(site, b.CreateSub(known, b.getInt32(1)));
  b.CreateStore(b.CreateSelect(isFirst, b.CreateAdd(site, b.getInt32(1)), known), place);
  b.CreateRetVoid();
}

// Elements by their type: whoever prints the code need not know how bytes are ordered.
static Type *elementType(LLVMContext &context, int32_t dtype) {
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT32:
    return Type::getFloatTy(context);
  case KERATIN_DTYPE_FLOAT64:
    return Type::getDoubleTy(context);
  default:
    return Type::getIntNTy(context, unsigned(8 * ir::dtypeBytes(keratin_dtype_t(dtype))));
  }
}

Constant *CallBuilder::constant(const void *data, int64_t count, int32_t dtype) {
  Type *type = elementType(module.getContext(), dtype);
  const int64_t width = ir::dtypeBytes(keratin_dtype_t(dtype));
  Constant *value = ConstantDataArray::getRaw(
      StringRef(static_cast<const char *>(data), size_t(count)), uint64_t(count / width), type);
  auto *global = new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                    GlobalValue::InternalLinkage, value, "keratin.constant");
  global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  global->setAlignment(Align(uint64_t(layout.alignment())));
  return global;
}

Value *CallBuilder::variable(int32_t number, Value *state) {
  if (std::optional<int64_t> offset = layout.stateOffset(number))
    return at(state, *offset);
  Constant *&known = variables[size_t(number)];
  const ir::SavedVariable &saved = graph.variables[size_t(number)];
  if (!known)
    known = constant(saved.bytes.data(), int64_t(saved.bytes.size()), saved.dtype);
  return known;
}

Function *CallBuilder::copy(bool isOfWords) {
  Function *&known = copies[isOfWords];
  if (known)
    return known;
  IRBuilderBase::InsertPointGuard guard(b);
  Type *unit = isOfWords ? b.getInt64Ty() : b.getInt8Ty();
  known = begin(isOfWords ? "keratin.copy_words" : "keratin.copy_bytes", b.getVoidTy(),
                {pointer, pointer, b.getInt64Ty()}, GlobalValue::InternalLinkage);
  known->addFnAttr(Attribute::NoInline);
  BasicBlock *entry = b.GetInsertBlock();
  BasicBlock *test = BasicBlock::Create(module.getContext(), "", known);
  BasicBlock *body = BasicBlock::Create(module.getContext(), "", known);
  BasicBlock *end = BasicBlock::Create(module.getContext(), "", known);
  b.CreateBr(test);
  b.SetInsertPoint(test);
  PHINode *i = b.CreatePHI(b.getInt64Ty(), 2);
  b.CreateCondBr(b.CreateICmpULT(i, known->getArg(2)), body, end);
  b.SetInsertPoint(body);
  Value *read = b.CreateLoad(unit, b.CreateGEP(unit, known->getArg(1), i));
  b.CreateStore(read, b.CreateGEP(unit, known->getArg(0), i));
  i->addIncoming(b.getInt64(0), entry);
  i->addIncoming(b.CreateAdd(i, b.getInt64(1)), body);
  b.CreateBr(test);
  b.SetInsertPoint(end);
  b.CreateRetVoid();
  return known;
}

// Both begin at a multiple of the alignment, and have room up to the next one.
void CallBuilder::copyBytes(Value *to, Value *from, int64_t count) {
  b.CreateCall(copy(/*isOfWords=*/true), {to, from, b.getInt64(uint64_t(count + 7) / 8)});
}

void CallBuilder::addFunction(const FreestandingFunction &function) {
  const keratin_function_desc_t &f = function.descriptor();
  const ModelLayout::Workspace workspace = layout.workspaceOf(function);
  const bool usesState = layout.usesState(function);
  SmallVector<Type *> parameters(size_t(usesState + f.num_inputs + f.num_outputs + 1), pointer);
  Function *call =
      begin(model + "_" + function.name, b.getInt32Ty(), parameters, GlobalValue::ExternalLinkage);
  Argument *next = call->arg_begin();
  Value *state = usesState ? next++ : nullptr;
  Argument *inputs = next, *outputs = inputs + f.num_inputs;
  Value *memory = outputs + f.num_outputs;

  IntegerType *address = module.getDataLayout().getIntPtrType(module.getContext());
  Value *bits = b.CreatePtrToInt(memory, address);
  if (state)
    bits = b.CreateOr(bits, b.CreatePtrToInt(state, address));
  bits = b.CreateAnd(bits, ConstantInt::get(address, uint64_t(layout.alignment() - 1)));
  returnIf(b.CreateICmpNE(bits, ConstantInt::get(address, 0)), b.getInt32(uint32_t(kMisaligned)));

  // The context of the call (keratin_context_t): there is one thread, and nobody else to call.
  Type *words = ArrayType::get(b.getInt64Ty(), sizeof(keratin_context_t) / 8);
  AllocaInst *context = memoryOf(words);
  for (size_t offset = 0; offset < sizeof(keratin_context_t); offset += 8)
    b.CreateStore(b.getInt64(0), at(context, int64_t(offset)));
  b.CreateStore(b.getInt32(KERATIN_ABI_VERSION),
                at(context, offsetof(keratin_context_t, abi_version)));
  b.CreateStore(at(memory, workspace.scratch), at(context, offsetof(keratin_context_t, scratch)));

  // As keratin_entry_fn_t orders them.
  SmallVector<Value *> buffers;
  for (int32_t i = 0; i < f.num_inputs; ++i)
    buffers.push_back(inputs + i);
  for (int32_t number : function.variables)
    buffers.push_back(variable(number, state));
  for (int32_t i = 0; i < f.num_outputs; ++i)
    buffers.push_back(outputs + i);
  for (const std::optional<int64_t> &offset : workspace.updates)
    if (offset)
      buffers.push_back(at(memory, *offset));
  for (auto [data, dtype] :
       llvm::zip(ArrayRef(f.constants, size_t(f.num_constants)), function.constantTypes))
    buffers.push_back(data.bytes == 0 ? memory : constant(data.data, data.bytes, dtype));
  buffers.push_back(memory);
  AllocaInst *list = memoryOf(ArrayType::get(pointer, buffers.size()));
  for (auto [i, buffer] : llvm::enumerate(buffers))
    b.CreateStore(buffer, b.CreateConstInBoundsGEP1_64(pointer, list, i));
  b.CreateCall(module.getFunction(function.entryName),
               {context, list, ConstantPointerNull::get(pointer)});

  Value *failed =
      b.CreateLoad(b.getInt32Ty(), at(context, offsetof(keratin_context_t, failed_site)));
  returnIf(b.CreateICmpNE(failed, b.getInt32(0)), failed);
  for (auto [i, offset] : llvm::enumerate(workspace.updates))
    if (offset) {
      const int32_t number = function.variables[size_t(f.updates[i].variable)];
      copyBytes(variable(number, state), at(memory, *offset), layout.variableBytes(number));
    }
  b.CreateRet(b.getInt32(0));
}

void CallBuilder::addMessages(const FreestandingFunction &function) {
  const keratin_function_desc_t &f = function.descriptor();
  Function *messages = begin(model + "_" + function.name + "_message", pointer, {b.getInt32Ty()},
                             GlobalValue::ExternalLinkage);
  auto text = [&](const std::string &value) {
    Constant *data = ConstantDataArray::getString(module.getContext(), value);
    auto *global = new GlobalVariable(module, data->getType(), /*isConstant=*/true,
                                      GlobalValue::InternalLinkage, data, "keratin.text");
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return global;
  };
  auto *success = BasicBlock::Create(module.getContext(), "", messages);
  SwitchInst *choice = b.CreateSwitch(messages->getArg(0), success);
  auto add = [&](int32_t result, const std::string &message) {
    auto *block = BasicBlock::Create(module.getContext(), "", messages);
    choice->addCase(b.getInt32(uint32_t(result)), block);
    b.SetInsertPoint(block);
    b.CreateRet(text(message));
  };
  add(kMisaligned, "function '" + std::string(f.name) +
                       "': the memory that is given does not begin at a multiple of " +
                       std::to_string(layout.alignment()) + " bytes");
  const auto said = [&](int64_t site) {
    return "function '" + std::string(f.name) + "': " + ir::tellNone(f.sites[site].message);
  };
  BasicBlock *others = success;
  for (int64_t i = 0, first = 1; i < f.num_sites; ++i) {
    const int64_t numbers = ir::toldElements(f.sites[i].message);
    if (numbers == 1) {
      add(int32_t(first), said(i));
    } else {
      b.SetInsertPoint(others);
      Value *element = b.CreateSub(messages->getArg(0), b.getInt32(uint32_t(first)));
      returnIf(b.CreateICmpULT(element, b.getInt32(uint32_t(numbers))), text(said(i)));
      others = b.GetInsertBlock();
    }
    first += numbers;
  }
  b.SetInsertPoint(others);
  b.CreateRet(text(""));
}

void CallBuilder::addStateInit() {
  Function *init =
      begin(model + "_state_init", b.getInt32Ty(), {pointer}, GlobalValue::ExternalLinkage);
  Value *state = init->getArg(0);
  IntegerType *address = module.getDataLayout().getIntPtrType(module.getContext());
  Value *bits = b.CreateAnd(b.CreatePtrToInt(state, address),
                            ConstantInt::get(address, uint64_t(layout.alignment() - 1)));
  returnIf(b.CreateICmpNE(bits, ConstantInt::get(address, 0)), b.getInt32(uint32_t(kMisaligned)));
  for (auto [number, saved] : llvm::enumerate(graph.variables)) {
    std::optional<int64_t> offset = layout.stateOffset(int32_t(number));
    if (!offset || saved.bytes.empty())
      continue;
    const int64_t bytes = int64_t(saved.bytes.size());
    b.CreateCall(copy(/*isOfWords=*/false),
                 {at(state, *offset), constant(saved.bytes.data(), bytes, saved.dtype),
                  b.getInt64(uint64_t(bytes))});
  }
  b.CreateRet(b.getInt32(0));
}

void compiler::addCalls(Module &module, const std::string &model, const ir::SavedGraph &graph,
                        const std::vector<FreestandingFunction> &functions,
                        const ModelLayout &layout, const codegen::LlvmTarget &target) {
  for (Function &function : module)
    if (!function.isDeclaration()) {
      function.setLinkage(GlobalValue::InternalLinkage);
      // Entry functions run once a call, but here the smallest code is wanted.
      function.removeFnAttr(Attribute::OptimizeNone);
      function.removeFnAttr(Attribute::NoInline);
    }
  for (GlobalVariable &global : module.globals())
    global.setLinkage(GlobalValue::InternalLinkage);
  CallBuilder builder(module, model, graph, layout, target);
  builder.addFail();
  for (const FreestandingFunction &function : functions) {
    builder.addFunction(function);
    builder.addMessages(function);
  }
  if (layout.stateBytes() > 0)
    builder.addStateInit();
  ModulePassManager passes;
  passes.addPass(GlobalDCEPass());
  codegen::runPasses(module, passes);
}
