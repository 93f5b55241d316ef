#include "compiler/artifact/ModelData.h"

#include "runtime/core/DType.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace keratin;
using namespace keratin::compiler;
using namespace llvm;

namespace {

// Structs are laid out by LLVM's rules for the target, which are those of C.
class DataBuilder {
public:
  DataBuilder(Module &module, const std::vector<std::vector<std::string>> &entryNames)
      : module(module), context(module.getContext()), pointerType(PointerType::get(context, 0)),
        entryNames(entryNames) {}

  Constant *object(const keratin_object_desc_t &object) {
    std::vector<Constant *> variables, variants;
    for (int32_t i = 0; i < object.num_variables; ++i)
      variables.push_back(variable(object.variables[i]));
    for (int32_t i = 0; i < object.num_variants; ++i)
      variants.push_back(variant(object.variants[i], object.num_functions, entryNames[i]));
    return structure(
        {i32(object.magic), i32(object.abi_version), text(object.name), text(object.producer),
         i32(object.num_functions), i32(object.num_variables), i32(object.num_variants),
         i32(object.threads), list(variables), list(variants), optionalText(object.device),
         object.rank_numbers ? rankNumbers(*object.rank_numbers) : null(), null(), null()});
  }

  // A constant of the module with this value.
  GlobalVariable *global(Constant *value, uint64_t alignment = 8) {
    auto *variable = new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                        GlobalValue::PrivateLinkage, value, "");
    variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    variable->setAlignment(Align(alignment));
    return variable;
  }

private:
  Constant *null() { return ConstantPointerNull::get(pointerType); }
  Constant *i32(uint32_t value) { return ConstantInt::get(Type::getInt32Ty(context), value); }
  Constant *i64(uint64_t value) { return ConstantInt::get(Type::getInt64Ty(context), value); }
  static Constant *structure(ArrayRef<Constant *> fields) {
    return ConstantStruct::getAnon(fields);
  }

  // Texts, numbers and lists repeat from variant to variant: one of each will do.
  Constant *shared(Constant *value, uint64_t alignment) {
    GlobalVariable *&known = pool[value];
    if (!known)
      known = global(value, alignment);
    else if (known->getAlign()->value() <
             alignment) // a text may be equal to the data of a constant
      known->setAlignment(Align(alignment));
    return known;
  }
  Constant *text(const char *value) {
    return shared(ConstantDataArray::getString(context, value ? value : ""), 1);
  }
  Constant *optionalText(const char *value) { return value ? text(value) : null(); }
  // Of 32 or 64 bits.
  template <class T> Constant *numbers(const T *values, int64_t count) {
    if (!count)
      return null();
    using Bits = std::make_unsigned_t<T>;
    return shared(
        ConstantDataArray::get(context, ArrayRef(reinterpret_cast<const Bits *>(values), count)),
        sizeof(T));
  }
  Constant *bytes(const void *data, int64_t count) {
    if (!data)
      return null();
    return shared(ConstantDataArray::getRaw(StringRef(static_cast<const char *>(data), count),
                                            count, Type::getInt8Ty(context)),
                  KERATIN_ALIGNMENT);
  }
  Constant *list(ArrayRef<Constant *> values) {
    if (values.empty())
      return null();
    return shared(ConstantArray::get(ArrayType::get(values[0]->getType(), values.size()), values),
                  8);
  }
  template <class T, class Make> Constant *listOf(const T *values, int64_t count, Make make) {
    std::vector<Constant *> constants;
    for (int64_t i = 0; i < count; ++i)
      constants.push_back(make(values[i]));
    return list(constants);
  }

  Constant *tensor(const keratin_tensor_desc_t &tensor) {
    return structure({text(tensor.name), i32(tensor.dtype), i32(tensor.rank),
                      numbers(tensor.dims, tensor.rank), text(tensor.location),
                      tensor.capacity ? numbers(tensor.capacity, tensor.rank) : null(),
                      i64(tensor.part)});
  }

  Constant *variable(const keratin_object_variable_t &variable) {
    int64_t count = 0;
    (void)runtime::tensorBytes(variable.tensor.dtype, variable.tensor.rank, variable.tensor.dims,
                               count);
    return structure({tensor(variable.tensor), bytes(variable.initial, count),
                      variable.part ? part(*variable.part) : null(), null()});
  }

  Constant *part(const keratin_object_part_t &part) {
    return global(structure(
        {i32(part.kind), i32(part.dimension), optionalText(part.axis), i64(part.ranks), null()}));
  }

  Constant *rankNumbers(const keratin_rank_numbers_t &numbers) {
    Constant *values = listOf(numbers.numbers, numbers.num_numbers, [&](const auto &number) {
      return structure({i64(number.kind), i64(number.size), optionalText(number.axis), null()});
    });
    return global(structure({i64(numbers.num_numbers), values, null(), null()}));
  }

