// Times generated contractions on one core, by hand: contraction_bench [machine] [filter] [f32,
// bf16, f16 or u8] [KiB of B that are held at once] [rows of B that are brought near ahead]
// [vectors of a tile of many rows] [1 or 0: whether lines of results are asked for], the last four
// for the table of codegen/cpu/Processors.cpp. Prints GFLOP/s, the share of the FMA peak measured
// just before, and what compilation took. u8 is multiplied with int8, in int32.
#include "benchmarks/KernelBench.h"
#include "codegen/cpu/ContractionKernel.h"
#include "codegen/elements/LoopEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace keratin::benchmarks;
using namespace keratin::codegen;
namespace ir = keratin::ir;

namespace {

struct Case {
  const char *name;
  int64_t m, n, k;
  bool aTransposed = false, bTransposed = false;
  int64_t batch = 1;
};

// Which sizes are built in.
enum class Known { All, Weights, None };

const char *nameOf(Known known) {
  return known == Known::All ? "all" : known == Known::Weights ? "weights" : "none";
}

using KernelFn = void (*)(const void *a, const void *b, float *c, const int64_t *sizes,
                          void *scratch, int64_t begin, int64_t end);
using UnitsFn = int64_t (*)(const int64_t *sizes);

class BenchCompiler : public KernelCompiler {
public:
  // Factors of the type that is named so.
  BenchCompiler(const MachineTarget &target, StringRef elements)
      : KernelCompiler(target), elements(elements) {}

  // One module with a function `units<i>` and a function `kernel<i>` for each shape.
  BuiltModule contractions(ArrayRef<Case> shapes, Known known) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context.get()));
    double start = seconds();
    BuiltModule built;
    for (auto [i, shape] : llvm::enumerate(shapes))
      built.scratchBytes = std::max(built.scratchBytes, add(*module, shape, known, i));
    int64_t scratchBytes = built.scratchBytes;
    built = finish(*module, start);
    built.scratchBytes = scratchBytes;
    return built;
  }

  // Returns the scratch bytes.
  int64_t add(ModuleOp module, const Case &shape, Known known, size_t number) {
    OpBuilder builder(context.get());
    Location loc = builder.getUnknownLoc();
    Type pointer = LLVM::LLVMPointerType::get(context.get()), i64 = builder.getI64Type();
    Type sum = builder.getF32Type(), left = sum, right = sum;
    if (elements == "bf16")
      left = right = builder.getBF16Type();
    if (elements == "f16")
      left = right = builder.getF16Type();
    if (elements == "u8") {
      sum = builder.getI32Type();
      left = builder.getIntegerType(8, /*isSigned=*/false);
      right = builder.getI8Type();
    }

    auto makeSpec = [&](LoopEmitter &emit, Value sizes) {
      auto size = [&](int which, int64_t value, bool constant) {
        Value loaded = emit.load(i64, emit.address(sizes, i64, which));
        return ContractionSize{emit.toIndex(loaded), constant ? std::optional(value) : std::nullopt,
                               constant ? std::optional(ir::DimExpr(value)) : std::nullopt};
      };
      ContractionSpec spec;
      spec.accumulatorType = sum;
      spec.batch = size(0, shape.batch, true);
      spec.m = size(1, shape.m, known == Known::All);
      spec.n = size(2, shape.n, known != Known::None);
      spec.k = size(3, shape.k, known != Known::None);
      auto operand = [&](const ContractionSize &rows, const ContractionSize &cols, Type factor,
                         bool transposed) {
        Value one = emit.toIndex(emit.constant(1));
        Value batch =
            emit.toIndex(emit.mul(emit.fromIndex(rows.value), emit.fromIndex(cols.value)));
        ContractionOperand result{{}, factor, batch, cols.value, one, cols.constant, 1};
        if (transposed) {
          result.rowStride = one, result.colStride = rows.value;
          result.constantRowStride = 1, result.constantColStride = rows.constant;
        }
        return result;
      };
      spec.a = operand(spec.m, spec.k, left, shape.aTransposed);
      spec.b = operand(spec.k, spec.n, right, shape.bTransposed);
      return spec;
    };
    auto begin = [&](StringRef kind, TypeRange inputs, TypeRange results) {
      std::string name = kind.str() + std::to_string(number);
      builder.setInsertionPointToEnd(module.getBody());
      auto function =
          builder.create<func::FuncOp>(loc, name, builder.getFunctionType(inputs, results));
      builder.setInsertionPointToStart(function.addEntryBlock());
      return function;
    };
    LoopEmitter emit(builder, loc, target);
    func::FuncOp units = begin("units", {pointer}, {i64});
    ContractionSpec counted = makeSpec(emit, units.getArgument(0));
    ContractionPlan plan = planContraction(counted, target);
    Value count = emitContractionUnits(builder, loc, counted, plan, target);
    builder.create<func::ReturnOp>(loc, ValueRange{emit.fromIndex(count)});

    func::FuncOp kernel =
        begin("kernel", {pointer, pointer, pointer, pointer, pointer, i64, i64}, {});
    ContractionSpec spec = makeSpec(emit, kernel.getArgument(3));
    spec.a.base = kernel.getArgument(0);
    spec.b.base = kernel.getArgument(1);
    spec.scratch = kernel.getArgument(4);
    Value rows = emit.fromIndex(spec.m.value), columns = emit.fromIndex(spec.n.value);
    auto offsetOf = [&](LoopEmitter &emit, Value batch, Value m, Value n) {
      Value row = emit.add(emit.mul(emit.fromIndex(batch), rows), emit.fromIndex(m));
      return emit.add(emit.mul(row, columns), emit.fromIndex(n));
    };
    spec.store = [&](OpBuilder &b, Location loc, Value batch, Value m, Value n, Value sums,
                     Value mask) {
      LoopEmitter emit(b, loc, target);
      emit.store(sums, emit.address(kernel.getArgument(2), sum, offsetOf(emit, batch, m, n)), mask);
    };
    spec.askForResults = [&](OpBuilder &b, Location loc, Value batch, Value m, Value n, int64_t) {
      LoopEmitter emit(b, loc, target);
      emit.bringNear(emit.address(kernel.getArgument(2), sum, offsetOf(emit, batch, m, n)), 2);
    };
    emitContraction(builder, loc, spec, plan, target, emit.toIndex(kernel.getArgument(5)),
                    emit.toIndex(kernel.getArgument(6)));
    builder.create<func::ReturnOp>(loc);
    return plan.scratch.bytes;
  }

