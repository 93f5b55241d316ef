// Times generated convolutions on one core, by hand: convolution_bench [machine] [filter]
// [elements: f32, i32 or u8]. Prints GFLOP/s and the share of the FMA peak measured just before,
// for the result and for both gradients. u8 is multiplied with int8, in int32.
#include "benchmarks/KernelBench.h"
#include "codegen/cpu/ConvolutionKernel.h"
#include "codegen/elements/LoopEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstdio>
#include <map>

using namespace keratin::benchmarks;
using namespace keratin::codegen;
using namespace mlir;

namespace {

// A square image and filter, channels last.
struct Shape {
  const char *name;
  int64_t batch, image, channels, filters, window, stride, pad;
  bool isDepthwise = false;

  int64_t output() const { return (image + 2 * pad - window) / stride + 1; }
  double operations() const {
    return 2.0 * batch * output() * output() * window * window * filters *
           (isDepthwise ? 1 : channels);
  }
};

// A convolution as `dims` names it, with the same numbers in both windows.
struct Form {
  const char *name;
  std::string x, filter, y;
  std::map<char, int64_t> size;           // of b, c, f, g
  int64_t xWindow, filterWindow, yWindow; // sizes
  int64_t stride, low, dilation = 1, xDilation = 1;
  bool reversed = false;

  int64_t sizeOf(char letter, int64_t window) const {
    return letter < 'a' ? window : size.at(letter);
  }
  int64_t strideOf(const std::string &letters, char letter, int64_t window) const {
    int64_t stride = 1;
    size_t at = letters.find(letter);
    if (at == std::string::npos)
      return 0;
    for (char inner : letters.substr(at + 1))
      stride *= sizeOf(inner, window);
    return stride;
  }
  int64_t elements(const std::string &letters, int64_t window) const {
    int64_t count = 1;
    for (char letter : letters)
      count *= sizeOf(letter, window);
    return count;
  }
};

std::vector<Form> formsOf(const Shape &s) {
  int64_t o = s.output(), back = s.window - 1 - s.pad;
  if (s.isDepthwise) {
    std::map<char, int64_t> forward{{'b', s.batch}, {'g', s.channels}};
    std::map<char, int64_t> filter{{'c', s.batch}, {'g', s.channels}};
    return {
        {"y", "b01g", "01g", "b01g", forward, s.image, s.window, o, s.stride, s.pad},
        {"dx", "b01g", "01g", "b01g", forward, o, s.window, s.image, 1, back, 1, s.stride, true},
        {"dfilter", "c01g", "c01g", "01g", filter, s.image, o, s.window, 1, s.pad, s.stride}};
  }
  return {{"y",
           "b01c",
           "01cf",
           "b01f",
           {{'b', s.batch}, {'c', s.channels}, {'f', s.filters}},
           s.image,
           s.window,
           o,
           s.stride,
           s.pad},
          {"dx",
           "b01c",
           "01fc",
           "b01f",
           {{'b', s.batch}, {'c', s.filters}, {'f', s.channels}},
           o,
           s.window,
           s.image,
           1,
           back,
           1,
           s.stride,
           true},
          {"dfilter",
           "c01b",
           "c01f",
           "01bf",
           {{'b', s.channels}, {'c', s.batch}, {'f', s.filters}},
           s.image,
           o,
           s.window,
           1,
           s.pad,
           s.stride}};
}

using KernelFn = void (*)(const float *x, const float *filter, float *y, void *scratch,
                          int64_t begin, int64_t end);
using UnitsFn = int64_t (*)();

class BenchCompiler : public KernelCompiler {
public:
  BenchCompiler(const MachineTarget &target, StringRef elements)
      : KernelCompiler(target), elements(elements) {}