  Constant *partAxes(const keratin_part_axes_t &axes, const keratin_function_desc_t &function) {
    auto names = [&](const char *const *list, int32_t count) {
      return listOf(list, count, [&](const char *name) { return optionalText(name); });
    };
    Constant *further = listOf(axes.further, axes.num_further, [&](const auto &part) {
      return structure({i32(part.output), i32(part.dimension), optionalText(part.axis)});
    });
    return global(
        structure({names(axes.inputs, function.num_inputs),
                   names(axes.outputs, function.num_outputs), i64(axes.num_further), further}));
  }

  Constant *variant(const keratin_object_variant_t &variant, int32_t numFunctions,
                    ArrayRef<std::string> entries) {
    std::vector<Constant *> functions;
    for (int32_t i = 0; i < numFunctions; ++i) {
      const keratin_object_function_t &given = variant.functions[i];
      functions.push_back(structure(
          {global(function(*given.descriptor, entries[i])),
           numbers(given.variables, given.descriptor->num_variables),
           given.part_axes ? partAxes(*given.part_axes, *given.descriptor) : null(), null()}));
    }
    Constant *features = ConstantArray::get(ArrayType::get(Type::getInt64Ty(context), 2),
                                            {i64(variant.features[0]), i64(variant.features[1])});
    return structure({text(variant.cpu), features, list(functions), null(), null()});
  }

  Constant *function(const keratin_function_desc_t &f, StringRef entryName) {
    auto tensors = [&](const keratin_tensor_desc_t *list, int32_t count) {
      return listOf(list, count, [&](const auto &value) { return tensor(value); });
    };
    FunctionCallee entry = module.getOrInsertFunction(
        entryName, FunctionType::get(Type::getVoidTy(context),
                                     {pointerType, pointerType, pointerType}, false));
    cast<Function>(entry.getCallee())->setVisibility(GlobalValue::HiddenVisibility);
    return structure(
        {i32(f.abi_version),
         text(f.name),
         i32(f.num_inputs),
         i32(f.num_variables),
         i32(f.num_outputs),
         i32(f.num_updates),
         i32(f.num_constants),
         tensors(f.inputs, f.num_inputs),
         tensors(f.variables, f.num_variables),
         tensors(f.outputs, f.num_outputs),
         listOf(f.updates, f.num_updates,
                [&](const auto &u) { return structure({i32(u.variable), i32(u.in_place)}); }),
         listOf(f.constants, f.num_constants,
                [&](const auto &c) { return structure({bytes(c.data, c.bytes), i64(c.bytes)}); }),
         i64(f.num_symbols),
         listOf(f.symbols, f.num_symbols,
                [&](const auto &s) {
                  return structure({i32(s.source), i32(s.input), i64(s.index), text(s.name)});
                }),
         i64(f.num_programs),
         listOf(
             f.programs, f.num_programs,
             [&](const auto &p) { return structure({numbers(p.code, p.length), i64(p.length)}); }),
         i64(f.num_checks),
         listOf(f.checks, f.num_checks,
                [&](const auto &c) {
                  return structure(
                      {i32(c.kind), i32(c.status), i64(c.lhs), i64(c.rhs), text(c.message)});
                }),
         i64(f.num_sites),
         listOf(f.sites, f.num_sites,
                [&](const auto &s) { return structure({i32(s.status), text(s.message)}); }),
         i64(f.arena_slot),
         cast<Constant>(entry.getCallee()),
         i64(f.scratch_bytes),
         i64(f.num_kernels),
         listOf(f.kernels, f.num_kernels,
                [&](const auto &k) {
                  return structure({text(k.name), text(k.location), null(), null()});
                }),
         f.computed ? computed(*f.computed, f.num_programs) : null(),
         f.device_code ? deviceCode(*f.device_code) : null(),
         f.general ? global(function(*f.general, entryName.str() + kGeneralSuffix)) : null(),
         f.prepared ? prepared(*f.prepared) : null(),
         i64(f.num_collectives),
         f.axes ? axes(*f.axes) : null()});
  }

  Constant *prepared(const keratin_prepared_t &prepared) {
    return global(structure({i64(prepared.bytes), i64(prepared.num_variables),
                             numbers(prepared.variables, prepared.num_variables), null()}));
  }

  Constant *axes(const keratin_message_axes_t &axes) {
    Constant *names =
        listOf(axes.names, axes.num_axes, [&](const char *name) { return text(name); });
    return global(structure({i64(axes.num_axes), names, null(), null()}));
  }

  Constant *deviceCode(const keratin_device_code_t &code) {
    Constant *images = listOf(code.images, code.num_images, [&](const auto &image) {
      return structure(
          {text(image.kind), bytes(image.data, image.bytes), i64(image.bytes), null()});
    });
    Constant *kernels =
        listOf(code.kernels, code.num_kernels, [&](const char *kernel) { return text(kernel); });
    return global(structure({text(code.device), i64(code.num_images), images, i64(code.num_kernels),
                             kernels, null(), null(), null()}));
  }