private:
  StringRef elements;
};

// In [-1, 1), in the first half of the array where elements take half the room; any bytes.
auto randomFactors(int64_t count, StringRef elements) {
  auto array = randomArray(count);
  if (elements == "f32" || elements == "u8")
    return array;
  for (int64_t i = 0; i < count; ++i) {
    APFloat number(array.get()[i]);
    bool losesInfo;
    number.convert(elements == "bf16" ? APFloat::BFloat() : APFloat::IEEEhalf(),
                   APFloat::rmNearestTiesToEven, &losesInfo);
    const auto bits = static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
    std::memcpy(reinterpret_cast<char *>(array.get()) + i * sizeof(bits), &bits, sizeof(bits));
  }
  return array;
}

} // namespace

int main(int argc, char **argv) {
  std::string machine = argc > 1 ? argv[1] : "native", filter = argc > 2 ? argv[2] : "",
              elements = argc > 3 ? argv[3] : "f32";
  MachineTarget target = machineByName(machine);
  if (target.triple.empty()) {
    std::fprintf(stderr, "contraction_bench: unknown machine %s\n", machine.c_str());
    return 2;
  }
  if (argc > 4)
    target.products.heldColumnBytes = std::max(64, std::atoi(argv[4])) * int64_t(1024);
  if (argc > 5)
    target.products.rowsAhead = std::max(0, std::atoi(argv[5]));
  if (argc > 6)
    target.products.tileVectors = std::clamp(std::atoi(argv[6]), 2, 4);
  if (argc > 7)
    target.products.asksForResults = std::atoi(argv[7]) != 0;
  BenchCompiler compiler(target, elements);
  const Case cases[] = {{"mlp forward 1", 32, 256, 64},
                        {"mlp forward 2", 32, 128, 256},
                        {"mlp forward 3", 32, 10, 128},
                        {"perceptron 1", 32, 512, 784},
                        {"perceptron 2", 32, 512, 512},
                        {"perceptron 3", 32, 10, 512},
                        {"10 columns", 256, 10, 512},
                        {"mlp dx 3", 32, 128, 10, false, true},
                        {"mlp dx 2", 32, 256, 128, false, true},
                        {"mlp dw 3", 128, 10, 32, true},
                        {"mlp dw 2", 256, 128, 32, true},
                        {"mlp dw 1", 64, 256, 32, true},
                        {"square 64", 64, 64, 64},
                        {"square 128", 128, 128, 128},
                        {"square 256", 256, 256, 256},
                        {"square 512", 512, 512, 512},
                        {"square 1000", 1000, 1000, 1000},
                        {"square 1024", 1024, 1024, 1024},
                        {"square 1024 A^T", 1024, 1024, 1024, true},
                        {"square 1024 B^T", 1024, 1024, 1024, false, true},
                        {"1 row", 1, 1024, 1024},
                        {"1 row B^T", 1, 1024, 1024, false, true},
                        {"8 rows", 8, 1024, 1024},
                        {"32 rows", 32, 1024, 1024},
                        {"lstm step", 32, 1024, 256},
                        {"lstm step back", 32, 256, 1024, false, true},
                        {"lstm gradient", 256, 1024, 2048, true},
                        {"gru step", 1, 1024, 512},
                        {"1 column", 1024, 1, 1024},
                        {"128x512x784", 128, 512, 784},
                        {"300x700x500", 300, 700, 500},
                        {"4096x1024x1024", 4096, 1024, 1024},
                        {"1024, 2048 deep", 1024, 1024, 2048},
                        {"1024, 4096 deep", 1024, 1024, 4096},
                        {"step forward", 1024, 512, 512},
                        {"step forward up", 1024, 2048, 512},
                        {"step forward down", 1024, 512, 2048},
                        {"step dx", 1024, 512, 512, false, true},
                        {"step dx up", 1024, 512, 2048, false, true},
                        {"step dx down", 1024, 2048, 512, false, true},
                        {"step dw", 512, 512, 1024, true},
                        {"step dw up", 512, 2048, 1024, true},
                        {"step dw down", 2048, 512, 1024, true},
                        {"filter 56 up", 64, 256, 25088, true},
                        {"filter 56 down", 256, 64, 25088, true},
                        {"filter 28 up", 128, 512, 6272, true},
                        {"filter 14 down", 1024, 256, 1568, true},
                        {"filter 14 up", 256, 1024, 1568, true},
                        {"filter 7 up", 512, 2048, 392, true},
                        {"shallow 16", 100296, 64, 16},
                        {"shallow 64", 12600, 128, 64},
                        {"shallow 64 wide", 3108, 256, 64},
                        {"batch 96", 128, 128, 64, false, false, 96}};
  std::printf("%s, vectors of %u bits, %s\n", target.cpu.c_str(), target.vectorBits,
              elements.c_str());
  std::printf("%-16s %-8s %9s %8s %6s %8s %8s %8s %9s\n", "shape", "known", "us", "GFLOP/s",
              "%peak", "mlir ms", "llvm ms", "object B", "scratch B");
  for (const Case &shape : cases) {
    if (std::string(shape.name).find(filter) == std::string::npos)
      continue;
    auto a = randomFactors(shape.batch * shape.m * shape.k, elements);
    auto b = randomFactors(shape.batch * shape.k * shape.n, elements);
    auto c = randomArray(shape.batch * shape.m * shape.n);
    for (Known known : {Known::All, Known::Weights, Known::None}) {
      BuiltModule built = compiler.contractions(shape, known);
      for (int i = 0; i < 4; ++i) { // the first includes one-time work of LLVM
        BuiltModule again = compiler.contractions(shape, known);
        built.mlirMs = std::min(built.mlirMs, again.mlirMs);
        built.llvmMs = std::min(built.llvmMs, again.llvmMs);
      }
      auto kernel = reinterpret_cast<KernelFn>(built.library->lookup("kernel0"));
      auto units = reinterpret_cast<UnitsFn>(built.library->lookup("units0"));
      int64_t sizes[] = {shape.batch, shape.m, shape.n, shape.k};
      auto scratch = randomArray(built.scratchBytes / 4);
      int64_t count = units(sizes);
      double ceiling = compiler.measurePeak();
      double time =
          fastest([&] { kernel(a.get(), b.get(), c.get(), sizes, scratch.get(), 0, count); });
      double rate = 2.0 * shape.batch * shape.m * shape.n * shape.k / time * 1e-9;
      std::printf("%-16s %-8s %9.2f %8.1f %6.1f %8.2f %8.2f %8zu %9lld\n", shape.name,
                  nameOf(known), time * 1e6, rate, 100 * rate / ceiling, built.mlirMs, built.llvmMs,
                  built.objectBytes, static_cast<long long>(built.scratchBytes));
      std::fflush(stdout);
    }
  }
  // What one more contraction costs where others share its micro-kernel.
  for (Known known : {Known::All, Known::Weights, Known::None}) {
    constexpr size_t count = 8;
    BuiltModule built = compiler.contractions(ArrayRef(cases).take_front(count), known);
    for (int i = 0; i < 4; ++i) {
      BuiltModule again = compiler.contractions(ArrayRef(cases).take_front(count), known);
      built.mlirMs = std::min(built.mlirMs, again.mlirMs);
      built.llvmMs = std::min(built.llvmMs, again.llvmMs);
    }
    std::printf("%zu in a module %-8s, each: mlir %.2f ms, llvm %.2f ms\n", count, nameOf(known),
                built.mlirMs / count, built.llvmMs / count);
  }
  return 0;
}
