// What compiling costs, by hand: compile_bench [file.mlir] [function] [repetitions] [threads].
// Compiles each function of the file again and again in one process and prints, in milliseconds of
// processor time, the first compilation, and the stages of the fastest one.
#include "compiler/driver/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace mlir;
using namespace keratin;

namespace {

struct Measured {
  compiler::CompileReport report;
  double total = 0; // of all stages
};

Measured compileOnce(func::FuncOp function, const compiler::CompileOptions &options) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  OpBuilder::atBlockEnd(module->getBody()).clone(*function);
  auto compiled = compiler::compile(*module, options);
  if (!compiled.ok()) {
    std::fprintf(stderr, "compile_bench: %s: %s\n", function.getName().str().c_str(),
                 std::string(compiled.status().message()).c_str());
    std::exit(1);
  }
  Measured measured{(*compiled)->report()};
  for (const auto &stage : measured.report.stages)
    measured.total += stage.milliseconds;
  return measured;
}

} // namespace

int main(int argc, char **argv) {
  std::string path = argc > 1 ? argv[1] : "benchmarks/functions/typical.mlir";
  std::string only = argc > 2 ? argv[2] : "";
  int repetitions = argc > 3 ? std::atoi(argv[3]) : 10;
  compiler::CompileOptions options;
  options.threads = argc > 4 ? std::atoi(argv[4]) : 1;
  options.reuse = false;
  DialectRegistry registry;
  compiler::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceFile<ModuleOp>(path, &context);
  if (!module)
    return 1;
  for (auto function : module->getOps<func::FuncOp>()) {
    if (!only.empty() && function.getName() != only)
      continue;
    Measured first = compileOnce(function, options), best = first;
    double wall = first.report.milliseconds;
    for (int i = 0; i < repetitions; ++i) {
      Measured again = compileOnce(function, options);
      wall = std::min(wall, again.report.milliseconds);
      if (again.total < best.total)
        best = again;
    }
    std::printf("%-12s %2lld kernels, %2lld unique; first %6.2f, then %6.2f (wall %6.2f):",
                function.getName().str().c_str(), static_cast<long long>(best.report.kernels),
                static_cast<long long>(best.report.uniqueKernels), first.total, best.total, wall);
    for (const auto &stage : best.report.stages)
      std::printf(" %s %.2f", stage.name, stage.milliseconds);
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}
