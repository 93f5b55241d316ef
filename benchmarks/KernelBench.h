// What the benchmarks of single generated kernels share: compiling a module, the FMA peak of the
// machine, timing on one thread.
#ifndef KERATIN_BENCHMARKS_KERNELBENCH_H
#define KERATIN_BENCHMARKS_KERNELBENCH_H

#include "codegen/cpu/MachineTarget.h"
#include "codegen/llvm/JitLibrary.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace keratin::benchmarks {

// Time of this thread alone, so that a busy neighbour disturbs less.
double seconds();

struct BuiltModule {
  std::unique_ptr<codegen::JitLibrary> library;
  int64_t scratchBytes = 0;
  size_t objectBytes = 0;
  double mlirMs = 0, llvmMs = 0;
};

class KernelCompiler {
public:
  explicit KernelCompiler(const codegen::MachineTarget &target);

  // Compiles and loads; `start` is when building the module began. Ends the process on failure.
  BuiltModule finish(mlir::ModuleOp module, double start);
  // GFLOP/s of independent multiply-adds in registers, measured now.
  double measurePeak();

protected:
  codegen::MachineTarget target;
  std::unique_ptr<mlir::MLIRContext> context;

private:
  BuiltModule buildPeak();
  int64_t sumsOfPeak() const { return target.vectorRegisters * 3 / 4; }
  BuiltModule peak;
};

// On whole huge pages, as the arena has.
std::unique_ptr<float, decltype(&std::free)> randomArray(int64_t elements);

template <typename Body> double fastest(Body body, int rounds = 60) {
  body();
  double once = seconds();
  body();
  once = seconds() - once;
  int repeat = std::max(1, static_cast<int>(0.002 / std::max(once, 1e-7)));
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    double start = seconds();
    for (int i = 0; i < repeat; ++i)
      body();
    best = std::min(best, (seconds() - start) / repeat);
  }
  return best;
}

} // namespace keratin::benchmarks

#endif // KERATIN_BENCHMARKS_KERNELBENCH_H
