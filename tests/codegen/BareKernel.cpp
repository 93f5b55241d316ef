#include "tests/codegen/BareKernel.h"

#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/ObjectEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"

#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cstring>

using namespace keratin::codegen;
using namespace keratin::tests;
using namespace mlir;

//===-- Elements ------------------------------------------------------------------------------===//

int64_t keratin::tests::bytesOf(Dtype dtype) {
  switch (dtype) {
  case Dtype::F64:
  case Dtype::I64:
    return 8;
  case Dtype::F32:
  case Dtype::I32:
    return 4;
  case Dtype::BF16:
  case Dtype::F16:
  case Dtype::I16:
    return 2;
  case Dtype::I8:
  case Dtype::U8:
    return 1;
  }
  return 0;
}

Type keratin::tests::typeOf(Dtype dtype, MLIRContext *context) {
  switch (dtype) {
  case Dtype::F32:
    return Float32Type::get(context);
  case Dtype::F64:
    return Float64Type::get(context);
  case Dtype::BF16:
    return BFloat16Type::get(context);
  case Dtype::F16:
    return Float16Type::get(context);
  case Dtype::U8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case Dtype::I8:
  case Dtype::I16:
  case Dtype::I32:
  case Dtype::I64:
    return IntegerType::get(context, unsigned(bytesOf(dtype) * 8));
  }
  return {};
}

Dtype keratin::tests::accumulatorOf(Dtype dtype) {
  return dtype == Dtype::BF16 || dtype == Dtype::F16 ? Dtype::F32 : dtype;
}

bool keratin::tests::isFloat(Dtype dtype) { return dtype <= Dtype::F16; }

void keratin::tests::put(Dtype dtype, void *at, double value) {
  auto write = [&](auto typed) { std::memcpy(at, &typed, sizeof(typed)); };
  switch (dtype) {
  case Dtype::F32:
    return write(static_cast<float>(value));
  case Dtype::F64:
    return write(value);
  case Dtype::BF16:
    return write(static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16));
  case Dtype::F16:
    return write(static_cast<_Float16>(value));
  case Dtype::I8:
    return write(static_cast<int8_t>(value));
  case Dtype::U8:
    return write(static_cast<uint8_t>(value));
  case Dtype::I16:
    return write(static_cast<int16_t>(value));
  case Dtype::I32:
    return write(static_cast<int32_t>(value));
  case Dtype::I64:
    return write(static_cast<int64_t>(value));
  }
}

double keratin::tests::get(Dtype dtype, const void *at) {
  auto read = [&](auto typed) {
    std::memcpy(&typed, at, sizeof(typed));
    return typed;
  };
  switch (dtype) {
  case Dtype::F32:
    return read(float());
  case Dtype::F64:
    return read(double());
  case Dtype::BF16:
    return std::bit_cast<float>(static_cast<uint32_t>(read(uint16_t())) << 16);
  case Dtype::F16:
    return read(_Float16());
  case Dtype::I8:
    return read(int8_t());
  case Dtype::U8:
    return read(uint8_t());
  case Dtype::I16:
    return read(int16_t());
  case Dtype::I32:
    return read(int32_t());
  case Dtype::I64:
    return static_cast<double>(read(int64_t()));
  }
  return 0;
}

double keratin::tests::randomElement(Dtype dtype, std::mt19937 &random) {
  return isFloat(dtype) ? double(random() >> 8) * 0x1p-23 - 1 : double(random() % 21) - 10;
}

//===-- The module ----------------------------------------------------------------------------===//

DialectRegistry KernelModule::registry() {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  return registry;
}

static MachineTarget machineOf(const std::string &name) {
  if (name != KernelModule::oneLane)
    return machineByName(name);
  MachineTarget machine = hostMachine();
  machine.vectorBits = 32;
  machine.exponents = nullptr;
  return machine;
}

KernelModule::KernelModule(const std::string &machine)
    : context(registry(), MLIRContext::Threading::DISABLED), builder(&context),
      loc(builder.getUnknownLoc()), target(machineOf(machine)),
      pointer((context.loadAllAvailableDialects(), LLVM::LLVMPointerType::get(&context))),
      i64(builder.getI64Type()), index(builder.getIndexType()), module(ModuleOp::create(loc)) {}

func::FuncOp KernelModule::begin(StringRef name, TypeRange inputs, TypeRange results) {
  builder.setInsertionPointToEnd(module->getBody());
  auto function = builder.create<func::FuncOp>(loc, name, builder.getFunctionType(inputs, results));
  builder.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

std::unique_ptr<JitLibrary> KernelModule::load() {
  REQUIRE(succeeded(verify(*module)));
  REQUIRE(succeeded(lowerToLlvm(*module)));
  auto object = emitCode(*module, target);
  REQUIRE(succeeded(object));
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  objects.push_back(std::move(*object));
  std::string error;
  std::unique_ptr<JitLibrary> library = JitLibrary::load(std::move(objects), &error);
  INFO(error);
  REQUIRE(library);
  return library;
}
