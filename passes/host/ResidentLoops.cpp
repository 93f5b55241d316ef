// Which loops a device does by itself.
#include "ir/interfaces/OpCost.h"
#include "passes/host/ProgramBuilder.h"

using namespace keratin;
using namespace mlir;
using ir::DimExpr;

// What a size counts as that nobody knows yet.
static constexpr int64_t unknownSize = 32;
// Kernels of a resident loop at most: they become one function, and compilers take more than twice
// as long for twice as many.
static constexpr int64_t mostLaunches = 64;

namespace {

class ResidentLoops {
public:
  ResidentLoops(func::FuncOp function, int64_t mostWork)
      : kernels(host::numberedOpsOf(function).kernels), mostWork(mostWork) {}

  void markIn(Operation *op) {
    op->walk<WalkOrder::PreOrder>([&](host::LoopOp loop) {
      if (!needsNoHost(loop) || !isShort(loop))
        return WalkResult::advance();
      loop.setResident(true);
      return WalkResult::skip();
    });
  }

private:
  static bool needsNoHost(host::LoopOp loop) {
    return !loop->walk([](Operation *op) {
                  return host::needsNoHost(op) ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  // What the device does between two of its threads' meetings is short. More than that is worth a
  // launch: a grid, and blocks, as the kernel wants them.
  bool isShort(host::LoopOp loop) const {
    double work = 0;
    int64_t launches = 0;
    loop->walk([&](host::LaunchOp launch) {
      work += workOf(kernels[launch.getKernel()]);
      ++launches;
    });
    return launches > 0 && launches <= mostLaunches && work <= double(mostWork) * double(launches);
  }

  static double valueOf(const std::optional<DimExpr> &size) {
    auto known = [](int64_t) { return std::optional(unknownSize); };
    std::optional<int64_t> value = size ? size->evaluate(known) : std::nullopt;
    return double(value.value_or(INT64_MAX));
  }

  // Arithmetic, and an operation for each element that is written.
  static double workOf(ir::KernelOp kernel) {
    double work = valueOf(ir::operationCount(kernel));
    for (Value output : kernel.getOutputs())
      work += valueOf(ir::elementCount(ir::getShape(output)));
    return work;
  }

  SmallVector<ir::KernelOp> kernels;
  int64_t mostWork;
};

} // namespace

void keratin::passes::markResidentLoops(func::FuncOp function, host::ProgramOp program,
                                        int64_t mostWork) {
  if (mostWork > 0)
    ResidentLoops(function, mostWork).markIn(program);
}
