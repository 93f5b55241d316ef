// What tests of kernels without a graph around them share: elements of all dtypes, and a module
// that is compiled and loaded.
#ifndef KERATIN_TESTS_CODEGEN_BAREKERNEL_H
#define KERATIN_TESTS_CODEGEN_BAREKERNEL_H

#include "codegen/cpu/MachineTarget.h"
#include "codegen/llvm/JitLibrary.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>

namespace keratin::tests {

enum class Dtype { F32, F64, BF16, F16, I8, U8, I16, I32, I64 };

int64_t bytesOf(Dtype dtype);
mlir::Type typeOf(Dtype dtype, mlir::MLIRContext *context);
Dtype accumulatorOf(Dtype dtype);
bool isFloat(Dtype dtype);

// An element in memory, as double.
void put(Dtype dtype, void *at, double value);
double get(Dtype dtype, const void *at);
// In [-1, 1), or of -10 to 10: products and their sums are exact enough in double.
double randomElement(Dtype dtype, std::mt19937 &random);

// Functions on their way to machine code.
class KernelModule {
public:
  // By its name, or `oneLane`: ours with vectors of one element, whatever its type.
  explicit KernelModule(const std::string &machine);
  static constexpr const char *oneLane = "one lane";

  // The builder stands at the beginning of the new function.
  mlir::func::FuncOp begin(llvm::StringRef name, mlir::TypeRange inputs, mlir::TypeRange results);
  // FAILs the test if the module does not verify, lower or link.
  std::unique_ptr<codegen::JitLibrary> load();

private:
  static mlir::DialectRegistry registry();

public:
  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::Location loc;
  const codegen::MachineTarget target;
  const mlir::Type pointer, i64, index;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_CODEGEN_BAREKERNEL_H
