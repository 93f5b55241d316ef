#include "benchmarks/KernelBench.h"
#include "codegen/elements/LoopEmitter.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "runtime/files/FileWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>

using namespace keratin::benchmarks;
using namespace keratin::codegen;
using namespace mlir;

double keratin::benchmarks::seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

KernelCompiler::KernelCompiler(const MachineTarget &target) : target(target) {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  peak = buildPeak();
}

BuiltModule KernelCompiler::finish(ModuleOp module, double start) {
  BuiltModule built;
  if (failed(lowerToLlvm(module)))
    std::abort();
  double lowered = seconds();
  auto object = emitCode(module, target);
  if (failed(object))
    std::abort();
  built.mlirMs = (lowered - start) * 1e3;
  built.llvmMs = (seconds() - lowered) * 1e3;
  if (const char *path = std::getenv("KERNEL_BENCH_OBJECT"))
    if (int code = keratin::runtime::writeFile(path, (*object)->getBufferStart(),
                                               (*object)->getBufferSize()))
      std::fprintf(stderr, "cannot write '%s': %s\n", path, std::strerror(code));
  built.objectBytes = (*object)->getBufferSize();
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  objects.push_back(std::move(*object));
  std::string error;
  built.library = JitLibrary::load(std::move(objects), &error);
  if (!built.library) {
    std::fprintf(stderr, "%s\n", error.c_str());
    std::exit(3);
  }
  return built;
}

// 24 independent sums of native vectors, or what half the registers hold.
BuiltModule KernelCompiler::buildPeak() {
  OpBuilder builder(context.get());
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  Type i64 = builder.getI64Type(), f32 = builder.getF32Type();
  builder.setInsertionPointToEnd(module->getBody());
  auto function = builder.create<func::FuncOp>(loc, "peak", builder.getFunctionType({i64}, {f32}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  LoopEmitter emit(builder, loc, target);
  int64_t lanes = target.lanes(32);
  auto vector = VectorType::get(lanes, f32);
  LoopEmitter::Values sums(sumsOfPeak(), emit.zero(vector));
  Value factor =
      emit.splat(builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(0.5f)), lanes);
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = emit.splat(builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(i + 1.0f)),
                     lanes);
  sums =
      emit.loop(emit.constant(0), function.getArgument(0), 1, sums, [&](Value, ValueRange state) {
        LoopEmitter::Values next(state);
        for (Value &sum : next)
          sum = emit.multiplyAdd(sum, factor, factor);
        return next;
      });
  Value total = sums.front();
  for (Value sum : llvm::drop_begin(sums))
    total = builder.create<arith::AddFOp>(loc, total, sum);
  Value scalar = builder.create<vector::ExtractOp>(loc, total, ArrayRef<int64_t>{0});
  builder.create<func::ReturnOp>(loc, ValueRange{scalar});
  return finish(*module, seconds());
}

double KernelCompiler::measurePeak() {
  auto run = reinterpret_cast<float (*)(int64_t)>(peak.library->lookup("peak"));
  int64_t steps = 20000;
  volatile float keep = 0;
  double time = fastest([&] { keep = keep + run(steps); });
  return 2.0 * steps * sumsOfPeak() * target.lanes(32) / time * 1e-9;
}

std::unique_ptr<float, decltype(&std::free)> keratin::benchmarks::randomArray(int64_t elements) {
  size_t page = 2 << 20, bytes = (elements * 4 + page - 1) / page * page;
  std::unique_ptr<float, decltype(&std::free)> array(
      static_cast<float *>(std::aligned_alloc(page, bytes)), &std::free);
  std::mt19937 random(1);
  for (size_t i = 0; i < bytes / 4; ++i)
    array.get()[i] = std::uniform_real_distribution<float>(-1, 1)(random);
  return array;
}