  // All sizes built in.
  BuiltModule convolution(const Form &form) {
    double start = seconds();
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context.get()));
    OpBuilder builder(context.get());
    Location loc = builder.getUnknownLoc();
    Type pointer = LLVM::LLVMPointerType::get(context.get()), i64 = builder.getI64Type();
    LoopEmitter emit(builder, loc, target);
    auto begin = [&](StringRef name, TypeRange inputs, TypeRange results) {
      builder.setInsertionPointToEnd(module->getBody());
      auto function =
          builder.create<func::FuncOp>(loc, name, builder.getFunctionType(inputs, results));
      builder.setInsertionPointToStart(function.addEntryBlock());
      return function;
    };
    begin("units", {}, {i64});
    ConvolutionSpec counted = specOf(emit, form);
    ConvolutionPlan plan = planConvolution(counted, target);
    Value count = emitConvolutionUnits(builder, loc, counted, plan, target);
    builder.create<func::ReturnOp>(loc, ValueRange{emit.fromIndex(count)});
    func::FuncOp kernel = begin("kernel", {pointer, pointer, pointer, pointer, i64, i64}, {});
    ConvolutionSpec spec = specOf(emit, form);
    spec.x.base = kernel.getArgument(0);
    spec.filter.base = kernel.getArgument(1);
    spec.scratch = kernel.getArgument(3);
    spec.store = [&](OpBuilder &b, Location loc, const ConvolutionPlace &place, Value sums,
                     Value mask) {
      LoopEmitter emit(b, loc, target);
      Value offset = emit.constant(0);
      auto add = [&](char letter, Value index) {
        Value term = emit.mul(emit.fromIndex(index), form.strideOf(form.y, letter, form.yWindow));
        offset = emit.add(offset, term);
      };
      add('b', place.batch), add('g', place.group), add('f', place.filter);
      add('0', place.windows[0]), add('1', place.windows[1]);
      emit.store(sums, emit.address(kernel.getArgument(2), spec.accumulatorType, offset), mask);
    };
    emitConvolution(builder, loc, spec, plan, target, emit.toIndex(kernel.getArgument(4)),
                    emit.toIndex(kernel.getArgument(5)));
    builder.create<func::ReturnOp>(loc);
    BuiltModule built = finish(*module, start);
    built.scratchBytes = plan.scratch.bytes;
    return built;
  }

private:
  ConvolutionSpec specOf(LoopEmitter &emit, const Form &form) {
    auto known = [&](int64_t value) {
      return ConvolutionSize{emit.toIndex(emit.constant(value)), value,
                             keratin::ir::DimExpr(value)};
    };
    auto size = [&](char letter) {
      auto found = form.size.find(letter);
      return known(found == form.size.end() ? 1 : found->second);
    };
    auto x = [&](char letter) { return known(form.strideOf(form.x, letter, form.xWindow)); };
    auto filter = [&](char letter) {
      return known(form.strideOf(form.filter, letter, form.filterWindow));
    };
    ConvolutionSpec spec;
    Builder &b = emit.builder;
    spec.accumulatorType = elements == "f32" ? Type(b.getF32Type()) : b.getI32Type();
    spec.x.elementType = spec.filter.elementType = spec.accumulatorType;
    if (elements == "u8") {
      spec.x.elementType = b.getIntegerType(8, /*isSigned=*/false);
      spec.filter.elementType = b.getI8Type();
    }
    spec.batch = size('b');
    spec.groups = size('g');
    spec.contracted = size('c');
    spec.filters = size('f');
    spec.x.batch = x('b');
    spec.x.groups = x('g');
    spec.x.contracted = x('c');
    spec.filter.groups = filter('g');
    spec.filter.contracted = filter('c');
    spec.filter.filters = filter('f');
    for (char digit : {'0', '1'}) {
      spec.windows.push_back({known(form.xWindow), known(form.filterWindow), known(form.yWindow),
                              known(form.low), form.stride, form.xDilation, form.dilation,
                              form.reversed});
      spec.x.windows.push_back(x(digit));
      spec.filter.windows.push_back(filter(digit));
    }
    return spec;
  }

  StringRef elements;
};

} // namespace