  Constant *computed(const keratin_computed_sizes_t &computed, int64_t programs) {
    Constant *sizes = listOf(computed.sizes, computed.num_sizes, [&](const auto &size) {
      return structure({i64(size.bound), i32(size.status), i32(0), text(size.message)});
    });
    Constant *memories = listOf(computed.memories, computed.num_memories, [&](const auto &memory) {
      return structure({i32(memory.kind), i32(memory.size), i64(memory.slot)});
    });
    return global(
        structure({i64(computed.num_sizes), sizes, numbers(computed.program_levels, programs),
                   i64(computed.num_memories), memories, null(), null()}));
  }

  Module &module;
  LLVMContext &context;
  PointerType *pointerType;
  const std::vector<std::vector<std::string>> &entryNames;
  DenseMap<Constant *, GlobalVariable *> pool; // constants of a context are equal if the same
};

Type *resultType(Forwarder::Result result, LLVMContext &context) {
  switch (result) {
  case Forwarder::Result::Status:
    return Type::getInt32Ty(context);
  case Forwarder::Result::Nothing:
    return Type::getVoidTy(context);
  case Forwarder::Result::Device:
    return PointerType::get(context, 0);
  }
  llvm_unreachable("a result of a function of the runtime");
}

void addForwarder(Module &module, const Forwarder &forwarder, Constant *object) {
  using Kind = Forwarder::Argument::Kind;
  LLVMContext &context = module.getContext();
  auto typeOf = [&](Kind kind) -> Type * {
    switch (kind) {
    case Kind::Integer32:
    case Kind::Constant32:
      return Type::getInt32Ty(context);
    case Kind::Integer64:
      return Type::getInt64Ty(context);
    default:
      return PointerType::get(context, 0);
    }
  };
  std::vector<Type *> own, passed;
  for (const Forwarder::Argument &argument : forwarder.arguments) {
    passed.push_back(typeOf(argument.kind));
    if (argument.kind != Kind::Constant32 && argument.kind != Kind::Object)
      own.push_back(passed.back());
  }
  Type *result = resultType(forwarder.result, context);
  FunctionCallee target = module.getOrInsertFunction(
      forwarder.target, FunctionType::get(result, passed, /*isVarArg=*/false));
  auto *function = Function::Create(FunctionType::get(result, own, /*isVarArg=*/false),
                                    GlobalValue::ExternalLinkage, forwarder.name, module);
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  PointerType *pointer = PointerType::get(context, 0);
  FunctionCallee ownState =
      module.getOrInsertFunction("keratin_state_of", pointer, pointer, pointer);
  std::vector<Value *> values;
  unsigned next = 0;
  for (const Forwarder::Argument &argument : forwarder.arguments) {
    values.push_back(argument.kind == Kind::Constant32 ? builder.getInt32(uint32_t(argument.value))
                     : argument.kind == Kind::Object   ? static_cast<Value *>(object)
                                                       : function->getArg(next++));
    if (argument.kind == Kind::State)
      values.back() = builder.CreateCall(ownState, {object, values.back()});
  }
  CallInst *call = builder.CreateCall(target, values);
  call->setTailCall();
  if (result->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

void addText(Module &module, const ExportedText &text) {
  Constant *value = ConstantDataArray::getString(module.getContext(), text.text);
  auto *variable = new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                      GlobalValue::ExternalLinkage, value, text.names.front());
  for (const std::string &name : ArrayRef(text.names).drop_front())
    GlobalAlias::create(GlobalValue::ExternalLinkage, name, variable);
}

} // namespace

codegen::LlvmCode compiler::makeModelData(const keratin_object_desc_t &object,
                                          const std::vector<std::vector<std::string>> &entryNames,
                                          const std::string &queryName,
                                          const std::vector<Forwarder> &forwarders,
                                          const std::vector<ExportedText> &texts,
                                          const codegen::LlvmTarget &target) {
  codegen::LlvmCode code;
  code.context = std::make_unique<LLVMContext>();
  code.module = std::make_unique<Module>("keratin", *code.context);
  std::string error;
  std::unique_ptr<TargetMachine> machine = codegen::createTargetMachine(target, &error);
  code.module->setTargetTriple(target.triple);
  code.module->setDataLayout(machine->createDataLayout());
  DataBuilder data(*code.module, entryNames);
  GlobalVariable *descriptor = data.global(data.object(object));
  auto *query =
      Function::Create(FunctionType::get(PointerType::get(*code.context, 0), /*isVarArg=*/false),
                       GlobalValue::ExternalLinkage, queryName, *code.module);
  IRBuilder<>(BasicBlock::Create(*code.context, "", query)).CreateRet(descriptor);
  for (const Forwarder &forwarder : forwarders)
    addForwarder(*code.module, forwarder, descriptor);
  for (const ExportedText &text : texts)
    addText(*code.module, text);
  return code;
}