int main(int argc, char **argv) {
  std::string machine = argc > 1 ? argv[1] : "native", chosen = argc > 2 ? argv[2] : "",
              elements = argc > 3 ? argv[3] : "f32";
  MachineTarget target = machineByName(machine);
  if (target.triple.empty()) {
    std::fprintf(stderr, "convolution_bench: unknown machine %s\n", machine.c_str());
    return 2;
  }
  BenchCompiler compiler(target, elements);
  const Shape shapes[] = {{"resnet 7x7", 1, 224, 3, 64, 7, 2, 3},
                          {"resnet 56", 1, 56, 64, 64, 3, 1, 1},
                          {"resnet 28", 1, 28, 128, 128, 3, 1, 1},
                          {"resnet 14", 1, 14, 256, 256, 3, 1, 1},
                          {"resnet 7", 1, 7, 512, 512, 3, 1, 1},
                          {"resnet 56 x8", 8, 56, 64, 64, 3, 1, 1},
                          {"resnet 28 x8", 8, 28, 128, 128, 3, 1, 1},
                          {"resnet 14 x8", 8, 14, 256, 256, 3, 1, 1},
                          {"resnet 7 x8", 8, 7, 512, 512, 3, 1, 1},
                          {"resnet 56 /2", 1, 56, 128, 128, 3, 2, 1},
                          {"1x1", 1, 28, 512, 128, 1, 1, 0},
                          {"1x1 /2", 1, 56, 256, 512, 1, 2, 0},
                          {"cifar first", 32, 32, 3, 32, 3, 1, 1},
                          {"cifar 32", 32, 32, 32, 32, 3, 1, 1},
                          {"cifar 16", 32, 16, 64, 64, 3, 1, 1},
                          {"cifar 8", 32, 8, 128, 128, 3, 1, 1},
                          {"mnist first", 32, 28, 1, 32, 3, 1, 0},
                          {"depthwise 112", 1, 112, 32, 32, 3, 1, 1, true},
                          {"depthwise 28", 1, 28, 256, 256, 3, 1, 1, true},
                          {"depthwise 14 /2", 1, 14, 512, 512, 3, 2, 1, true}};
  std::printf("%s, vectors of %u bits\n", target.cpu.c_str(), target.vectorBits);
  std::printf("%-16s %-8s %9s %8s %6s %8s %8s %9s\n", "shape", "form", "us", "GFLOP/s", "%peak",
              "mlir ms", "llvm ms", "scratch B");
  for (const Shape &shape : shapes)
    for (const Form &form : formsOf(shape)) {
      if ((std::string(shape.name) + " " + form.name).find(chosen) == std::string::npos)
        continue;
      BuiltModule built = compiler.convolution(form);
      auto kernel = reinterpret_cast<KernelFn>(built.library->lookup("kernel"));
      int64_t units = reinterpret_cast<UnitsFn>(built.library->lookup("units"))();
      auto x = randomArray(form.elements(form.x, form.xWindow));
      auto filter = randomArray(form.elements(form.filter, form.filterWindow));
      auto y = randomArray(form.elements(form.y, form.yWindow));
      auto scratch = randomArray(built.scratchBytes / 4);
      double ceiling = compiler.measurePeak();
      double time =
          fastest([&] { kernel(x.get(), filter.get(), y.get(), scratch.get(), 0, units); }, 30);
      double rate = shape.operations() / time * 1e-9;
      std::printf("%-16s %-8s %9.1f %8.1f %6.1f %8.2f %8.2f %9lld\n", shape.name, form.name,
                  time * 1e6, rate, 100 * rate / ceiling, built.mlirMs, built.llvmMs,
                  static_cast<long long>(built.scratchBytes));
      std::fflush(stdout);
    }
  return 0;
}
